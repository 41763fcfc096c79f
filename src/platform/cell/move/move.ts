// Moves a tenant from one cell to another while it goes on: copy, follow, stop, compare, switch, sweep. Each step is noted in the directory
// before it begins, so what a crash leaves is known, and can be gone on with or given up (docs/decisions, docs/scale.md).
import { setTimeout as pause } from 'node:timers/promises';
import { arrive, guardTables, leave, unguardTables } from './absence.js';
import { Comparison, type Difference } from './comparison.js';
import { asReplica, type Copied, copyTenant, removeTenant } from './copy.js';
import { listCredentials, unlistCredentials } from './credential-list.js';
import { type MoveEnd, withClient } from './end.js';
import { MoveRefused, messageOf } from './refused.js';
import { distanceOf, endReplication, endSending, isFollowing, openSlot, publishTenant, subscribeTenant } from './replication.js';
import { isOf, type MovingTenant, type TenantTable, tenantTables } from './tenant-table.js';

/** How far a move is. The tenant is in the source up to `switching`, and in the target from `switched` on. */
export type MoveStep = 'copying' | 'following' | 'switching' | 'switched';

/** What the directory notes of a move. */
export interface MoveRecord {
  step: MoveStep;
  /** Notes a step. At `switching` the processes hear that writes of the tenant are to wait. */
  note(step: MoveStep): Promise<void>;
  /** Notes `switched`, and that the tenant is in the target: in one transaction. */
  switch(): Promise<void>;
  /** The move is over. */
  end(): Promise<void>;
}

export interface MoveParts {
  source: MoveEnd;
  target: MoveEnd;
  tenant: MovingTenant;
  record: MoveRecord;
  /** Lists in the directory what the target has of the tenant, before it is switched; what is listed already stays. */
  list?: () => Promise<void>;
  /** Told what is done, for whoever waits for it. */
  onProgress?: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  step: MoveStep;
  copied?: Copied;
  /** Bytes of WAL that the target has not applied yet. */
  behind?: number;
}

/** What a move was. */
export interface Moved {
  copied: Copied | null;
  /** For how long the tenant could not write, in milliseconds; null where that was in an earlier run. */
  pausedMs: number | null;
}

/** Writes wait for so long, and are allowed again where the switch could not be made by then. */
const pauseMs = 5_000;
/** The target has caught up when it is so many bytes behind. */
const nearBytes = 256 * 1024;
const lookEveryMs = 200;
/** A target that has applied nothing for so long, although there is something, is not waited for any more. */
const stillMs = 60_000;
/** How long the processes have to hear that changes of the tenant wait. */
const hearMs = 100;
/** A switch that could not be made is tried again so often. */
const attempts = 5;

export class TenantMove {
  readonly #parts: MoveParts;
  #tables: readonly TenantTable[] = [];

  constructor(parts: MoveParts) {
    this.#parts = parts;
  }

  /**
   * Goes on with the move from where it is, to its end.
   * @throws MoveRefused when the two cells differ; what the database throws, after which the move can be gone on with
   */
  async run(): Promise<Moved> {
    const { record, tenant } = this.#parts;
    await this.#readTables();
    let copied: Copied | null = null;
    let pausedMs: number | null = null;
    if (record.step === 'copying' || (record.step === 'following' && !(await isFollowing(this.#parts, tenant))))
      copied = await this.#copy();
    if (record.step !== 'switched') pausedMs = await this.#follow();
    await this.#finish();
    return { copied, pausedMs };
  }

  /**
   * Gives the move up: the tenant goes on in the source, also where the target cannot be cleaned up now, because it is away or full.
   * @throws MoveRefused where it cannot; giving up again cleans it up
   */
  async abort(): Promise<void> {
    const { source, target, tenant, record } = this.#parts;
    if (record.step === 'switched') throw new MoveRefused('The tenant has been switched already: go on with the move.');
    this.#tables = await withClient(source, tenantTables);
    await arrive(source, tenant);
    await unguardTables(source, tenant, this.#tables);
    await endSending(source, tenant);
    await this.#cleanTarget().catch((error: unknown) => {
      const rest = `what was copied is not removed from ${target.name} yet: --abort again does that when it is well`;
      throw new MoveRefused(`The tenant stays in ${source.name}, but ${rest} (${messageOf(error)}).`, { cause: error });
    });
    await record.end();
  }

  async #cleanTarget(): Promise<void> {
    const { target, tenant } = this.#parts;
    await endReplication(this.#parts, tenant);
    await removeTenant(target, tenant, this.#tables);
    await unlistCredentials(target, tenant);
    await arrive(target, tenant);
    await unguardTables(target, tenant, this.#tables);
  }

  /** Both cells have the same tables, or nothing can be copied. */
  async #readTables(): Promise<void> {
    const { source, target } = this.#parts;
    const [here, there] = [await withClient(source, tenantTables), await withClient(target, tenantTables)];
    if (JSON.stringify(here) !== JSON.stringify(there))
      throw new MoveRefused(`The tables of ${target.name} are others: bring both cells up to date with migrate.`);
    this.#tables = here;
  }

  async #copy(): Promise<Copied> {
    const { source, target, tenant, record, onProgress } = this.#parts;
    await record.note('copying');
    await endReplication(this.#parts, tenant);
    await guardTables(target, tenant, this.#tables);
    await leave(target, tenant, { hasLeft: false, patienceMs: pauseMs });
    // What an earlier try has left, and what the tenant has left when it was here before.
    await removeTenant(target, tenant, this.#tables);
    await publishTenant(source, tenant, this.#tables);
    const slot = await openSlot(source, tenant);
    try {
      const tell = (copied: Copied) => onProgress?.({ step: 'copying', copied: { ...copied } });
      const { snapshot } = slot;
      const copied = await copyTenant(this.#parts, { tenant, tables: this.#tables, snapshot, onProgress: tell });
      await subscribeTenant(this.#parts, tenant);
      await listCredentials(this.#parts, tenant);
      await record.note('following');
      return copied;
    } finally {
      await slot.close();
    }
  }

  /** Catches up, compares and switches. Returns for how long the tenant could not write. */
  async #follow(): Promise<number> {
    const { source, tenant } = this.#parts;
    await guardTables(source, tenant, this.#tables);
    await this.#catchUp();
    const comparison = await Comparison.open(this.#parts, tenant, this.#tables);
    try {
      await comparison.compareAll();
      // Most of it is listed before the tenant waits.
      await this.#parts.list?.();
      return await this.#trySwitch(comparison);
    } finally {
      await comparison.close();
    }
  }

  async #trySwitch(comparison: Comparison): Promise<number> {
    const { record } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      await this.#catchUp();
      await comparison.settle();
      const begun = performance.now();
      await record.note('switching');
      if (await this.#switchOrStay(comparison)) return performance.now() - begun;
      await this.#stay();
      if (attempt === attempts) throw new MoveRefused('The tenant has writes that take too long: move it at a quieter time.');
    }
  }

  /** Waits until the target is near. Fails with the target where that is away, and where it applies nothing. */
  async #catchUp(): Promise<void> {
    const { source, target, tenant, onProgress } = this.#parts;
    let [last, since] = ['', performance.now()];
    for (;;) {
      const found = await distanceOf(source, tenant);
      if (found === null) throw new MoveRefused('The slot of the move is gone: give the move up (--abort), and begin it again.');
      const { behind, appliedTo } = found;
      onProgress?.({ step: 'following', behind });
      if (behind <= nearBytes) return;
      await target.pool.query('SELECT');
      if (appliedTo !== last) [last, since] = [appliedTo, performance.now()];
      if (performance.now() - since > stillMs)
        throw new MoveRefused(`${target.name} has applied nothing for a minute: its log says why. --resume goes on, --abort gives it up.`);
      await pause(lookEveryMs);
    }
  }

  /** Where a cell fails before the directory is asked to switch, the tenant goes on in the source. */
  async #switchOrStay(comparison: Comparison): Promise<boolean> {
    const { target, tenant, record } = this.#parts;
    try {
      if (!(await this.#prepareSwitch(comparison))) return false;
    } catch (error) {
      await this.#stay();
      throw error;
    }
    await record.switch();
    await arrive(target, tenant);
    return true;
  }

  /** The tenant goes on in the source, and the target follows. */
  async #stay(): Promise<void> {
    const { source, tenant, record } = this.#parts;
    await arrive(source, tenant);
    await record.note('following');
  }

  /** False when it could not be made while writes may wait. */
  async #prepareSwitch(comparison: Comparison): Promise<boolean> {
    const { source, target, tenant, onProgress } = this.#parts;
    onProgress?.({ step: 'switching' });
    // What has passed the processes before they heard of it may end.
    await pause(hearMs);
    if (!(await leave(source, tenant, { hasLeft: true, patienceMs: pauseMs }))) return false;
    const differences = await comparison.compareRest(pauseMs);
    if (differences === undefined) return false;
    if (differences.length > 0)
      throw new MoveRefused(`The two cells differ, and the tenant stays in ${source.name}: ${differences.map(explain).join('; ')}`);
    await this.#raiseSequences();
    await this.#endLeases();
    await listCredentials(this.#parts, tenant);
    await this.#parts.list?.();
    // Whoever knew the tenant here before it left has heard nothing of it since: a key may have been revoked meanwhile.
    await target.pool.query("SELECT pg_notify('cache', '*')");
    return true;
  }

  /** What is numbered in the target from now on comes after what was numbered in the source. */
  async #raiseSequences(): Promise<void> {
    const { source, target } = this.#parts;
    const { rows } = await source.pool.query<{ name: string; last: string }>(
      `SELECT s.sequencename AS name, s.last_value::text AS last FROM pg_sequences s
       WHERE s.schemaname = current_schema() AND s.last_value IS NOT NULL`,
    );
    const raise = rows.map(({ name, last }) => `setval('${name}', greatest((SELECT last_value FROM ${name}), ${BigInt(last)}))`);
    await target.pool.query(`SELECT ${raise.join(', ')}`);
  }

  /** What a process of the source had claimed is free in the target: that process can write no more of it. */
  async #endLeases(): Promise<void> {
    const { target, tenant } = this.#parts;
    await withClient(target, (client) =>
      asReplica(client, async () => {
        const free = ({ name, ...table }: TenantTable) =>
          `UPDATE ${name} SET lease_until = NULL WHERE ${isOf(tenant, table)} AND lease_until IS NOT NULL`;
        await client.query(this.#tables.flatMap((table) => (table.isDue ? [free(table)] : [])).join('; '));
      }),
    );
  }

  /** The source keeps its rows, and writes none of them, until they are swept. */
  async #finish(): Promise<void> {
    const { target, tenant, record, onProgress } = this.#parts;
    onProgress?.({ step: 'switched' });
    await arrive(target, tenant);
    await endReplication(this.#parts, tenant);
    await unguardTables(target, tenant, this.#tables);
    await record.end();
  }
}

function explain({ table, keys }: Difference): string {
  const [first] = keys;
  return keys.length === 1
    ? `a row of ${table} (${first?.join(', ')})`
    : `${keys.length} rows of ${table} (${first?.join(', ')} and others)`;
}

// Whether two cells hold the same rows of a tenant. Every row is compared while the tenant goes on. What has been written since is known by its
// key (watch.ts), in both cells, and is compared again: when the tenant waits, that is little, however much it has.
import type { Ends, MoveEnd } from './end.js';
import { MoveRefused } from './refused.js';
import { awaitMark, endPublication, publishTenant, replicationName } from './replication.js';
import { differingKeys, differingRows } from './row-digest.js';
import type { MovingTenant, TenantTable } from './tenant-table.js';
import { isOf } from './tenant-table.js';
import { addKey, type Key, type Keys, Watch } from './watch.js';

/** A table whose rows differ, and the keys of those. */
export interface Difference {
  table: string;
  keys: readonly Key[];
}

/** So many rows are compared in a moment, while the tenant waits. */
const few = 500;
/** So many are not kept: they are compared before the next table is. */
const many = 200_000;
const rounds = 10;
/** How long the target may be behind while the tenant goes on. */
const followMs = 600_000;
/** Tables that are compared at once. */
const comparers = 4;

export class Comparison {
  readonly #ends: Ends;
  readonly #tenant: MovingTenant;
  readonly #tables: readonly TenantTable[];
  readonly #watches: readonly [source: Watch, target: Watch];
  /** Rows that differed when they were compared. */
  #differing: Keys = new Map();

  private constructor(ends: Ends, tenant: MovingTenant, tables: readonly TenantTable[], watches: readonly [Watch, Watch]) {
    this.#ends = ends;
    this.#tenant = tenant;
    this.#tables = tables;
    this.#watches = watches;
  }

  /** Begins to watch what is written. The tenant is published in the source. */
  static async open(ends: Ends, tenant: MovingTenant, tables: readonly TenantTable[]): Promise<Comparison> {
    const { source, target } = ends;
    await endPublication(target, tenant);
    await publishTenant(target, tenant, tables);
    const publication = replicationName(tenant);
    const ofSource = await Watch.open(source, { tables, publication, slot: `${publication}_source` });
    try {
      const ofTarget = await Watch.open(target, { tables, publication, slot: `${publication}_target` });
      return new Comparison(ends, tenant, tables, [ofSource, ofTarget]);
    } catch (error) {
      await ofSource.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.close()));
    await endPublication(this.#ends.target, this.#tenant);
  }

  /** Compares every row. What differs may be on its way, and is looked at again. */
  async compareAll(): Promise<void> {
    await this.#meet();
    for (const table of this.#tables) {
      for (const key of await differingRows(this.#ends, this.#tenant, table)) addKey(this.#differing, table.name, key);
      if (this.#size > many) await this.#round();
    }
    // Each transaction moves money from an account to another, so the sums are right at any instant.
    const sums = await unbalanced(this.#ends.target, this.#tenant);
    if (sums.length > 0) throw new MoveRefused(`Balances in ${this.#ends.target.name} add up to ${sums.join(', ')}: the tenant stays.`);
  }

  /** Compares what was written since, until that is little, or as much as the tenant writes meanwhile. */
  async settle(): Promise<void> {
    for (let round = 0; round < rounds && this.#size > few; round += 1) await this.#round();
  }

  /** Compares what was written last. Nothing is written for the tenant any more. Undefined when the target is not there after `patienceMs`. */
  async compareRest(patienceMs: number): Promise<Difference[] | undefined> {
    if (!(await this.#awaitMark(patienceMs))) return undefined;
    const differing = await this.#compare(this.#take());
    // They are looked at again where the move is tried again.
    for (const { table, keys } of differing) for (const key of keys) addKey(this.#differing, table, key);
    return differing;
  }

  async #round(): Promise<void> {
    const keys = this.#take();
    await this.#meet();
    for (const found of await this.#compare(keys)) for (const key of found.keys) addKey(this.#differing, found.table, key);
  }

  /** Everything that was committed until now has come to the target, and the watches have seen it. */
  async #meet(): Promise<void> {
    if (!(await this.#awaitMark(followMs))) throw new MoveRefused(`${this.#ends.target.name} does not follow.`);
  }

  async #awaitMark(patienceMs: number): Promise<boolean> {
    const mark = await awaitMark(this.#ends, this.#tenant, patienceMs);
    if (mark === null) return false;
    const seen = await Promise.all(this.#watches.map((watch) => watch.awaitMark(mark, patienceMs)));
    return seen.every(Boolean);
  }

  get #size(): number {
    return [...this.#watches.map(({ size }) => size), ...[...this.#differing.values()].map(({ size }) => size)].reduce(
      (sum, n) => sum + n,
      0,
    );
  }

  #take(): Keys {
    const taken = this.#differing;
    this.#differing = new Map();
    for (const watch of this.#watches) for (const [table, keys] of watch.take()) for (const key of keys.values()) addKey(taken, table, key);
    return taken;
  }

  async #compare(keys: Keys): Promise<Difference[]> {
    const differences: Difference[] = [];
    const left = this.#tables.filter(({ name }) => keys.has(name));
    const compareNext = async (): Promise<void> => {
      for (let table = left.shift(); table !== undefined; table = left.shift()) {
        const found = await differingKeys(this.#ends, table, [...(keys.get(table.name)?.values() ?? [])]);
        if (found.length > 0) differences.push({ table: table.name, keys: found });
      }
    };
    await Promise.all(Array.from({ length: comparers }, compareNext));
    return differences;
  }
}

/** Sums of the balances of a tenant's workspaces that are not zero, by currency. */
async function unbalanced({ pool }: MoveEnd, tenant: MovingTenant): Promise<string[]> {
  const { rows } = await pool.query<{ sum: string }>(
    `SELECT format('%s %s', sum(balance), currency) AS sum FROM ledger_account WHERE ${isOf(tenant, { owner: 'workspace_id', ownedBy: 'workspace' })}
     GROUP BY workspace_id, currency HAVING sum(balance) <> 0`,
  );
  return rows.map(({ sum }) => sum);
}

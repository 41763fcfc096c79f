// Claimed rows of one workspace, from loading to recording. No transaction is open while a row is taken.
import { hasLeft } from '../cell/present.js';
import type { Ctx, Platform } from '../ctx.js';
import { type ClaimedRow, type DueRows, leaseSeconds } from './due-rows.js';
import type { HeldRows } from './held-rows.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { type DueStep, systemCtx } from './step.js';

/** A row is taken within this time of its claim or given back, so the rest of the lease is there for the step itself. */
const freshMs = 2_000;

/** What a batch shares with the others of its table. */
export interface BatchParts {
  platform: Platform;
  step: DueStep;
  rows: DueRows;
  held: HeldRows;
  writer: OutcomeWriter;
  isStopped: () => boolean;
  /** Called when rows were let go: there is room again. */
  onRoom: () => void;
}

export class DueBatch {
  readonly #parts: BatchParts;
  readonly #ctx: Ctx;
  /** Rows that are not let go yet, with the bytes of their jobs. */
  readonly #open: Map<ClaimedRow, number>;
  readonly #staleAt = performance.now() + freshMs;

  /** The rows are of one workspace, and held. */
  constructor(parts: BatchParts, rows: readonly [ClaimedRow, ...ClaimedRow[]]) {
    this.#parts = parts;
    this.#ctx = systemCtx(parts.platform, rows[0].workspace, null);
    this.#open = new Map(rows.map((row) => [row, 0]));
  }

  /** Returns when every row was recorded or given back. Never fails. */
  async run(maxBytes: number): Promise<void> {
    const rows = [...this.#open.keys()];
    try {
      const jobs = await this.#load(rows, maxBytes);
      const untaken = await Promise.all(rows.map((row) => this.#take(row, jobs.get(row.id))));
      await this.#giveBack(untaken.filter((row) => row !== undefined));
    } catch (error) {
      // The leases run out and the rows are taken again.
      if (!(await hasLeft(this.#parts.platform.database, this.#ctx.workspace.id)))
        this.#ctx.log.error({ err: error, table: this.#parts.step.table }, 'due rows failed');
    }
    // What was not recorded stays leased, so it counts as held for as long.
    if (this.#open.size > 0) setTimeout(() => this.#letGo([...this.#open.keys()]), leaseSeconds * 1000).unref();
  }

  async #load(rows: readonly ClaimedRow[], maxBytes: number): Promise<ReadonlyMap<string, unknown>> {
    const { step, held } = this.#parts;
    const jobs = await step.load(
      this.#ctx,
      rows.map(({ id, columns }) => ({ ...columns, id })),
      maxBytes,
    );
    for (const row of rows) {
      const job = jobs.get(row.id);
      const bytes = job === undefined ? 0 : (step.bytes?.(job) ?? 0);
      this.#open.set(row, bytes);
      held.addBytes(bytes);
    }
    return jobs;
  }

  /** Takes a row in its turn and records what became of it. Returns the row when it is to be given back. */
  async #take(row: ClaimedRow, job: unknown): Promise<ClaimedRow | undefined> {
    const outcome = job === undefined ? undefined : await this.#takeInTurn(row, job);
    if (outcome === undefined) return row;
    await this.#parts.writer.add({ ctx: this.#ctx, id: row.id, outcome, recorded: () => this.#letGo([row]) });
    return undefined;
  }

  /** Undefined when its turn came too late. */
  async #takeInTurn({ lane: id }: ClaimedRow, job: unknown): Promise<unknown> {
    const { step, held, isStopped } = this.#parts;
    const lane = held.lane(id);
    await lane.enter();
    try {
      if (isStopped()) return undefined;
      if (performance.now() <= this.#staleAt) return await step.take(this.#ctx, job);
      lane.narrow();
      return undefined;
    } finally {
      lane.leave();
    }
  }

  async #giveBack(rows: readonly ClaimedRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await this.#parts.rows.giveBack(rows);
    } catch (error) {
      this.#ctx.log.warn({ err: error, table: this.#parts.step.table }, 'leases were not given back; they run out');
    }
    this.#letGo(rows);
  }

  #letGo(rows: readonly ClaimedRow[]): void {
    const { held, onRoom } = this.#parts;
    for (const row of rows) {
      const bytes = this.#open.get(row);
      if (bytes === undefined) continue;
      this.#open.delete(row);
      held.addBytes(-bytes);
      held.letGo(row);
    }
    onRoom();
  }
}

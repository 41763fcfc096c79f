// The due rows of one table, as far as this process runs them: claims what is due and fits, and starts it without waiting for its end.
// Tables know nothing of each other, so a slow step of one delays no other.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../ctx.js';
import { DueBatch } from './due-batch.js';
import { firstLane } from './due-lanes.js';
import { type ClaimedRow, DueRows } from './due-rows.js';
import { HeldRows } from './held-rows.js';
import { OutcomeWriter } from './outcome-writer.js';
import type { DueStep } from './step.js';
import { dueTables } from './workspace-clock.js';

/**
 * There may be more: rows were claimed, or let go, or lanes are left that were not visited. It is looked for after this time, so that
 * claims under load are of many rows.
 */
export const nextLookMs = 20;

/** What one look found. */
interface Look {
  claimed: number;
  /** Lanes are left that were not visited. */
  moreLanes: boolean;
  /** Milliseconds until the next row becomes due; null when none is to come. */
  nextMs: number | null;
}

export class DueTable {
  readonly #platform: Platform;
  readonly #step: DueStep;
  readonly #rows: DueRows;
  readonly #held: HeldRows;
  readonly #batches = new Set<Promise<void>>();
  /** Few enough to keep: one for each workspace that had due rows of late. */
  readonly #writers = new LRUCache<string, OutcomeWriter>({ max: 2_000 });
  #cursor = firstLane;
  #stopped = false;
  /** Called when rows were let go: there is room again. */
  onRoom: () => void = () => {};

  /** With `workspaceId` rows of that workspace alone. */
  constructor(platform: Platform, step: DueStep, workspaceId?: string) {
    this.#platform = platform;
    this.#step = step;
    this.#rows = new DueRows(platform.database.pool, step, workspaceId);
    this.#held = new HeldRows(step);
  }

  get name(): string {
    return this.#step.table;
  }

  /** Starts what is due and fits. Returns the milliseconds until it should be called again, at the latest. */
  async look(): Promise<number> {
    const { claimed, moreLanes, nextMs } = await this.#look();
    return claimed > 0 || moreLanes ? nextLookMs : Math.max(1, Math.ceil(nextMs ?? Number.POSITIVE_INFINITY));
  }

  /** Frees the rows of processes that died. */
  endLostLeases(): Promise<void> {
    return this.#rows.endLostLeases();
  }

  /** Runs everything that is due, to the end. Returns how many rows it was. */
  async drain(): Promise<number> {
    let taken = 0;
    let letGo = false;
    let wake = () => {};
    this.onRoom = () => {
      letGo = true;
      wake();
    };
    for (;;) {
      letGo = false;
      const { claimed, moreLanes } = await this.#look();
      taken += claimed;
      if (claimed > 0 || moreLanes) continue;
      if (this.#batches.size === 0 && !letGo) return taken;
      if (letGo) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (letGo) resolve();
      });
    }
  }

  /** Takes nothing new, gives back what has not begun, and waits for the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#batches);
  }

  async #look(): Promise<Look> {
    if (this.#held.room <= 0 || this.#stopped) return { claimed: 0, moreLanes: false, nextMs: null };
    const { rows, cursor, moreLanes, nextMs } = await this.#rows.claim(this.#platform.clock.now(), this.#held.describe(), this.#cursor);
    this.#cursor = cursor;
    this.#start(rows);
    return { claimed: rows.length, moreLanes, nextMs };
  }

  #start(rows: readonly ClaimedRow[]): void {
    for (const row of rows) this.#held.hold(row);
    const batches = byWorkspace(rows);
    const maxBytes = Math.floor(this.#held.freeBytes / batches.size);
    for (const [workspaceId, batch] of batches) {
      const parts = {
        platform: this.#platform,
        step: this.#step,
        rows: this.#rows,
        held: this.#held,
        writer: this.#writerOf(workspaceId),
        isStopped: () => this.#stopped,
        onRoom: () => this.onRoom(),
      };
      const running = new DueBatch(parts, batch).run(maxBytes).finally(() => {
        this.#batches.delete(running);
        this.onRoom();
      });
      this.#batches.add(running);
    }
  }

  #writerOf(workspaceId: string): OutcomeWriter {
    const known = this.#writers.get(workspaceId);
    if (known !== undefined) return known;
    const writer = new OutcomeWriter(this.#step);
    this.#writers.set(workspaceId, writer);
    return writer;
  }
}

function byWorkspace(rows: readonly ClaimedRow[]): Map<string, [ClaimedRow, ...ClaimedRow[]]> {
  const batches = new Map<string, [ClaimedRow, ...ClaimedRow[]]>();
  for (const row of rows) {
    const batch = batches.get(row.workspace.id);
    if (batch === undefined) batches.set(row.workspace.id, [row]);
    else batch.push(row);
  }
  return batches;
}

/**
 * Runs what is due, of one workspace or of all, until nothing is left that can be claimed. Returns how many rows it was. For those who
 * wait for the end of it; a worker looks at each table by itself.
 */
export async function runDue(platform: Platform, steps: readonly DueStep[], workspaceId?: string): Promise<number> {
  let taken = 0;
  for (let more = true; more; ) {
    const before = taken;
    const names = steps.map(({ table }) => table);
    // A clock that is advanced stops at every instant, and mostly for one of the tables.
    const due = await dueTables(platform, names, workspaceId);
    for (const step of steps) {
      const work = due.get(step.table);
      if (work === undefined) continue;
      const table = new DueTable(platform, step, workspaceId);
      if (work.isLost) await table.endLostLeases();
      taken += await table.drain();
    }
    more = taken > before;
  }
  return taken;
}

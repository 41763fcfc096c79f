// Writes what became of rows that were taken beside each other (docs/architecture.md "Time"): few transactions for many rows.
import type { Ctx } from './ctx.js';
import type { LaneStep } from './lanes.js';

/** What is to be written of one row. `recorded` is called when it is; not when it could not be. */
interface Entry {
  ctx: Ctx;
  id: string;
  outcome: unknown;
  recorded: () => void;
}

/** Writes the outcomes of one workspace in groups: those that come while a group is being written go together in the next one. */
export class Recorder {
  readonly #step: LaneStep;
  #queue: Entry[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(step: LaneStep) {
    this.#step = step;
  }

  /** Returns when the outcome is written, or when it is given up: the lease runs out then. */
  add(entry: Entry): Promise<void> {
    this.#queue.push(entry);
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => this.#write());
      this.#last = this.#next;
    }
    return this.#next;
  }

  async #write(): Promise<void> {
    // What comes in the same turn of the loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    const group = this.#queue.splice(0);
    try {
      await this.#record(group);
    } catch {
      // One of them may be at fault: each by itself.
      for (const entry of group) {
        await this.#record([entry]).catch((error) =>
          entry.ctx.log.error({ err: error, table: this.#step.table, id: entry.id }, 'what became of a row was not recorded'),
        );
      }
    }
  }

  async #record(group: readonly Entry[]): Promise<void> {
    const ctx = group.at(-1)?.ctx;
    if (ctx === undefined) return;
    await this.#step.record(
      ctx,
      group.map(({ outcome }) => outcome),
    );
    for (const { recorded } of group) recorded();
  }
}

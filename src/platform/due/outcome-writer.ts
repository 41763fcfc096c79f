// Writes what became of due rows, many rows in one transaction (docs/architecture.md "Time").
import { hasLeft } from '../cell/present.js';
import type { Ctx } from '../ctx.js';
import type { DueStep } from './step.js';

/** What is to be written of one row. `recorded` is called when it has been written; not when that failed. */
interface Entry {
  ctx: Ctx;
  id: string;
  outcome: unknown;
  recorded: () => void;
}

/** Writes the outcomes of one workspace in groups: those that arrive while a group is being written form the next one. */
export class OutcomeWriter {
  readonly #step: DueStep;
  #queue: Entry[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(step: DueStep) {
    this.#step = step;
  }

  /** Returns when the outcome has been written, or could not be: then the lease runs out and the row is taken again. */
  add(entry: Entry): Promise<void> {
    this.#queue.push(entry);
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => this.#write());
      this.#last = this.#next;
    }
    return this.#next;
  }

  async #write(): Promise<void> {
    // Outcomes of the same turn of the event loop belong to this group.
    await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    const group = this.#queue.splice(0);
    try {
      await this.#record(group);
    } catch {
      // One of them may be at fault: each by itself.
      for (const entry of group) {
        await this.#record([entry]).catch((error: unknown) => this.#tell(entry, error));
      }
    }
  }

  async #tell({ ctx, id }: Entry, error: unknown): Promise<void> {
    if (await hasLeft(ctx.platform.database, ctx.workspace.id)) return;
    ctx.log.error({ err: error, table: this.#step.table, id }, 'the outcome of a due row was not recorded');
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

// Rung by whoever writes rows that become due soon, so that they need not wait for the next poll. A lost ring costs that wait alone.
import type { Clock } from '../clock.js';

type Listener = (table: string, inMs: number) => void;

/** Stands for every table. */
const all = '*';

export class DueBell {
  readonly #listeners = new Set<Listener>();
  /** What was rung in this turn of the event loop: by table the fewest milliseconds. */
  readonly #rung = new Map<string, number>();

  /** Rows of a table (default: of any) become due in so many milliseconds (default: they are). Listeners hear all rings of a turn at once. */
  ring(table = all, inMs = 0): void {
    if (this.#listeners.size === 0) return;
    if (this.#rung.size === 0) setImmediate(() => this.#pass());
    this.#rung.set(table, Math.min(inMs, this.#rung.get(table) ?? inMs));
  }

  /** Listens for the rings of one table. Returns how to stop listening. */
  listen(table: string, listener: (inMs: number) => void): () => void {
    const own: Listener = (rung, inMs) => {
      if (rung === table || rung === all) listener(inMs);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #pass(): void {
    const rung = [...this.#rung];
    this.#rung.clear();
    for (const [table, inMs] of rung) for (const listener of this.#listeners) listener(table, inMs);
  }
}

/** Rings for a row that becomes due at `at` of its workspace's time. To be called after the commit. */
export function ringAt({ clock, platform }: { clock: Clock; platform: { due: DueBell } }, table: string, at: Date): void {
  platform.due.ring(table, Math.max(0, at.getTime() - clock.now().getTime()));
}

// A bell inside one process: something was committed that somebody may be waiting for. Ringing it often costs nothing; those
// who listen look once for all rings of a turn.

export class Signal {
  readonly #listeners = new Set<() => void>();
  #ringing = false;

  /** Calls every listener, once for all rings of this turn of the event loop. */
  ring(): void {
    if (this.#ringing || this.#listeners.size === 0) return;
    this.#ringing = true;
    setImmediate(() => {
      this.#ringing = false;
      for (const listener of this.#listeners) listener();
    });
  }

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

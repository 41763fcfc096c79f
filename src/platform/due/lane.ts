// Rows that share an endpoint, or just a workspace: how many of them a process holds, and the places in which they run.

/** A lane claims at most so many times its places ahead. */
const widest = 10;

export class Lane {
  readonly #places: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #held = 0;
  #width: number;

  /** `places` is how many rows of the lane run at once. */
  constructor(places: number) {
    this.#places = places;
    this.#width = places;
  }

  /** Rows that are claimed and not yet finished. */
  get held(): number {
    return this.#held;
  }

  /** Rows that may be held: more than there are places while they are taken in time, so that none of the places is empty. */
  get width(): number {
    return this.#width;
  }

  hold(): void {
    this.#held += 1;
  }

  letGo(): void {
    this.#held -= 1;
    this.#width = Math.min(this.#places * widest, this.#width + 1);
  }

  /** Rows had to wait too long: from now on no more are claimed than run at once. */
  narrow(): void {
    this.#width = this.#places;
  }

  /** Returns when a place is free; the caller has it until `leave`. */
  async enter(): Promise<void> {
    if (this.#running < this.#places) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the place on to the next that waits. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

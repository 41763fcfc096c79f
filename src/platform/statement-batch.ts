// Group commit for small queries: what arrives while one run is under way goes together into the next. Nothing waits for a
// timer, so a lone request is not slower and many at once cost one round trip.

interface Waiting<In, Out> {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
}

export class Batch<In, Out> {
  readonly #run: (items: In[]) => Promise<Out[]>;
  readonly #most: number;
  #waiting: Waiting<In, Out>[] = [];
  #running: Promise<void> | undefined;

  /** `run` answers one result per item, in order. `most` is the greatest number of items of one run. */
  constructor(run: (items: In[]) => Promise<Out[]>, most = 200) {
    this.#run = run;
    this.#most = most;
  }

  /** Items that no run has taken up yet. */
  get length(): number {
    return this.#waiting.length;
  }

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#start();
    });
  }

  /** Returns when all that was added has run. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #start(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#waiting.length > 0) this.#start();
    });
  }

  async #work(): Promise<void> {
    const group = this.#waiting.splice(0, this.#most);
    try {
      const results = await this.#run(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => void resolve(results[at] as Out));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

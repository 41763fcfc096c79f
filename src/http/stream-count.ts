// Counts open streams by who opened them: in the process, or in the first one, which then counts for all that it has started (decision 0064).
import type { Line } from '../platform/processes/line.js';

/** A name that streams are counted under, and how many it may have. */
export type StreamLimit = [name: string, max: number];

export class StreamCount {
  readonly #counts = new Map<string, number>();

  /** Counts a stream under every name, and returns how it ends; or counts it under none, where one has no room. */
  begin(limits: readonly StreamLimit[]): (() => void) | undefined {
    if (limits.some(([name, max]) => (this.#counts.get(name) ?? 0) >= max)) return undefined;
    for (const [name] of limits) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return () => this.#end(limits);
  }

  #end(limits: readonly StreamLimit[]): void {
    for (const [name] of limits) {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
    }
  }
}

const subjects = { begin: 'stream.begin', end: 'stream.end' } as const;

/** Counts streams in the first process; in this one where that gives no answer. */
export class SharedCount {
  readonly #primary: Line;
  readonly #own = new StreamCount();
  #lastStream = 0;

  constructor(primary: Line) {
    this.#primary = primary;
  }

  /** Asks for room. Returns how the stream ends, or undefined where there is none. */
  async begin(limits: readonly StreamLimit[]): Promise<(() => void) | undefined> {
    this.#lastStream += 1;
    const stream = this.#lastStream;
    const endThere = () => this.#primary.tell(subjects.end, [stream]);
    const hasRoom = await this.#primary.ask<boolean>(subjects.begin, [stream, limits]).catch(() => undefined);
    if (hasRoom !== undefined) return hasRoom ? endThere : undefined;
    // It may have counted the stream and said so too late.
    endThere();
    return this.#own.begin(limits);
  }
}

/** In the first process: counts the streams of all processes, and forgets those of a process that has ended. */
export class SharedStreams {
  readonly #count = new StreamCount();

  /** What answers the questions of one process, and how it is forgotten. */
  join(): { answerers: Record<string, (body: never) => unknown>; leave: () => void } {
    const ends = new Map<number, () => void>();
    const begin = ([stream, limits]: [number, readonly StreamLimit[]]): boolean => {
      const end = this.#count.begin(limits);
      if (end !== undefined) ends.set(stream, end);
      return end !== undefined;
    };
    const end = ([stream]: [number]): void => {
      ends.get(stream)?.();
      ends.delete(stream);
    };
    const leave = () => {
      for (const stream of [...ends.keys()]) end([stream]);
    };
    return { answerers: { [subjects.begin]: begin, [subjects.end]: end }, leave };
  }
}

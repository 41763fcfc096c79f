// What a stream is made of: messages pushed by whoever has them, taken by one reader. A reader that pulls has a bounded queue;
// one that attaches a sink is handed each message as it comes, with no promise between (the hot path of event streams).
import { randomInt } from 'node:crypto';

export interface Message {
  /** Position in the stream; left out where the message is no step in it. */
  id?: string;
  event: string;
  /** JSON text. */
  data: string;
  /** Milliseconds after which a reader may come back. */
  retryMs?: number;
}

/** How long a reader waits before it comes back: not all of them at once. */
export function newRetryMs(): number {
  return randomInt(500, 1_500);
}

export interface Sink {
  write(message: Message): void;
  end(): void;
}

/** The most that waits for a reader who pulls; a slower one is cut off. */
const mostWaiting = 256;

type Step = IteratorResult<Message, undefined>;
const done: Step = { done: true, value: undefined };

export class Mailbox implements AsyncIterableIterator<Message> {
  #queue: Message[] = [];
  #taker: ((step: Step) => void) | undefined;
  #sink: Sink | undefined;
  #closed = false;
  readonly #left: () => void;

  /** `left` is called once, when the stream has ended from either side. */
  constructor(left: () => void) {
    this.#left = left;
  }

  get closed(): boolean {
    return this.#closed;
  }

  push(message: Message): void {
    if (this.#closed) return;
    if (this.#sink !== undefined) this.#sink.write(message);
    else if (this.#taker !== undefined) {
      const take = this.#taker;
      this.#taker = undefined;
      take({ done: false, value: message });
    } else if (this.#queue.length < mostWaiting) this.#queue.push(message);
    else {
      this.#queue = [];
      this.end();
    }
  }

  /** Ends the stream; what is queued is still read. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#taker?.(done);
    this.#sink?.end();
    this.#left();
  }

  /** From here on everything goes to `sink`. */
  attach(sink: Sink): void {
    for (const message of this.#queue.splice(0)) sink.write(message);
    if (this.#closed) sink.end();
    else this.#sink = sink;
  }

  async next(): Promise<Step> {
    const message = this.#queue.shift();
    if (message !== undefined) return { done: false, value: message };
    if (this.#closed) return done;
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  async return(): Promise<Step> {
    this.#queue = [];
    this.end();
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

// Work that is done again and again in the background, one round at a time: when it is woken, when it asked to be, and at a poll.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from '../log.js';

/** Returns the milliseconds until the next round is wanted at the latest: 0 for another one at once, Infinity for none before the poll. */
export type Round = () => Promise<number>;

export interface LoopOptions {
  /** Named in the log. */
  name: string;
  /** The longest rest between two rounds. */
  pollMs: number;
  /** The shortest time between two rounds, asked after each, so that a round under load is a batch. */
  paceMs?: () => number;
  log: Logger;
}

/** A failure that goes on is said again after this time: while the database is away dozens of loops fail every second. */
const sayAgainMs = 60_000;

/** Runs from its creation until it is stopped. A round that fails is tried again after `pollMs`, or when the loop is woken. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #round: Round;
  readonly #running: Promise<void>;
  #stopped = false;
  /** The next round begins at this time of performance.now() at the latest. */
  #nextAt = 0;
  /** And not before this one. */
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #endRest: (() => void) | undefined;
  /** When a round began that has not ended well; the first one, where others followed it. */
  #openSince: number | undefined;
  /** The last failure that the log was told of, until a round ends well. */
  #said: { message: string; at: number } | undefined;

  constructor(options: LoopOptions, round: Round) {
    this.#options = options;
    this.#round = round;
    this.#running = this.#run();
  }

  /** Asks for a round in so many milliseconds, or when the pace allows it; one that is asked for earlier stands for it. */
  wake(inMs = 0): void {
    const at = Math.max(performance.now() + inMs, this.#notBefore);
    if (at >= this.#nextAt) return;
    this.#nextAt = at;
    this.#setTimer();
  }

  /** Finishes the round under way and ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#endRest?.();
    await this.#running;
  }

  /** Milliseconds since a round began, and none ended well. 0 while the loop rests after one that did. */
  lagMs(): number {
    return this.#openSince === undefined ? 0 : performance.now() - this.#openSince;
  }

  async #run(): Promise<void> {
    const { pollMs, paceMs = () => 0 } = this.#options;
    while (!this.#stopped) {
      this.#nextAt = Number.POSITIVE_INFINITY;
      let restMs = pollMs;
      this.#openSince ??= performance.now();
      try {
        restMs = Math.min(pollMs, await this.#round());
        this.#openSince = undefined;
        this.#said = undefined;
      } catch (error) {
        this.#say(error);
      }
      this.#notBefore = performance.now() + paceMs();
      // What asked for a round during this one waits for the pace too.
      this.#nextAt = Math.max(this.#nextAt, this.#notBefore);
      this.wake(restMs);
      if (this.#stopped) return;
      if (this.#nextAt > performance.now()) await this.#rest();
      else await yieldToOthers();
    }
  }

  #say(error: unknown): void {
    const { log, name } = this.#options;
    const [message, at] = [String(error), performance.now()];
    if (this.#said?.message === message && at - this.#said.at < sayAgainMs) return;
    this.#said = { message, at };
    log.warn({ err: error, loop: name }, 'a round of background work failed; the next one tries again');
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#endRest = resolve;
      this.#setTimer();
    });
    clearTimeout(this.#timer);
    this.#endRest = undefined;
  }

  /** Timers have no meaning outside a rest: a round under way is followed by the next anyhow. */
  #setTimer(): void {
    if (this.#endRest === undefined) return;
    clearTimeout(this.#timer);
    const restMs = this.#nextAt - performance.now();
    if (restMs <= 0) this.#endRest();
    else this.#timer = setTimeout(this.#endRest, restMs);
  }
}

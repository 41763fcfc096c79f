// A place of a process: one process runs in it, and when that has ended another one takes the place (decision 0064).
import { setTimeout as waitFor } from 'node:timers/promises';
import type { Logger } from '../log.js';

/** A process that was started. */
export interface Launched<T> {
  /** What it says when it is ready. Stays open where it never is. */
  ready: Promise<T>;
  /** How it ended, in words. */
  ended: Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

export interface PlaceOptions<T> {
  number: number;
  log: Logger;
  launch: () => Launched<T>;
  /** Waits between two starts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** A process that takes longer to become ready is ended. */
  readyWithinMs?: number;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Whoever lived so long did not end because of its start. */
const steadyAfterMs = 10_000;
/** So many starts in succession that lead to nothing, with their pauses, take most of a minute. */
export const mostFailures = 10;

export class Place<T> {
  /** What the first process says when it is ready; rejects when it has ended before. */
  readonly first: Promise<T>;
  /** Resolves to the reason when no process becomes ready any more. */
  readonly lost: Promise<Error>;
  readonly #options: PlaceOptions<T>;
  readonly #stopped = new AbortController();
  readonly #kept: Promise<void>;
  #current: Launched<T> | undefined;
  #wasReady = false;
  #sayFirst: (said: T) => void = () => {};

  constructor(options: PlaceOptions<T>) {
    this.#options = options;
    const first = new Promise<T>((resolve) => {
      this.#sayFirst = resolve;
    });
    this.#kept = this.#keep();
    this.lost = new Promise((resolve) => void this.#kept.catch(resolve));
    this.first = Promise.race([first, this.lost.then((error) => Promise.reject(error))]);
    this.first.catch(() => {});
  }

  /** Ends the process in order. Nobody takes its place. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#current?.kill('SIGTERM');
    await this.#kept.catch(() => {});
  }

  async #keep(): Promise<void> {
    const { log, number, pause = waitUnlessAborted } = this.#options;
    const { signal } = this.#stopped;
    let failures = 0;
    let quickEnds = 0;
    while (!signal.aborted) {
      const begun = performance.now();
      const launched = this.#options.launch();
      this.#current = launched;
      const isReady = await this.#untilReady(launched);
      const how = await launched.ended;
      if (signal.aborted) return;
      failures = isReady ? 0 : failures + 1;
      if (!this.#wasReady) throw new Error(how);
      if (failures >= mostFailures) throw new Error(`Process ${number} did not become ready in ${failures} starts. The last one: ${how}`);
      quickEnds = performance.now() - begun < steadyAfterMs ? quickEnds + 1 : 0;
      const pauseMs = quickEnds === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (quickEnds - 1));
      log.error({ process: number, how, pauseMs }, 'a process has ended by itself; another one takes its place');
      await pause(pauseMs, signal);
    }
  }

  async #untilReady({ ready, ended, kill }: Launched<T>): Promise<boolean> {
    const late = setTimeout(() => kill('SIGKILL'), this.#options.readyWithinMs ?? 60_000);
    const isReady = await Promise.race([
      ready.then((said) => {
        this.#wasReady = true;
        this.#sayFirst(said);
        return true;
      }),
      ended.then(() => false),
    ]);
    clearTimeout(late);
    return isReady;
  }
}

const waitUnlessAborted = (ms: number, signal: AbortSignal): Promise<unknown> => waitFor(ms, undefined, { signal }).catch(() => {});

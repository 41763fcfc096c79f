// Runs every context's due work, and sweeps away what has expired. Any number of workers may run beside each other.
import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from './platform/ctx.js';
import { type DueStep, hasLanes, runDue } from './platform/due.js';
import { Lanes } from './platform/lanes.js';
import { type EventListener, publishEvents } from './platform/outbox.js';

/** Removes rows that nobody will ask for again; answers how many. */
export type Sweep = (platform: Platform) => Promise<number>;

export interface Worker {
  /** Finishes the step under way and stops. */
  stop(): Promise<void>;
  /** Milliseconds since the last round ended well. */
  lagMs(): number;
}

const sweepEveryMs = 60_000;

export interface Work {
  listeners: readonly EventListener[];
  steps: readonly DueStep[];
  sweeps: readonly Sweep[];
}

/** Everything that is to be done by now: events to publish, and what is due because of them, until nothing is left. */
export async function work(platform: Platform, { listeners, steps }: Pick<Work, 'listeners' | 'steps'>): Promise<void> {
  for (let more = true; more; ) {
    const { events } = await publishEvents(platform, listeners);
    more = (await runDue(platform, steps)) > 0 || events > 0;
  }
}

/**
 * Publishes events as soon as something was committed, and wakes the lanes that deliver them; looks for whatever else is due
 * every `pollMs`. Publishing has a loop of its own, so that what was told never waits for a slow step.
 */
export function startWorker(platform: Platform, { listeners, steps, sweeps }: Work, pollMs = 1_000): Worker {
  // What waits for others runs beside the rounds, so that it holds nothing up.
  const rows = steps.filter((step) => !hasLanes(step));
  const lanes = steps.filter(hasLanes).map((step) => new Lanes(platform, step));
  for (const lane of lanes) lane.onRoom = () => lane.wake();

  let swept = performance.now();
  const due = new Loop(platform, pollMs, async () => {
    await runDue(platform, rows);
    wakeAll(lanes);
    if (performance.now() - swept <= sweepEveryMs) return false;
    swept = performance.now();
    for (const sweep of sweeps) await sweep(platform);
    return false;
  });
  const publishing = new Loop(platform, pollMs, publisher(platform, listeners, pollMs), publishEveryMs);
  const silences = [platform.database.written.listen(() => publishing.wake()), platform.due.listen(() => wakeAll(lanes))];
  return {
    async stop() {
      for (const silence of silences) silence();
      await publishing.stop();
      await due.stop();
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
    lagMs: () => Math.max(publishing.lagMs(), due.lagMs()),
  };
}

function wakeAll(lanes: readonly Lanes[]): void {
  for (const lane of lanes) lane.wake();
}

/** Publishes what is new, and once every `pollMs` whatever is there: a line whose transaction took long may stand before others. */
function publisher(platform: Platform, listeners: readonly EventListener[], pollMs: number): Round {
  let last = 0;
  let lookedAtAll = Number.NEGATIVE_INFINITY;
  return async () => {
    for (;;) {
      const all = performance.now() - lookedAtAll >= pollMs;
      const { more, busy, ...published } = await publishEvents(platform, listeners, all ? 0 : last);
      if (all && !more && !busy) lookedAtAll = performance.now();
      last = Math.max(last, published.last);
      if (!more) return busy;
    }
  };
}

/** Under load events are published in batches: a round of its own for each transfer would cost more than the transfer. */
const publishEveryMs = 20;

/** One round of work; true asks for another one soon. */
type Round = () => Promise<boolean>;

/** Runs a round every `pollMs` and whenever it is woken, one at a time and at most one in `paceMs`. A round that fails is tried again by the next. */
class Loop {
  readonly #platform: Platform;
  readonly #pollMs: number;
  readonly #paceMs: number;
  readonly #round: Round;
  readonly #running: Promise<void>;
  #stopped = false;
  #rung = false;
  #wake: (() => void) | undefined;
  #ended = performance.now();

  constructor(platform: Platform, pollMs: number, round: Round, paceMs = 0) {
    this.#platform = platform;
    this.#pollMs = pollMs;
    this.#paceMs = paceMs;
    this.#round = round;
    this.#running = this.#run();
  }

  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  /** Milliseconds since the last round ended well. */
  lagMs(): number {
    return performance.now() - this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#rung = false;
      try {
        if (await this.#round()) this.#rung = true;
        this.#ended = performance.now();
      } catch (error) {
        this.#platform.log.warn({ err: error }, 'a worker round failed; the next one tries again');
      }
      if (this.#stopped) return;
      if (!this.#rung) await this.#rest();
      else if (this.#paceMs > 0) await pause(this.#paceMs);
    }
  }

  async #rest(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, this.#pollMs);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

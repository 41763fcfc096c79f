// The background work of a process: publishing events, hearing them, running what is due, and sweeping. Each of them has a loop of
// its own, so that none waits for another. Any number of workers may run beside each other.
import { Listening } from './events/listener.js';
import { type Followers, publishEvents } from './events/outbox.js';
import type { Platform } from './platform/ctx.js';
import { DueTable, nextLookMs, runDue } from './platform/due/due-table.js';
import { Loop } from './platform/due/loop.js';
import type { RealTimeWork } from './platform/due/real-time.js';
import type { DueStep } from './platform/due/step.js';
import { caughtUp, type Sweep, sweepSize } from './platform/due/sweep.js';
import { type DueWork, dueTables } from './platform/due/workspace-clock.js';
import { shards } from './platform/shard.js';

export interface Worker {
  /** Finishes the rounds under way and stops. */
  stop(): Promise<void>;
  /** The longest that a loop, but the sweeps, has gone on without a round that ended well. */
  lagMs(): number;
}

/** What a worker does, as the manifest has it. */
export interface Work {
  followers: Followers;
  due: readonly DueStep[];
  realTime: readonly RealTimeWork[];
  sweeps: readonly Sweep[];
}

/**
 * Publishes what is written, lets listeners hear it, and runs what is due, until nothing is left of one workspace, or of all. For those
 * who wait for the end of it: tests, and a sandbox whose clock is advanced.
 */
export async function work(
  platform: Platform,
  { followers, due, realTime = [] }: Pick<Work, 'followers' | 'due'> & Partial<Pick<Work, 'realTime'>>,
  workspaceId?: string,
): Promise<void> {
  for (let more = true; more; ) {
    more = await publishAll(platform, followers, workspaceId);
    more = (await runDue(platform, due, workspaceId)) > 0 || more;
    for (const each of realTime) more = (await each.run(platform)) === 0 || more;
  }
}

/** Publishes what is written and lets listeners hear it, once. True when there was something. */
export async function publishAll(platform: Platform, followers: Followers, workspaceId?: string): Promise<boolean> {
  let more = false;
  for (let shard = 0; shard < shards; shard += 1) {
    const { events } = await publishEvents(platform, followers, { shard, workspaceId });
    more ||= events > 0;
  }
  for (const listener of followers.listeners) {
    const each = new Listening(platform, listener);
    const heard = await (workspaceId === undefined ? each.drain() : each.drainWorkspace(workspaceId));
    more ||= heard > 0;
  }
  return more;
}

/**
 * Publishes events when something was committed, runs due rows when they become due, and sweeps once a minute. What no bell
 * announced is found by a poll, every `pollMs`.
 */
export function startWorker(platform: Platform, { followers, due, realTime, sweeps }: Work, pollMs = 1_000): Worker {
  const { database, published, log } = platform;
  const publishing = Array.from({ length: shards }, (_, shard) => startPublisher(platform, followers, shard, pollMs));
  const listening = followers.listeners.map((listener) => {
    const position = new Listening(platform, listener);
    const { name, paceMs = 0 } = listener;
    return new Loop({ name: `listen ${name}`, pollMs, paceMs: () => paceMs, log }, async () =>
      (await position.round()) > 0 ? hearEveryMs : Number.POSITIVE_INFINITY,
    );
  });
  const silences = [database.written.listen(() => wakeAll(publishing)), published.listen(() => wakeAll(listening, hearEveryMs))];
  const tables = startTables(platform, due, pollMs);
  const inRealTime = realTime.map((each) => startRealTime(platform, each, pollMs));
  const sweeping = sweeps.map((sweep) => startSweep(platform, sweep));
  return {
    async stop() {
      for (const silence of silences) silence();
      await Promise.all([...publishing, ...listening, tables, ...inRealTime, ...sweeping].map((part) => part.stop()));
    },
    lagMs: () => Math.max(...[...publishing, tables, ...inRealTime].map((part) => part.lagMs())),
  };
}

function wakeAll(loops: readonly Loop[], inMs = 0): void {
  for (const loop of loops) loop.wake(inMs);
}

/** Listeners hear what was published in stretches: a transaction of each for every publication would cost more than the transfer. */
const hearEveryMs = 100;

/** A table that nothing wakes looks for itself after this time. */
const quietMs = 60_000;

/** Runs the due rows of all tables. One poll looks over all of them: an idle platform asks one question a second, not one for each table. */
function startTables(platform: Platform, due: readonly DueStep[], pollMs: number): Worker {
  const parts = due.map((step) => startTable(platform, step, Math.max(pollMs, quietMs)));
  const names = due.map(({ table }) => table);
  const poll = new Loop({ name: 'due', pollMs, log: platform.log }, async () => {
    const found = await dueTables(platform, names);
    await Promise.all(parts.map((part) => part.take(found.get(part.name))));
    return Number.POSITIVE_INFINITY;
  });
  return {
    async stop() {
      await poll.stop();
      await Promise.all(parts.map((part) => part.stop()));
    },
    lagMs: () => Math.max(poll.lagMs(), ...parts.map((part) => part.lagMs())),
  };
}

interface TableWorker extends Worker {
  name: string;
  /** Takes up what the poll has found in the table. */
  take(found: DueWork | undefined): Promise<void>;
}

/** Runs the due rows of one table. */
function startTable(platform: Platform, step: DueStep, pollMs: number): TableWorker {
  const table = new DueTable(platform, step);
  const loop = new Loop({ name: step.table, pollMs, log: platform.log }, () => table.look());
  table.onRoom = () => loop.wake(nextLookMs);
  const silence = platform.due.listen(step.table, (inMs) => loop.wake(inMs));
  return {
    name: step.table,
    async take(found) {
      if (found?.isLost) await table.endLostLeases();
      if (found !== undefined) loop.wake();
    },
    async stop() {
      silence();
      await loop.stop();
      await table.stop();
    },
    lagMs: () => loop.lagMs(),
  };
}

/** Does work in real time when it is rung, and when there is more. */
function startRealTime(platform: Platform, { name, run }: RealTimeWork, pollMs: number): Worker {
  const loop = new Loop({ name, pollMs, log: platform.log }, async () => (await run(platform)) ?? Number.POSITIVE_INFINITY);
  const silence = platform.due.listen(name, (inMs) => loop.wake(inMs));
  return {
    async stop() {
      silence();
      await loop.stop();
    },
    lagMs: () => loop.lagMs(),
  };
}

const sweepEveryMs = 60_000;

/** Between two batches those that wait for the same pages and the same disk have their turn. */
const sweepPaceMs = 20;

/** Sweeps once a minute, and on while there was a full batch. */
function startSweep(platform: Platform, sweep: Sweep): Loop {
  return new Loop({ name: sweep.name, pollMs: sweepEveryMs, paceMs: () => sweepPaceMs, log: platform.log }, async () => {
    if ((await sweep(platform, sweepSize)) >= sweepSize) return 0;
    caughtUp.set({ sweep: sweep.name }, platform.clock.now().getTime() / 1_000);
    return Number.POSITIVE_INFINITY;
  });
}

/** Under load events are published in batches: a round of its own for each transfer would cost more than the transfer. */
const publishEveryMs = 20;
/** And at the soonest, while channels of agents show what is published: somebody waits for it. */
const showEveryMs = 5;

/** How long the publisher rests after a round that took so long: what is shown may take a third of its time, and no more. */
export function publisherRestMs({ shown, tookMs }: { shown: number; tookMs: number }): number {
  return shown === 0 ? publishEveryMs : Math.min(publishEveryMs, Math.max(showEveryMs, 2 * tookMs));
}

/** Publishes what is new, and once every `pollMs` whatever is there: a transaction that took long may have left an earlier line. */
function startPublisher(platform: Platform, followers: Followers, shard: number, pollMs: number): Loop {
  let last = 0;
  let lookedAtAll = Number.NEGATIVE_INFINITY;
  let paceMs = publishEveryMs;
  return new Loop({ name: 'publish', pollMs, paceMs: () => paceMs, log: platform.log }, async () => {
    const begun = performance.now();
    for (let shown = 0; ; ) {
      const all = performance.now() - lookedAtAll >= pollMs;
      const { more, busy, ...published } = await publishEvents(platform, followers, { shard, after: all ? 0 : last });
      if (all && !more && !busy) lookedAtAll = performance.now();
      last = Math.max(last, published.last);
      shown += published.shown;
      paceMs = publisherRestMs({ shown, tookMs: performance.now() - begun });
      if (!more) return busy ? 0 : Number.POSITIVE_INFINITY;
    }
  });
}

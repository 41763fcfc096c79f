// The events of a workspace as they are published, for a developer's terminal or a dashboard (CONTRACT.md 16). A reader pulls:
// what it has not taken waits in the database, not here.
import type { Ctx, Platform } from '../../platform/ctx.js';
import { namesEvent } from '../../platform/event-catalog.js';
import { readTail, type TailPosition, tailAt, tailEnd } from '../../platform/event-tail.js';
import type { OutboxEvent } from '../../platform/outbox.js';
import { checkPatterns } from './event.js';

export interface WorkspaceEventsInput {
  /** Types or wildcards; all when there are none. */
  types?: readonly string[] | null | undefined;
  /** Go on after this event. */
  after?: string | null | undefined;
}

/**
 * Events published from now on, or after a given one: at least once each, in the order of their publishing. Ends after an hour and
 * when the key behind it changes (Gap G-69). 400 for a type that is in no catalog.
 */
export async function workspaceEvents(ctx: Ctx, { types, after }: WorkspaceEventsInput): Promise<AsyncIterableIterator<OutboxEvent>> {
  checkPatterns(types ?? [], 'types');
  const { pool } = ctx.platform.database;
  const resumed = after == null ? undefined : await tailAt(pool, ctx.workspace.id, after);
  return new Tail(ctx, types?.length ? types : ['*'], resumed ?? (await tailEnd(pool, ctx.workspace.id)));
}

const longestMs = 3_600_000;
/** How often it is looked for what other processes have published. */
const lookEveryMs = 500;

class Tail implements AsyncIterableIterator<OutboxEvent> {
  /** Tag of the key behind it. */
  readonly tag: string;
  readonly #platform: Platform;
  readonly #workspaceId: string;
  readonly #types: readonly string[];
  readonly #endsAt = performance.now() + longestMs;
  #position: TailPosition;
  #queue: OutboxEvent[] = [];
  #ended = false;
  #wake: () => void = () => {};

  constructor({ platform, workspace, actor }: Ctx, types: readonly string[], position: TailPosition) {
    this.tag = `api_key:${actor.id}`;
    this.#platform = platform;
    this.#workspaceId = workspace.id;
    this.#types = types;
    this.#position = position;
    tailsOf(platform).add(this);
  }

  async next(): Promise<IteratorResult<OutboxEvent, undefined>> {
    while (!this.#ended) {
      const event = this.#queue.shift();
      if (event !== undefined) return { done: false, value: event };
      if (performance.now() > this.#endsAt) break;
      const published = this.#nextPublished();
      if (!(await this.#read())) await published.rung;
      published.cancel();
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<OutboxEvent, undefined>> {
    this.#ended = true;
    this.#queue = [];
    tailsOf(this.#platform).delete(this);
    this.#wake();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads a batch; true when there was one. A database that is away is asked again. */
  async #read(): Promise<boolean> {
    try {
      const { events, position } = await readTail(this.#platform.database.pool, this.#workspaceId, this.#position);
      this.#position = position;
      this.#queue.push(...events.filter(({ type }) => this.#types.some((pattern) => namesEvent(pattern, type))));
      return events.length > 0;
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'events could not be read for a stream');
      return false;
    }
  }

  /** Heard from before the read on, so that nothing falls between. */
  #nextPublished(): { rung: Promise<void>; cancel: () => void } {
    let cancel = () => {};
    const rung = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookEveryMs);
      const silence = this.#platform.published.listen(resolve);
      this.#wake = resolve;
      cancel = () => {
        clearTimeout(timer);
        silence();
      };
    });
    return { rung, cancel };
  }
}

const processes = new WeakMap<Platform, Set<Tail>>();

/** The open streams of this process. */
function tailsOf(platform: Platform): Set<Tail> {
  let tails = processes.get(platform);
  if (tails === undefined) {
    const open = new Set<Tail>();
    platform.cache.onDrop((tag) => {
      for (const tail of open) if (tail.tag === tag) void tail.return();
    });
    processes.set(platform, open);
    tails = open;
  }
  return tails;
}

/** Ends the streams of this process; their readers come back elsewhere. */
export async function endTails(platform: Platform): Promise<void> {
  await Promise.all([...tailsOf(platform)].map((tail) => tail.return()));
}

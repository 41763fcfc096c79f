// The events of a workspace as they are published, for a terminal or a dashboard (CONTRACT.md 16). Streams that have caught up share
// one poller per workspace and process; a stream that is behind reads for itself, and what it has not taken waits in the database.
import { catalogOf } from '../../events/catalog.js';
import { namesEvent } from '../../events/pattern.js';
import {
  endOfPublications,
  isAfter,
  type Position,
  type PositionedEvent,
  type PublishedEvent,
  positionOfEvent,
  readPublished,
} from '../../events/publication.js';
import { tagsOf } from '../../platform/credential.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { type Mark, WorkspacePoller } from './workspace-poller.js';

export interface WorkspaceEventsInput {
  /** Types or wildcards; all when there are none. */
  types?: readonly string[] | null | undefined;
  /** Go on after this event. */
  after?: string | null | undefined;
}

// Gap G-80: The stream delivers at least once and ends after an hour or when its key changes; `after` resumes it for a day.
/**
 * Events published from now on, or after a given one: at least once each, in the order of their publication. Ends after an hour and when
 * the key behind it changes. 400 for a type that is in no catalog.
 */
export async function workspaceEvents(
  ctx: Ctx,
  { types, after }: WorkspaceEventsInput,
): Promise<AsyncIterableIterator<PublishedEvent, undefined>> {
  catalogOf(ctx).checkPatterns(types ?? [], () => ['types']);
  const patterns = types?.length ? types : ['*'];
  return followEvents(ctx, (type) => patterns.some((pattern) => namesEvent(pattern, type)), after);
}

/** Whether a stream shows events of a type. It is asked of the platform's own types too. */
export type Wanted = (type: string) => boolean;

/** Events of the types that are wanted, published from now on or after a given one. Ends as `workspaceEvents` does. */
export async function followEvents(
  ctx: Ctx,
  wanted: Wanted,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<PublishedEvent, undefined>> {
  const { pool } = ctx.platform.database;
  const resumed = after == null ? undefined : await positionOfEvent(pool, ctx.workspace.id, after);
  return streamsOf(ctx.platform).open(ctx, wanted, resumed ?? (await endOfPublications(pool, ctx.workspace.id)));
}

const longestMs = 3_600_000;
/** Events that may wait for a reader in this process. */
const mostWaiting = 1_000;
/** A reader that is behind and cannot read tries again after this. */
const retryMs = 500;

/** One stream. It is behind until it has read everything that is published; from then on the poller pushes to it. */
export class WorkspaceStream implements AsyncIterableIterator<PublishedEvent, undefined> {
  readonly #streams: WorkspaceStreams;
  readonly #workspaceId: string;
  readonly #wanted: Wanted;
  readonly #endsAt = performance.now() + longestMs;
  /** Everything up to here was queued, or is not wanted. */
  #position: Position;
  #behind = true;
  #queue: PublishedEvent[] = [];
  #ended = false;
  #wake: () => void = () => {};

  constructor(streams: WorkspaceStreams, workspaceId: string, wanted: Wanted, position: Position) {
    this.#streams = streams;
    this.#workspaceId = workspaceId;
    this.#wanted = wanted;
    this.#position = position;
  }

  async next(): Promise<IteratorResult<PublishedEvent, undefined>> {
    while (!this.#ended) {
      const event = this.#queue.shift();
      if (event !== undefined) return { done: false, value: event };
      if (performance.now() > this.#endsAt) break;
      if (this.#behind) await this.#catchUp();
      else await this.#woken(this.#endsAt - performance.now());
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<PublishedEvent, undefined>> {
    this.#ended = true;
    this.#queue = [];
    this.#streams.remove(this);
    this.#wake();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes what the poller has read. A reader that is too slow for it falls behind, and reads again when it has taken what waits. */
  push(events: readonly PositionedEvent[]): void {
    for (const { event, position } of events) {
      if (!isAfter(position, this.#position)) continue;
      if (this.#queue.length >= mostWaiting) {
        this.#behind = true;
        this.#streams.pollerOf(this.#workspaceId)?.remove(this);
        break;
      }
      this.#position = position;
      if (this.#wanted(event.type)) this.#queue.push(event);
    }
    if (this.#queue.length > 0) this.#wake();
  }

  /** Reads a batch for itself. When there is none, it is up to date and the poller takes over, unless that has pushed meanwhile. */
  async #catchUp(): Promise<void> {
    try {
      const before = this.#streams.pollerOf(this.#workspaceId)?.mark();
      const { events, position } = await this.#streams.read(this.#workspaceId, this.#position);
      if (this.#ended) return;
      if (isAfter(position, this.#position)) {
        this.push(events);
        this.#position = position;
      } else if (this.#streams.follow(this, this.#workspaceId, this.#position, before)) this.#behind = false;
    } catch (error) {
      this.#streams.warn(error);
      await this.#woken(retryMs);
    }
  }

  /** Resolves when something is queued, when the stream ends, and after `ms`. */
  #woken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const processes = new WeakMap<Platform, WorkspaceStreams>();

/** The open streams of this process. */
function streamsOf(platform: Platform): WorkspaceStreams {
  let streams = processes.get(platform);
  if (streams === undefined) {
    streams = new WorkspaceStreams(platform);
    processes.set(platform, streams);
  }
  return streams;
}

/** How many streams each poller of this process serves. */
export function polledStreams(platform: Platform): number[] {
  return streamsOf(platform).polled;
}

/** Ends the streams of this process; their readers come back elsewhere. */
export async function endWorkspaceStreams(platform: Platform): Promise<void> {
  await streamsOf(platform).end(() => true);
}

/** The streams of one process, with the credentials that they rest on, and the pollers of their workspaces. */
class WorkspaceStreams {
  readonly #platform: Platform;
  readonly #open = new Map<WorkspaceStream, readonly string[]>();
  readonly #pollers = new Map<string, WorkspacePoller>();

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.cache.onDrop((tag) => void this.end((tags) => tags.includes(tag)));
    // Tags that were dropped during an interruption have not reached this process.
    platform.cache.onNotice((notice) => {
      if (notice === null) void this.end(() => true);
    });
  }

  get polled(): number[] {
    return [...this.#pollers.values()].map(({ size }) => size);
  }

  open({ actor, workspace }: Ctx, wanted: Wanted, position: Position): WorkspaceStream {
    const stream = new WorkspaceStream(this, workspace.id, wanted, position);
    this.#open.set(stream, tagsOf(actor, workspace));
    return stream;
  }

  remove(stream: WorkspaceStream): void {
    this.#open.delete(stream);
    for (const poller of this.#pollers.values()) poller.remove(stream);
  }

  pollerOf(workspaceId: string): WorkspacePoller | undefined {
    return this.#pollers.get(workspaceId);
  }

  read(workspaceId: string, position: Position) {
    return readPublished(this.#platform.database.pool, workspaceId, position);
  }

  /**
   * Hands a stream that has found nothing after `position` to the poller of its workspace. `before` is the poller's mark from before
   * the stream has read: false when the poller has pushed since, because the stream may have missed that.
   */
  follow(stream: WorkspaceStream, workspaceId: string, position: Position, before: Mark | undefined): boolean {
    let poller = this.#pollers.get(workspaceId);
    if (poller === undefined) {
      poller = new WorkspacePoller(this.#platform, workspaceId, position, () => this.#pollers.delete(workspaceId));
      this.#pollers.set(workspaceId, poller);
    } else if (poller.mark() !== before) return false;
    poller.add(stream);
    return true;
  }

  warn(error: unknown): void {
    this.#platform.log.warn({ err: error }, 'events could not be read for a stream');
  }

  /** Ends the streams with such credentials. */
  async end(which: (tags: readonly string[]) => boolean): Promise<void> {
    await Promise.all([...this.#open].flatMap(([stream, tags]) => (which(tags) ? [stream.return()] : [])));
  }
}

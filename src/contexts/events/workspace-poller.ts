// Reads what is published in one workspace, once for all of its streams in this process that have caught up: when this process has
// published events, and twice a second for what other processes have published.
import { isAfter, type Position, type PositionedEvent, readPublished } from '../../events/publication.js';
import type { Platform } from '../../platform/ctx.js';

/** Takes what was read. */
interface Follower {
  push(events: readonly PositionedEvent[]): void;
}

/** Changes with every push of a poller. */
export type Mark = object;

const pollMs = 500;

export class WorkspacePoller {
  readonly #platform: Platform;
  readonly #workspaceId: string;
  readonly #followers = new Set<Follower>();
  readonly #stopped: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #silence: () => void;
  #position: Position;
  #mark: Mark = {};
  #reading = false;
  #rung = false;

  /** `stopped` is called when the last follower has gone. */
  constructor(platform: Platform, workspaceId: string, position: Position, stopped: () => void) {
    this.#platform = platform;
    this.#workspaceId = workspaceId;
    this.#position = position;
    this.#stopped = stopped;
    this.#timer = setInterval(() => void this.#poll(), pollMs).unref();
    this.#silence = platform.published.listen(() => void this.#poll());
  }

  /** How many followers it has. */
  get size(): number {
    return this.#followers.size;
  }

  /** The same as long as nothing is pushed. */
  mark(): Mark {
    return this.#mark;
  }

  /** Pushes to `follower` from now on. */
  add(follower: Follower): void {
    this.#followers.add(follower);
    // What was published since the follower has read.
    void this.#poll();
  }

  /** Ends the poller with its last follower. */
  remove(follower: Follower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    clearInterval(this.#timer);
    this.#silence();
    this.#stopped();
  }

  /** Reads until there is nothing more. What rings meanwhile is read too. */
  async #poll(): Promise<void> {
    this.#rung = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#rung && this.#followers.size > 0) {
        this.#rung = false;
        const { events, position } = await readPublished(this.#platform.database.pool, this.#workspaceId, this.#position);
        if (!isAfter(position, this.#position)) continue;
        this.#position = position;
        this.#mark = {};
        this.#rung = true;
        for (const follower of [...this.#followers]) follower.push(events);
      }
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'events could not be read for the streams of a workspace; the next poll tries again');
    } finally {
      this.#reading = false;
    }
  }
}

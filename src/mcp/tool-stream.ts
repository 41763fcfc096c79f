// The open streams of MCP in this process. Each looks at what its actor is offered when something changes that it may depend on, and says
// so when the list is another one. A stream ends with its credential, and after an hour.

import { leftCell } from '../platform/credential.js';
import type { Platform } from '../platform/ctx.js';
import { ApiError } from '../platform/errors.js';

// Gap G-389: A changed list of tools is announced within a second, or with the next heartbeat when only time changed it.
/** No stream looks more often, whatever happens. */
const leastGapMs = 200;
const longestMs = 3_600_000;

export interface StreamParts {
  platform: Platform;
  /** The cache tags that tell of a change. */
  tags: readonly string[];
  /** The agent whose channel tells of one. */
  agentId: string | undefined;
  /** The names of what is offered now. Throws when the credential has ended. */
  look: () => Promise<string>;
  /** Tells the client that the list is another one. */
  changed: () => Promise<void>;
  /** Ends the response. */
  end: () => void;
}

/** A stream that begins with the word that the list has changed: what changed before it was open is not missed. */
export class ToolStream {
  readonly #parts: StreamParts;
  readonly #timers: NodeJS.Timeout[];
  readonly #unsubscribe: () => void;
  #offered: string | undefined;
  #looking = false;
  #rung = false;
  #closed = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    const { platform, agentId } = parts;
    const ring = () => this.ring();
    // Time changes the list too: a day begins, a budget ends, a session is over.
    this.#timers = [setInterval(ring, platform.heartbeatMs).unref(), setTimeout(() => this.end(), longestMs).unref()];
    this.#unsubscribe = agentId === undefined ? () => {} : platform.fanout.subscribe(agentId, { item: ring, behind: ring });
    streamsOf(platform).add(this);
    this.ring();
  }

  get tags(): readonly string[] {
    return this.#parts.tags;
  }

  /** Something may have changed. */
  ring(): void {
    this.#rung = true;
    if (!this.#looking && !this.#closed) void this.#look();
  }

  /** Ends the stream from this side. */
  end(): void {
    if (this.#closed) return;
    this.close();
    this.#parts.end();
  }

  /** Lets go of everything: the response has ended. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#unsubscribe();
    streamsOf(this.#parts.platform).delete(this);
  }

  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#rung && !this.#closed) {
      this.#rung = false;
      try {
        const offered = await this.#parts.look();
        if (offered !== this.#offered && !this.#closed) {
          this.#offered = offered;
          await this.#parts.changed();
        }
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return this.end();
        this.#parts.platform.log.warn({ err: error }, 'the tools of a stream could not be looked at; the next look tries again');
      }
      await new Promise((resolve) => setTimeout(resolve, leastGapMs).unref());
    }
    this.#looking = false;
  }
}

const processes = new WeakMap<Platform, Set<ToolStream>>();

/** The open streams of the process. */
function streamsOf(platform: Platform): Set<ToolStream> {
  const known = processes.get(platform);
  if (known !== undefined) return known;
  const streams = new Set<ToolStream>();
  processes.set(platform, streams);
  platform.cache.onDrop((tag) => {
    for (const stream of [...streams].filter(({ tags }) => tags.includes(tag))) {
      if (tag.startsWith(leftCell)) stream.end();
      else stream.ring();
    }
  });
  // Tags that were dropped during an interruption have not reached this process.
  platform.cache.onNotice((notice) => {
    if (notice === null) for (const stream of streams) stream.ring();
  });
  return streams;
}

/** Ends the streams of this process; their clients come back elsewhere. */
export async function endToolStreams(platform: Platform): Promise<void> {
  for (const stream of [...streamsOf(platform)]) stream.end();
}

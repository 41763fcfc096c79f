// Tells the readers of every process that lines were written. PostgreSQL is the truth: what is told here only saves them
// from asking. Without Redis the transaction of the lines notifies; with it a stream carries the lines themselves, and
// whatever it loses is read from PostgreSQL (docs/architecture.md "Events").
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { CoherentCache } from './cache.js';
import { runIn, type Tx } from './database.js';
import type { Line } from './line.js';
import type { Logger } from './log.js';
import type { Redis } from './redis.js';

export interface Reader {
  /** A line, perhaps out of order, perhaps not for the first time. */
  line(line: Line): void;
  /** There may be lines that were not told; `seq`, where known, is the last of them. */
  behind(seq?: number): void;
}

interface FanoutParts {
  pool: pg.Pool;
  cache: CoherentCache;
  redis?: Redis | undefined;
  log: Logger;
}

const streamKey = 'agent-payments:fanout';
const streamLength = 10_000;
/** Notifications hold 8,000 bytes. */
const agentsPerNotice = 120;

const notify = { name: 'fanout-notify', text: `SELECT pg_notify('fanout', $1)::text` };

type Told = { sender: string; lines?: Line[]; seqs?: [string, number][]; ended?: string[]; wake?: true };

export class Fanout {
  readonly #readers = new Map<string, Set<Reader>>();
  /** Names this process among those that are told. */
  readonly sender = randomUUID().slice(0, 8);
  readonly #pool: pg.Pool;
  readonly #redis: Redis | undefined;
  readonly #tail: Redis | undefined;
  readonly #log: Logger;
  readonly #ended = new Set<(connectionId: string) => void>();
  readonly #woken = new Set<() => void>();
  #closed = false;

  constructor({ pool, cache, redis, log }: FanoutParts) {
    this.#pool = pool;
    this.#redis = redis;
    this.#log = log;
    cache.onNotice((notice) => (notice === null ? this.#doubt() : this.#hear(notice)));
    // The tail waits in XREAD, which the limits of a client for requests would cut.
    this.#tail = redis?.duplicate({ commandTimeout: undefined as never, maxRetriesPerRequest: null, enableOfflineQueue: true });
    this.#tail?.on('error', () => {});
    // What was told while the connection was down is lost with it, and all of it after a restart without persistence.
    this.#tail?.on('ready', () => this.#doubt());
    if (this.#tail !== undefined) void this.#follow(this.#tail);
  }

  /** Hands lines of an agent to `reader` until the answer is called. */
  subscribe(agentId: string, reader: Reader): () => void {
    const readers = this.#readers.get(agentId);
    if (readers === undefined) this.#readers.set(agentId, new Set([reader]));
    else readers.add(reader);
    return () => {
      const left = this.#readers.get(agentId);
      left?.delete(reader);
      if (left?.size === 0) this.#readers.delete(agentId);
    };
  }

  /**
   * Tells the other processes in the transaction of the lines, unless Redis will. What is returned is called after the commit:
   * it tells this process, and the others through Redis.
   */
  async announce(tx: Tx | pg.ClientBase, lines: readonly Line[]): Promise<() => void> {
    const throughRedis = this.#redis?.status === 'ready';
    if (!throughRedis) {
      for (const notice of this.#notices(lines)) await runIn(tx, notify, [notice]);
    }
    return () => {
      this.deliver(lines);
      if (throughRedis) this.#append(lines);
    };
  }

  /** Hands lines to the readers of this process. */
  deliver(lines: readonly Line[]): void {
    for (const line of lines) {
      const readers = this.#readers.get(line.agentId);
      if (readers !== undefined) for (const reader of readers) reader.line(line);
    }
  }

  /** Calls `listener` with a connection that another process has replaced. */
  onEnded(listener: (connectionId: string) => void): void {
    this.#ended.add(listener);
  }

  /** Wakes the workers of other processes: there is something in the outbox. */
  async wakeWorkers(): Promise<void> {
    await this.#pool.query({ ...notify, values: [JSON.stringify({ sender: this.sender, wake: true } satisfies Told)] });
  }

  onWake(listener: () => void): void {
    this.#woken.add(listener);
  }

  /** Lets go of Redis. A command that waits for a connection is never answered, so nobody waits for it either. */
  close(): void {
    this.#closed = true;
    this.#tail?.disconnect();
  }

  #notices(lines: readonly Line[]): string[] {
    const last = new Map<string, number>();
    for (const { agentId, seq } of lines) last.set(agentId, Math.max(seq, last.get(agentId) ?? 0));
    const seqs = [...last];
    const notices: string[] = [];
    for (let from = 0; from < seqs.length; from += agentsPerNotice) {
      notices.push(JSON.stringify({ sender: this.sender, seqs: seqs.slice(from, from + agentsPerNotice) } satisfies Told));
    }
    return notices;
  }

  #hear(text: string): void {
    const { sender, lines, seqs, ended, wake } = JSON.parse(text) as Told;
    if (sender === this.sender) return;
    if (lines !== undefined) this.deliver(lines);
    for (const [agentId, seq] of seqs ?? []) for (const reader of this.#readers.get(agentId) ?? []) reader.behind(seq);
    for (const id of ended ?? []) for (const listener of this.#ended) listener(id);
    if (wake) for (const listener of this.#woken) listener();
  }

  /** Something may have been missed by everybody. */
  #doubt(): void {
    for (const readers of this.#readers.values()) for (const reader of readers) reader.behind();
  }

  #append(lines: readonly Line[]): void {
    const told = JSON.stringify({ sender: this.sender, lines: [...lines] } satisfies Told);
    this.#redis
      ?.xadd(streamKey, 'MAXLEN', '~', streamLength, '*', 'told', told)
      .catch(() => Promise.all(this.#notices(lines).map((notice) => this.#pool.query({ ...notify, values: [notice] }))))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'lines were not told to other processes; their readers will ask'));
  }

  /** Reads the stream for ever. After an interruption everybody asks PostgreSQL, and the stream goes on from its end. */
  async #follow(tail: Redis): Promise<void> {
    for (let from: string | undefined; !this.#closed; ) {
      try {
        if (from === undefined) {
          const newest: [string, string[]][] = await tail.xrevrange(streamKey, '+', '-', 'COUNT', 1);
          from = newest[0]?.[0] ?? '0-0';
        }
        const found = (await tail.xread('COUNT', 100, 'BLOCK', 5_000, 'STREAMS', streamKey, from)) as
          | [string, [string, string[]][]][]
          | null;
        for (const [id, [, told = '']] of found?.[0]?.[1] ?? []) {
          from = id;
          this.#hear(told);
        }
      } catch {
        from = undefined;
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

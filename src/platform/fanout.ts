// Announces numbered items of a topic to the readers of every process. PostgreSQL has the items; an announcement only saves readers
// from asking. Without Redis the transaction that writes the items sends notifications; with it a stream carries the items themselves,
// and whatever that loses is read from PostgreSQL (docs/architecture.md "Events").
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { CoherentCache } from './cache.js';
import type { Logger } from './log.js';
import { runIn, type Tx } from './postgres/database.js';
import { openFollower, type Redis } from './redis.js';

/** One item of a topic. The channel of an agent is a topic, named by the agent's id. */
export interface FanoutItem {
  topic: string;
  /** Items of a topic are numbered without a hole, from 1. */
  seq: number;
  eventId: string;
  type: string;
  data: string;
}

export interface Reader {
  /** An item, perhaps out of order, perhaps not for the first time. */
  item(item: FanoutItem): void;
  /** There may be items that were not announced here; `seq`, where known, is the last of them. */
  behind(seq?: number): void;
}

interface FanoutParts {
  pool: pg.Pool;
  cache: CoherentCache;
  redis?: Redis | undefined;
  log: Logger;
  /** Its processes hear each other and no others; the first cell has none. */
  cell?: string;
}

const firstKey = 'agent-payments:fanout';
const streamLength = 10_000;
/** Notifications hold 8,000 bytes. */
const topicsPerNotice = 120;

const notify = { name: 'fanout-notify', text: `SELECT pg_notify('fanout', $1)::text` };

/** What processes send each other. */
type Notice = { sender: string; items?: FanoutItem[]; seqs?: [string, number][]; ended?: string[]; wake?: true };

export class Fanout {
  readonly #readers = new Map<string, Set<Reader>>();
  /** Names this process to the others. */
  readonly sender = randomUUID().slice(0, 8);
  readonly #pool: pg.Pool;
  readonly #redis: Redis | undefined;
  readonly #follower: Redis | undefined;
  readonly #log: Logger;
  readonly #key: string;
  readonly #ended = new Set<(connectionId: string) => void>();
  readonly #woken = new Set<() => void>();
  #closed = false;

  constructor({ pool, cache, redis, log, cell }: FanoutParts) {
    this.#key = cell === undefined ? firstKey : `${firstKey}:${cell}`;
    this.#pool = pool;
    this.#redis = redis;
    this.#log = log;
    cache.onNotice((notice) => (notice === null ? this.#checkAll() : this.#hear(notice)));
    this.#follower = redis && openFollower(redis);
    // What was announced while the connection was down is lost, and all of it after a restart without persistence.
    this.#follower?.on('ready', () => this.#checkAll());
    if (this.#follower !== undefined) void this.#follow(this.#follower);
  }

  /** Hands items of a topic to `reader` until the returned function is called. */
  subscribe(topic: string, reader: Reader): () => void {
    const readers = this.#readers.get(topic);
    if (readers === undefined) this.#readers.set(topic, new Set([reader]));
    else readers.add(reader);
    return () => {
      const left = this.#readers.get(topic);
      left?.delete(reader);
      if (left?.size === 0) this.#readers.delete(topic);
    };
  }

  /**
   * Announces items: without Redis to the other processes in the transaction that writes them. The returned function is called after
   * the commit: it hands them to the readers of this process, and with Redis to the other processes.
   */
  async announce(tx: Tx | pg.ClientBase, items: readonly FanoutItem[]): Promise<() => void> {
    const isNotified = this.notifier !== undefined;
    if (isNotified) {
      for (const notice of this.#notices(items)) await runIn(tx, notify, [notice]);
    }
    return () => this.hand(items, { isNotified });
  }

  /** In whose name the transaction that writes items notifies the other processes; undefined while Redis carries them. */
  get notifier(): string | undefined {
    return this.#redis?.status === 'ready' ? undefined : this.sender;
  }

  /** Hands items that were committed to the readers of this process, and through Redis to the other ones unless those were notified. */
  hand(items: readonly FanoutItem[], { isNotified }: { isNotified: boolean }): void {
    this.deliver(items);
    if (!isNotified && items.length > 0) this.#append(items);
  }

  /** Hands items to the readers of this process. */
  deliver(items: readonly FanoutItem[]): void {
    for (const item of items) {
      const readers = this.#readers.get(item.topic);
      if (readers !== undefined) for (const reader of readers) reader.item(item);
    }
  }

  /** Calls `listener` with a connection that another process has replaced. */
  onEnded(listener: (connectionId: string) => void): void {
    this.#ended.add(listener);
  }

  /** Wakes the workers of other processes: there is something in the outbox. */
  async wakeWorkers(): Promise<void> {
    await this.#pool.query({ ...notify, values: [JSON.stringify({ sender: this.sender, wake: true } satisfies Notice)] });
  }

  onWake(listener: () => void): void {
    this.#woken.add(listener);
  }

  /** Lets go of Redis. A command that waits for a connection is never answered, so nobody waits for it either. */
  close(): void {
    this.#closed = true;
    this.#follower?.disconnect();
  }

  #notices(items: readonly FanoutItem[]): string[] {
    const last = new Map<string, number>();
    for (const { topic, seq } of items) last.set(topic, Math.max(seq, last.get(topic) ?? 0));
    const seqs = [...last];
    const notices: string[] = [];
    for (let from = 0; from < seqs.length; from += topicsPerNotice) {
      notices.push(JSON.stringify({ sender: this.sender, seqs: seqs.slice(from, from + topicsPerNotice) } satisfies Notice));
    }
    return notices;
  }

  #hear(text: string): void {
    const { sender, items, seqs, ended, wake } = JSON.parse(text) as Notice;
    if (sender === this.sender) return;
    if (items !== undefined) this.deliver(items);
    for (const [topic, seq] of seqs ?? []) for (const reader of this.#readers.get(topic) ?? []) reader.behind(seq);
    for (const id of ended ?? []) for (const listener of this.#ended) listener(id);
    if (wake) for (const listener of this.#woken) listener();
  }

  /** Every reader may have missed something. */
  #checkAll(): void {
    for (const readers of this.#readers.values()) for (const reader of readers) reader.behind();
  }

  #append(items: readonly FanoutItem[]): void {
    const notice = JSON.stringify({ sender: this.sender, items: [...items] } satisfies Notice);
    this.#redis
      ?.xadd(this.#key, 'MAXLEN', '~', streamLength, '*', 'notice', notice)
      .catch(() => Promise.all(this.#notices(items).map((each) => this.#pool.query({ ...notify, values: [each] }))))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'items were not announced to other processes; their readers will ask'));
  }

  /** Reads the stream for ever. After an interruption everybody asks PostgreSQL, and the stream goes on from its end. */
  async #follow(follower: Redis): Promise<void> {
    for (let from: string | undefined; !this.#closed; ) {
      try {
        if (from === undefined) {
          const newest: [string, string[]][] = await follower.xrevrange(this.#key, '+', '-', 'COUNT', 1);
          from = newest[0]?.[0] ?? '0-0';
        }
        const found = (await follower.xread('COUNT', 100, 'BLOCK', 5_000, 'STREAMS', this.#key, from)) as
          | [string, [string, string[]][]][]
          | null;
        for (const [id, [, notice = '']] of found?.[0]?.[1] ?? []) {
          from = id;
          this.#hear(notice);
        }
      } catch {
        from = undefined;
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

// Facts read for every request (credentials, caps) kept in the process, dropped at once when any process changes them:
// the database notifies on channel `cache` (triggers), and while nobody listens nothing is kept (CONTRACT.md 5). A listener that has
// fallen silent is noticed within 5 s.
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Logger } from './log.js';
import { sizeOf } from './size.js';

/** How often the listening connection is asked whether it is alive, and how long it may take to answer. */
const pingEveryMs = 3_000;
const answerMs = 2_000;
/** Gap G-15: What is cached of a credential is at most a minute old; a revocation drops it at once. */
const maxAgeMs = 60_000;
/** Entries that are too old leave the memory this often, asked for or not. */
const sweepEveryMs = 10_000;
/** What is kept is small, but for the rules and scopes that tenants write: the bytes are what bounds it. */
const mostEntries = 50_000;
const mostBytes = 64 * 1024 * 1024;

/** The tag of every entry. */
const everything = '*';

interface Entry {
  value: unknown;
  tags: readonly string[];
}

/**
 * A cache whose entries carry tags such as `agent:<uuid>`. A notification with a tag drops every entry that carries it.
 * A load that was under way when a drop arrived is not kept: it may have read what was just changed.
 */
export class CoherentCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #byTag = new Map<string, Set<string>>();
  readonly #url: string;
  readonly #log: Logger;
  #listener: pg.Client | undefined;
  #listening = false;
  #closed = false;
  #generation = 0;
  #retry: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  readonly #dropped = new Set<(tag: string) => void>();
  readonly #noticed = new Set<(notice: string | null) => void>();

  constructor(url: string, log: Logger, { maxBytes = mostBytes, perf = performance as Pick<Performance, 'now'> } = {}) {
    this.#url = url;
    this.#log = log;
    this.#entries = new LRUCache({
      max: mostEntries,
      maxSize: maxBytes,
      sizeCalculation: (entry, key) => sizeOf(key) + sizeOf(entry),
      ttl: maxAgeMs,
      // The time is read at each question: what the cache remembers of it by a timer may be old on a busy process.
      ttlResolution: 0,
      perf,
      dispose: (entry, key) => this.#untag(entry, key),
    });
  }

  /** What is kept now. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#entries.size, bytes: this.#entries.calculatedSize };
  }

  /** False while changes may be missed. */
  get isListening(): boolean {
    return this.#listening;
  }

  /** Lets go of what is too old. */
  sweep(): void {
    this.#entries.purgeStale();
  }

  /** Starts listening. Returns when the channel is open. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'cache',
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    });
    let down = false;
    let ping: NodeJS.Timeout | undefined;
    const lost = () => {
      if (down) return;
      down = true;
      clearTimeout(ping);
      this.#listening = false;
      this.clear();
      client.removeAllListeners('notification');
      // Not `end()`: a server that does not answer would not answer a farewell either.
      client.connection.stream.destroy();
      if (!this.#closed)
        this.#retry = setTimeout(() => void this.open().catch((error) => this.#log.warn({ err: error }, 'cache listener is down')), 500);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload = '' }) => (channel === 'cache' ? this.drop(payload) : this.#tell(payload)));
    try {
      await client.connect();
      await client.query('LISTEN cache; LISTEN fanout');
    } catch (error) {
      lost();
      throw error;
    }
    this.#listener = client;
    this.#listening = !down;
    this.#sweeping ??= setInterval(() => this.sweep(), sweepEveryMs).unref();
    this.clear();
    this.#tell(null);
    // A connection can die without a word (a firewall, a failover). What it did not deliver would be missed for ever.
    const pingLater = () => {
      if (!down) ping = setTimeout(() => client.query('SELECT 1').then(pingLater, lost), pingEveryMs).unref();
    };
    pingLater();
  }

  /** The kept value of `key`, or what `load` finds. Null and undefined are not kept. */
  async get<T>(key: string, load: () => Promise<{ value: T; tags: readonly string[] }>): Promise<T> {
    const kept = this.peek<T>(key);
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const { value, tags } = await load();
    if (this.#listening && generation === this.#generation && value !== null && value !== undefined) this.#keep(key, { value, tags });
    return value;
  }

  /** The kept value, without a load. */
  peek<T>(key: string): T | undefined {
    return this.#entries.get(key)?.value as T | undefined;
  }

  /** Drops every entry that carries `tag`, all of them for `*`, in this process; other processes are told by the database. */
  drop(tag: string): void {
    if (tag === everything) {
      this.clear();
      return;
    }
    this.#generation += 1;
    for (const key of [...(this.#byTag.get(tag) ?? [])]) this.#entries.delete(key);
    for (const listener of this.#dropped) listener(tag);
  }

  /** Calls `listener` with every tag that is dropped, by this process or another. */
  onDrop(listener: (tag: string) => void): void {
    this.#dropped.add(listener);
  }

  /** Calls `listener` with what any process notifies on channel `fanout`; null after an interruption, in which some may be lost. */
  onNotice(listener: (notice: string | null) => void): void {
    this.#noticed.add(listener);
  }

  #tell(notice: string | null): void {
    for (const listener of this.#noticed) listener(notice);
  }

  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#sweeping);
    await this.#listener?.end().catch(() => {});
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    // One that is larger than the whole cache is not kept.
    if (!this.#entries.has(key)) return;
    for (const tag of entry.tags) {
      const keys = this.#byTag.get(tag);
      if (keys === undefined) this.#byTag.set(tag, new Set([key]));
      else keys.add(key);
    }
  }

  #untag(entry: Entry, key: string): void {
    for (const tag of entry.tags) {
      const keys = this.#byTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#byTag.delete(tag);
    }
  }
}

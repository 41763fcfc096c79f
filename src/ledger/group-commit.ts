// Group commit: postings that arrive in one turn of the event loop, or while statements are under way, go together in the next one, and each
// caller gets its own verdict. Nothing waits for a timer: a set leaves as soon as one of the slots is free. The queue is bounded in length and in time.
import { recordsAt } from '../events/event.js';
import { Overloaded } from '../platform/errors.js';
import type { Database } from '../platform/postgres/database.js';
import { changedNothing, hasMovedAway, isUnavailable, retrySerialization } from '../platform/postgres/failure.js';
import { shardOf } from '../platform/shard.js';
import { changeSubject, claimSubject, concerns, type Fault, PostingRefused } from './fault.js';
import { checkPosting, type Posting } from './posting.js';
import { setSizes, waits } from './posting-metric.js';
import { encodeSet } from './posting-set.js';
import { postEach, postSet, valuesOf } from './statement.js';

/** Statements under way at once, and the most postings in one. */
const slots = 2;
const largestSet = 100;
// Gap G-71: In one process 2,000 postings wait, each at most 10 s; beyond either limit 503 `overloaded`, and nothing was sent.
/** Postings that wait in one shard of one process. At 5,000 a second they are sent within half a second. */
const longestQueue = 2_000;
/** Milliseconds that a posting waits for its statement to be sent, unless it says otherwise. */
const patienceMs = 10_000;

interface Waiting {
  posting: Posting;
  /** Times of performance.now(): when it came, and when its first set was sent; and how many were in that. */
  since: number;
  sentAt: number;
  setSize: number;
  /** Time of performance.now() after which it is not sent any more. */
  deadline: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

class Collector {
  readonly #database: Database;
  #queue: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;
  #expiry: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  add(waiting: Waiting): void {
    if (this.#queue.length >= longestQueue) {
      waiting.reject(new Overloaded());
      return;
    }
    this.#queue.push(waiting);
    if (this.#underWay >= slots) {
      this.#expireLater();
      return;
    }
    // What arrives in the same turn of the loop goes together.
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#underWay < slots) {
      const set = this.#take();
      if (set.length === 0) return;
      this.#underWay += 1;
      void this.#send(set).finally(() => {
        this.#underWay -= 1;
        this.#flush();
      });
    }
    this.#expireLater();
  }

  /** The next set: the oldest postings whose claims and changes differ. One with a claim of the set waits for the next, which refuses it. */
  #take(): Waiting[] {
    this.#expire();
    const set: Waiting[] = [];
    const passedOver: Waiting[] = [];
    const claimed = new Set<string>();
    let looked = 0;
    for (; looked < this.#queue.length && set.length < largestSet; looked += 1) {
      const waiting = this.#queue[looked] as Waiting;
      const subjects = subjectsOf(waiting.posting);
      if (subjects.some((subject) => claimed.has(subject))) passedOver.push(waiting);
      else {
        for (const subject of subjects) claimed.add(subject);
        set.push(waiting);
      }
    }
    this.#queue = [...passedOver, ...this.#queue.slice(looked)];
    return set;
  }

  /** Refuses what has waited too long. It was never sent, so it certainly had no effect. */
  #expire(): void {
    const now = performance.now();
    if (this.#queue.every(({ deadline }) => deadline > now)) return;
    const late = this.#queue.filter(({ deadline }) => deadline <= now);
    this.#queue = this.#queue.filter(({ deadline }) => deadline > now);
    for (const { reject } of late) reject(new Overloaded());
  }

  /** Statements that hang must not keep the queue waiting beyond its deadlines. */
  #expireLater(): void {
    if (this.#expiry !== undefined || this.#queue.length === 0) return;
    const next = Math.min(...this.#queue.map(({ deadline }) => deadline));
    this.#expiry = setTimeout(
      () => {
        this.#expiry = undefined;
        this.#expire();
        this.#expireLater();
      },
      Math.max(1, next - performance.now()),
    ).unref();
  }

  async #send(set: Waiting[]): Promise<void> {
    try {
      const faults = await this.#post(set);
      if (faults.length === 0) for (const { resolve } of set) resolve();
      else await this.#sort(set, faults);
    } catch (error) {
      await this.#halve(set, error);
    }
  }

  /**
   * Sends those that no fault concerns again as a set, then the others one by one: faults of a set are about its sums, and alone a
   * posting may pass, or is refused with its own numbers.
   */
  async #sort(set: Waiting[], faults: readonly Fault[]): Promise<void> {
    const touched = new Set(set.filter(({ posting }) => faults.some((fault) => concerns(fault, posting))));
    const [first] = set;
    if (touched.size === 0) throw new Error(`faults that concern no posting of their set: ${JSON.stringify(faults)}`);
    if (set.length === 1) {
      first?.reject(new PostingRefused(faults));
      return;
    }
    const rest = set.filter((waiting) => !touched.has(waiting));
    if (rest.length > 0) await this.#send(rest);
    await this.#oneByOne([...touched]);
  }

  async #oneByOne(contenders: Waiting[]): Promise<void> {
    try {
      const sets = JSON.stringify(contenders.map(({ posting }) => encodeSet([posting])));
      const { rows } = await retrySerialization(() => this.#database.pool.query<Fault & { n: number }>({ ...postEach, values: [sets] }));
      contenders.forEach(({ resolve, reject }, index) => {
        const faults = rows.filter(({ n }) => n === index);
        if (faults.length === 0) resolve();
        else reject(new PostingRefused(faults));
      });
    } catch (error) {
      await this.#halve(contenders, error);
    }
  }

  /**
   * A statement that failed has changed nothing, so its set is halved until the faulty posting stands alone and only that one fails: one of
   * a tenant that has moved away as well.
   * After a lost connection nobody knows: the callers get the error, and their idempotency keys make the next try safe.
   */
  async #halve(set: Waiting[], error: unknown): Promise<void> {
    if (set.length === 1 || (isUnavailable(error) && !hasMovedAway(error))) {
      for (const { reject } of set) reject(error);
      return;
    }
    const middle = set.length >> 1;
    await this.#send(set.slice(0, middle));
    await this.#send(set.slice(middle));
  }

  async #post(set: readonly Waiting[]): Promise<Fault[]> {
    noteSending(set);
    const values = valuesOf(encodeSet(set.map(({ posting }) => posting)));
    const { rows } = await retrySerialization(() => this.#database.pool.query<Fault>({ ...postSet, values }));
    return rows;
  }
}

/** What one posting of a set alone may have. */
function subjectsOf({ workspaceId, claims, changes }: Posting): string[] {
  const subjects = claims.map((claim) => claimSubject(workspaceId, claim));
  return changes === undefined ? subjects : [...subjects, ...changes.map((change) => changeSubject(workspaceId, change))];
}

/** What the first sending of postings says of them: those of a set that is sorted or halved are sent again. */
function noteSending(set: readonly Waiting[]): void {
  if (set[0] === undefined || set[0].sentAt > 0) return;
  const now = performance.now();
  setSizes.observe(set.length);
  for (const waiting of set) {
    waiting.sentAt = now;
    waiting.setSize = set.length;
    waits.observe((now - waiting.since) / 1_000);
  }
}

const collectors = new WeakMap<Database, Map<number, Collector>>();

/** One collector for each database and shard. */
function collectorOf(database: Database, workspaceId: string): Collector {
  let ofDatabase = collectors.get(database);
  if (ofDatabase === undefined) {
    ofDatabase = new Map();
    collectors.set(database, ofDatabase);
  }
  const shard = shardOf(workspaceId);
  let collector = ofDatabase.get(shard);
  if (collector === undefined) {
    collector = new Collector(database);
    ofDatabase.set(shard, collector);
  }
  return collector;
}

/**
 * Posts in a statement of its own, together with whatever else is waiting. Resolves when it is committed. Throws PostingRefused with
 * every fault, or 503 `overloaded` when it could not be sent within `withinMs`; neither has an effect.
 */
export async function postGrouped(database: Database, value: Posting, { withinMs = patienceMs } = {}): Promise<void> {
  checkPosting(value);
  const collector = collectorOf(database, value.workspaceId);
  const span = value.span?.below('posting');
  const posting = span === undefined ? value : { ...value, records: recordsAt(value.records, span.place) };
  value.effect?.begin();
  const since = performance.now();
  const waiting = { posting, since, sentAt: 0, setSize: 0, deadline: since + withinMs };
  try {
    await new Promise<void>((resolve, reject) => collector.add(Object.assign(waiting, { resolve, reject })));
  } catch (error) {
    if (error instanceof PostingRefused || changedNothing(error)) value.effect?.undo();
    span?.fail(error);
    throw error;
  } finally {
    if (span !== undefined) {
      const waitMs = (waiting.sentAt || performance.now()) - since;
      span.set({ 'payments.posting.set_size': waiting.setSize, 'payments.posting.wait_ms': waitMs });
      span.end();
    }
  }
  database.written.ring();
}

// Group commit: postings that arrive while a statement is under way go together in the next one, and each caller gets its
// own verdict. Never waits for more to come: a set leaves as soon as one of the slots is free.
import { type Database, isConnectionFailure, retrySerialization } from '../platform/database.js';
import { IdempotencyInFlight } from '../platform/idempotency.js';
import { IdempotencyDone, refusalError } from './errors.js';
import { checkPosting, type Posting } from './posting.js';
import { counterKey, encodeSet, type Fault, postEach, postSet, spenderKey, spendersOf } from './posting-set.js';

/** Statements under way at once, and the most postings in one. */
const slots = 2;
const largestSet = 100;

interface Waiting {
  posting: Posting;
  resolve: () => void;
  reject: (error: unknown) => void;
}

class Collector {
  readonly #database: Database;
  #queue: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(database: Database) {
    this.#database = database;
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting);
    if (this.#underWay === 0) {
      this.#flush();
      return;
    }
    // Something is under way already: let what arrives in the same turn of the loop go together.
    if (this.#scheduled || this.#underWay >= slots) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#underWay < slots && this.#queue.length > 0) {
      const set = this.#queue.splice(0, largestSet);
      this.#underWay += 1;
      void this.#send(set).finally(() => {
        this.#underWay -= 1;
        this.#flush();
      });
    }
  }

  async #send(set: Waiting[]): Promise<void> {
    try {
      const faults = await this.#post(set);
      if (faults.length === 0) for (const { resolve } of set) resolve();
      else await this.#sort(set, faults);
    } catch (error) {
      await this.#alone(set, error);
    }
  }

  /** Tells those that are refused whatever the others do, sends the untouched again as a set, then the others one by one. */
  async #sort(set: Waiting[], faults: readonly Fault[]): Promise<void> {
    const spenders = [...spendersOf(set.map(({ posting }) => posting)).keys()];
    const rest: Waiting[] = [];
    const contenders: Waiting[] = [];
    for (const waiting of set) {
      const mine = faults.filter((fault) => stops(fault, waiting.posting, spenders));
      const final = mine.find(({ refusal }) => set.length === 1 || !contended.has(refusal));
      if (final !== undefined) waiting.reject(refusalError(final, waiting.posting));
      else if (mine.length > 0) contenders.push(waiting);
      else rest.push(waiting);
    }
    if (rest.length > 0) await this.#send(rest);
    if (contenders.length > 0) await this.#oneByOne(contenders);
  }

  async #oneByOne(contenders: Waiting[]): Promise<void> {
    try {
      const sets = JSON.stringify(contenders.map(({ posting }) => encodeSet([posting])));
      const { rows } = await retrySerialization(() =>
        this.#database.pool.query<Fault & { n: number }>({ name: 'ledger_post_each', text: postEach, values: [sets] }),
      );
      const refused = new Map(rows.reverse().map((fault) => [fault.n, fault]));
      contenders.forEach(({ posting, resolve, reject }, n) => {
        const fault = refused.get(n);
        if (fault === undefined) resolve();
        else reject(refusalError(fault, posting));
      });
    } catch (error) {
      await this.#alone(contenders, error);
    }
  }

  /**
   * A statement that failed has changed nothing, so each posting is tried alone and only the faulty one fails. After a lost
   * connection nobody knows: the callers are told, and their idempotency keys make the next try safe.
   */
  async #alone(set: Waiting[], error: unknown): Promise<void> {
    if (set.length === 1 || isConnectionFailure(error)) for (const { reject } of set) reject(error);
    else for (const waiting of set) await this.#send([waiting]);
  }

  async #post(set: readonly Waiting[]): Promise<Fault[]> {
    const values = encodeSet(set.map(({ posting }) => posting));
    const { rows } = await retrySerialization(() => this.#database.pool.query<Fault>({ name: 'ledger_post', text: postSet, values }));
    return rows;
  }
}

/** Refusals that come of the sum of a set, or of another's claim to an account: alone, a posting may still pass. */
const contended = new Set(['insufficient_balance', 'limit_exceeded', 'balance_too_large', 'not_found']);

function stops({ kind, subject, refusal }: Fault, posting: Posting, spenders: readonly string[]): boolean {
  switch (kind) {
    case 'account':
      return posting.legs.some(
        ({ accountId, amount }) =>
          accountId === subject && (amount < 0n || (refusal !== 'insufficient_balance' && refusal !== 'wallet_frozen')),
      );
    case 'spender':
      return spenders[Number(subject)] === spenderKey(posting);
    case 'limit':
      return posting.limits.some((use) => counterKey(posting.workspaceId, use) === subject);
    case 'claim':
      return posting.claim?.key.id.toString('hex') === subject;
    case 'reference':
      return posting.transfer?.reference != null && `${posting.workspaceId} ${posting.transfer.reference}` === subject;
  }
}

const collectors = new WeakMap<Database, Collector>();

/**
 * Posts in a statement of its own, together with whatever else is waiting. Resolves when it is committed; throws the refusal
 * as an error of the contract, 409 `idempotency_in_flight` when another process finished the same key meanwhile.
 */
export async function postGrouped(database: Database, value: Posting): Promise<void> {
  checkPosting(value);
  let collector = collectors.get(database);
  if (collector === undefined) {
    collector = new Collector(database);
    collectors.set(database, collector);
  }
  const to = collector;
  try {
    await new Promise<void>((resolve, reject) => to.add({ posting: value, resolve, reject }));
  } catch (error) {
    throw error instanceof IdempotencyDone ? new IdempotencyInFlight() : error;
  }
  if (value.claim !== undefined) value.claim.key.recorded = true;
  database.written.ring();
}

// Checks what the platform says of a payment without taking its word: signatures, the place in the log, and that the log only grew since it was
// last looked at. A platform that shows each reader another log, or yesterday's, is found out by whoever keeps its heads.
import type { Client } from './client.js';
import { type ApiError, refusalOf } from './error.js';
import { type Trust, type Verdict, verifyPack } from './generated/verify/verify.js';

/** Where the newest head is kept between two runs of a program, such as a file of its own for each workspace. */
export interface HeadStore {
  /** The checkpoint that was written last. */
  read(): Promise<string | undefined>;
  write(checkpoint: string): Promise<void>;
}

/** A JWK Set (RFC 7517). */
export interface JwkSet {
  readonly keys: readonly object[];
}

export interface ReceiptCheckOptions {
  /** Keys of the log that you know, as `GET /v1/evidence` lists them. Without one the first answer is believed as to its keys. */
  vkeys?: readonly string[];
  /** The JWK Set of the platform that you know; by default the one that it publishes. */
  jwks?: JwkSet;
  /** Without one heads are kept in memory. */
  store?: HeadStore;
}

/** A payment that is proven. */
export interface CheckedReceipt {
  transferId: string;
  /** The receipt: what the platform has signed of the payment, for ever. */
  receiptJws: string;
  /** What was paid, as its leaf in the log says; undefined where the caller may not see it. */
  money: Readonly<Record<string, unknown>> | undefined;
  /** Its place in the log. */
  leafIndex: bigint;
  /** The head under which it is proven, which is kept. */
  head: { origin: string; size: bigint; checkpoint: string };
  /** The whole proof, for whoever wants to check it again: the file that `agent-payments-verify` takes. */
  pack: string;
}

/**
 * Why an answer is not believed. `smaller_head`: the log has fewer leaves than it had. `forked`: as many, and others. `inconsistent`: it does
 * not continue what was seen, or does not prove that it does. `other_log`: it has another name; a log that was renewed after a loss has, and
 * its operator says so. `other_transfer`: something else is proven than what was asked for. `broken`: the proof does not hold, at `leg`.
 */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError';
  readonly reason: 'smaller_head' | 'forked' | 'inconsistent' | 'other_log' | 'other_transfer' | 'broken';
  /** Such as `inclusion` or `receipt`, as `agent-payments-verify` names them. */
  readonly leg: string | undefined;

  constructor(reason: EvidenceError['reason'], message: string, leg?: string) {
    super(message);
    this.reason = reason;
    this.leg = leg;
  }
}

type Whole = Extract<Verdict, { outcome: 'anchored' | 'own' }>;

/** A head that was seen. */
interface SeenHead {
  origin: string;
  size: bigint;
  checkpoint: string;
}

/** Checks receipts of one workspace, one after the other: each answer has to continue the one before. */
export class ReceiptCheck {
  readonly #client: Client;
  readonly #options: ReceiptCheckOptions;
  #newest: SeenHead | undefined;
  #jwks: JwkSet | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: Client, options: ReceiptCheckOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.#jwks = options.jwks;
  }

  /**
   * Fetches the proof of a completed transfer and checks it. Throws EvidenceError where it is not to be believed, and ApiError where the platform
   * refuses it, such as 409 for a transfer that is not completed.
   */
  check(transferId: string): Promise<CheckedReceipt> {
    const next = this.#last.then(() => this.#checkNext(transferId));
    this.#last = next.catch(() => {});
    return next;
  }

  async #checkNext(transferId: string): Promise<CheckedReceipt> {
    const seen = await this.#seen();
    const text = await this.#fetchPack(transferId, seen);
    const whole = await this.#verify(text, seen);
    if (bare(whole.pack.transferId) !== bare(transferId))
      throw new EvidenceError('other_transfer', `What is proven is ${whole.pack.transferId}, and not ${transferId}.`);
    const head = { origin: whole.head.origin, size: whole.head.size, checkpoint: String(whole.pack.checkpoint) };
    if (seen !== undefined) mustFollow(seen, head, whole);
    this.#newest = head;
    if (seen === undefined || head.size > seen.size) await this.#options.store?.write(head.checkpoint);
    return {
      transferId: whole.pack.transferId,
      receiptJws: String(whole.pack.attached['receipt_jws']),
      money: whole.paid.money as CheckedReceipt['money'],
      leafIndex: whole.paid.leaf.index,
      head,
      pack: text,
    };
  }

  /** The larger one of what is in memory and in the store, which other processes may write too. */
  async #seen(): Promise<SeenHead | undefined> {
    const stored = readHead(await this.#options.store?.read());
    const own = this.#newest;
    return own === undefined || (stored !== undefined && stored.size > own.size) ? stored : own;
  }

  async #fetchPack(transferId: string, seen: SeenHead | undefined): Promise<string> {
    const from = seen === undefined ? '' : `?from_size=${seen.size}`;
    const response = await this.#client.fetch(`/v1/transfers/${encodeURIComponent(transferId)}/evidence${from}`);
    const text = await response.text();
    if (response.ok) return text;
    const refusal = refusalOf(response.status, parsed(text), response.headers.get('X-Request-Id') ?? undefined);
    if (seen !== undefined && isAboutFrom(refusal))
      throw new EvidenceError('smaller_head', `The log had ${seen.size} leaves when it was last looked at, and has fewer now.`);
    throw refusal;
  }

  async #verify(text: string, seen: SeenHead | undefined): Promise<Whole> {
    const { vkeys = [], jwks } = this.#options;
    const judge = (keys: JwkSet) =>
      verifyPack(text, { vkeys, heads: seen === undefined ? [] : [seen.checkpoint], jwks: keys as unknown as NonNullable<Trust['jwks']> });
    this.#jwks ??= await this.#publishedKeys();
    let verdict = judge(this.#jwks);
    if (verdict.outcome === 'broken' && verdict.leg === 'receipt' && jwks === undefined) {
      // The platform may have got a key since.
      this.#jwks = await this.#publishedKeys();
      verdict = judge(this.#jwks);
    }
    if (verdict.outcome === 'unreadable') throw new EvidenceError('broken', `The answer cannot be read: ${verdict.message}.`, 'format');
    if (verdict.outcome === 'broken') {
      const { leg, message } = verdict;
      throw new EvidenceError(leg === 'consistency' ? reasonOf(seen, text) : 'broken', `The proof breaks at ${leg}: ${message}.`, leg);
    }
    return verdict;
  }

  async #publishedKeys(): Promise<JwkSet> {
    const response = await this.#client.fetch('/.well-known/jwks.json');
    const keys = parsed(await response.text());
    if (!response.ok) throw refusalOf(response.status, keys, response.headers.get('X-Request-Id') ?? undefined);
    return keys as JwkSet;
  }
}

/** Throws unless a head comes after one that was seen, and was proven to. */
function mustFollow(seen: SeenHead, head: SeenHead, { pack: { consistency } }: Whole): void {
  if (head.size < seen.size)
    throw new EvidenceError(
      'smaller_head',
      `The log had ${seen.size} leaves when it was last looked at, and has ${head.size} now.`,
      'head',
    );
  if (head.size > seen.size && consistency?.from !== seen.size)
    throw new EvidenceError('inconsistent', 'Nothing proves that the log continues the one that was last looked at.', 'consistency');
}

/** What is wrong with a head that does not follow from the one that was seen. */
function reasonOf(seen: SeenHead | undefined, text: string): EvidenceError['reason'] {
  const head = readHead((parsed(text) as { checkpoint?: unknown }).checkpoint);
  if (head?.origin !== seen?.origin) return 'other_log';
  return head?.size === seen?.size ? 'forked' : 'inconsistent';
}

/** The first two lines of a checkpoint; it has been checked, or is about to be. */
function readHead(checkpoint: unknown): SeenHead | undefined {
  if (typeof checkpoint !== 'string') return undefined;
  const [origin = '', size = ''] = checkpoint.split('\n');
  if (!/^\d{1,19}$/.test(size)) throw new TypeError('What the store has kept is no checkpoint.');
  return { origin, size: BigInt(size), checkpoint };
}

const bare = (transferId: string): string => transferId.replace(/^tx_/, '');

function isAboutFrom({ status, details }: ApiError): boolean {
  return status === 400 && (details.fields ?? []).some(({ path }) => path === 'from_size');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// One key, one effect (CONTRACT.md 0 "Idempotency"). The first run is tried at once: the row that makes the key exact is
// written in the transaction of the effect, so a second run cannot have one. Only a run that fails asks whether the key has
// been used before, and is then answered with what the first one made. A fresh request so costs no query for its key.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { addSeconds } from '../platform/clock.js';
import type { Ctx, Platform } from '../platform/ctx.js';
import { ValidationFailed } from '../platform/errors.js';
import { type IdempotencyClaim, IdempotencyInFlight, IdempotencyKeyReused } from '../platform/idempotency.js';
import { Batch } from './batch.js';

export interface Answer {
  status: number;
  /** Ready for JSON.stringify, or JSON text already: what a replay reads from the store is text. */
  body: unknown;
  /** The body without its secrets, as a replay may print it. Undefined: a replay renders from the reference instead. */
  secretless: () => unknown;
  replayed?: true;
}

interface KeyedRequest {
  /** The header as it came; undefined where it is to be ignored. */
  key: string | undefined;
  operation: string;
  /** What the fingerprint is taken of: plain JSON. */
  content: unknown;
}

/** Wraps a mutation. `run` is called again when a replay renders from its reference: it must have no effect of its own. */
export type Idempotency = (ctx: Ctx, request: KeyedRequest, run: () => Promise<Answer>) => Promise<Answer>;

const lifetimeSeconds = 86_400;
/** Bodies that wait to be stored; beyond it replays render from the reference. */
const mostBodies = 5_000;

/** The key that the header carries, quoted or not. 400 unless it has 1 to 255 printable characters. */
function readIdempotencyKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(["\\])/g, '$1');
  if (!/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw new ValidationFailed([{ path: ['Idempotency-Key'], message: 'must have 1 to 255 printable ASCII characters', rule: 'format' }]);
  }
  return key;
}

function digest(text: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(text).digest() as Buffer<ArrayBuffer>;
}

function claimOf(ctx: Ctx, key: string, { operation, content }: KeyedRequest): IdempotencyClaim {
  const { actor, workspace, platform } = ctx;
  return {
    id: digest([workspace.id, actor.type, actor.id, operation, key].join('\n')),
    fingerprint: digest(canonicalize(content) ?? ''),
    expiresAt: addSeconds(platform.clock.now(), lifetimeSeconds),
    recorded: false,
  };
}

interface KeyRow {
  id: Buffer;
  fingerprint: Buffer;
  reference: string;
  status: number | null;
  body: string | null;
  expires_at: Date;
}

interface StoredBody {
  id: Buffer;
  status: number;
  secretless: () => unknown;
}

type Outcome = { answer: Answer } | { error: unknown };

const settled = (outcome: Outcome): Answer => {
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
};
const succeeded = (outcome: Outcome): outcome is { answer: Answer } => 'answer' in outcome && outcome.answer.status < 300;

async function attempt(run: () => Promise<Answer>): Promise<Outcome> {
  try {
    return { answer: await run() };
  } catch (error) {
    return { error };
  }
}

/** The keys of one process. */
export class IdempotencyKeys {
  readonly #platform: Platform;
  readonly #inFlight = new Set<string>();
  readonly #rows: Batch<Buffer, KeyRow | undefined>;
  readonly #bodies: Batch<StoredBody, undefined>;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#rows = new Batch((ids) => this.#readRows(ids));
    this.#bodies = new Batch((bodies) => this.#writeBodies(bodies));
  }

  /**
   * Runs a mutation under its key. Without a key, and for anonymous callers, it just runs (Gap G-13).
   * 400 for a key that is none, 409 `idempotency_in_flight` while the same key runs, 422 `idempotency_key_reused`.
   */
  readonly run: Idempotency = async (ctx, request, work) => {
    if (request.key === undefined || ctx.actor.type === 'anonymous') return work();
    const claim = claimOf(ctx, readIdempotencyKey(request.key), request);
    const name = claim.id.toString('latin1');
    if (this.#inFlight.has(name)) throw new IdempotencyInFlight();
    this.#inFlight.add(name);
    try {
      return await this.#once(ctx, claim, work, request.operation);
    } finally {
      this.#inFlight.delete(name);
    }
  };

  /** Returns when every rendered body has been stored. */
  async close(): Promise<void> {
    await this.#bodies.drain();
  }

  async #once(ctx: Ctx, claim: IdempotencyClaim, work: () => Promise<Answer>, operation: string): Promise<Answer> {
    ctx.idempotency = claim;
    const first = await attempt(work);
    if (succeeded(first)) {
      if (claim.recorded) this.#keep(claim, first.answer);
      else ctx.log.error({ operation }, 'a mutation took effect without recording its Idempotency-Key');
      return first.answer;
    }
    // A database that cannot be asked leaves the failure as it was.
    const row = await this.#rows.add(claim.id).catch(() => undefined);
    if (row === undefined) return settled(first);
    if (row.expires_at <= ctx.platform.clock.now()) {
      await this.#forget(row);
      return settled(await this.#fresh(ctx, claim, work));
    }
    if (!row.fingerprint.equals(claim.fingerprint)) {
      throw new IdempotencyKeyReused('This Idempotency-Key was used for another request. Take a new key for a new request.');
    }
    return this.#replay(ctx, claim, row, work);
  }

  async #fresh(ctx: Ctx, claim: IdempotencyClaim, work: () => Promise<Answer>): Promise<Outcome> {
    ctx.idempotency = claim;
    const outcome = await attempt(work);
    if (succeeded(outcome) && claim.recorded) this.#keep(claim, outcome.answer);
    return outcome;
  }

  async #replay(ctx: Ctx, claim: IdempotencyClaim, row: KeyRow, work: () => Promise<Answer>): Promise<Answer> {
    if (row.body !== null && row.status !== null) {
      const { status, body } = row;
      return { status, body, secretless: () => body, replayed: true };
    }
    ctx.idempotency = { ...claim, replayOf: row.reference };
    const answer = await work();
    // Our own first run may have written the row and then failed to render: that is no replay.
    return claim.recorded ? answer : { ...answer, replayed: true };
  }

  #keep({ id }: IdempotencyClaim, { status, secretless }: Answer): void {
    if (this.#bodies.length >= mostBodies) return;
    this.#bodies
      .add({ id, status, secretless })
      .catch((error) => this.#platform.log.warn({ err: error }, 'answers were not kept with their Idempotency-Keys'));
  }

  async #readRows(ids: Buffer[]): Promise<(KeyRow | undefined)[]> {
    const { rows } = await this.#platform.database.pool.query<KeyRow>({
      name: 'idempotency_read',
      text: 'SELECT id, fingerprint, reference, status, body, expires_at FROM idempotency_key WHERE id = ANY ($1::bytea[])',
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row.id.toString('latin1'), row]));
    return ids.map((id) => byId.get(id.toString('latin1')));
  }

  async #writeBodies(bodies: StoredBody[]): Promise<undefined[]> {
    const rendered = bodies.flatMap(({ id, status, secretless }) => {
      const body = secretless();
      return body === undefined ? [] : [{ id, status, text: typeof body === 'string' ? body : JSON.stringify(body) }];
    });
    if (rendered.length > 0) {
      await this.#platform.database.pool.query({
        name: 'idempotency_body',
        text: `UPDATE idempotency_key k SET status = v.status, body = v.body
               FROM unnest($1::bytea[], $2::int[], $3::text[]) AS v(id, status, body) WHERE k.id = v.id`,
        values: [rendered.map(({ id }) => id), rendered.map(({ status }) => status), rendered.map(({ text }) => text)],
      });
    }
    return bodies.map(() => undefined);
  }

  async #forget({ id, expires_at }: KeyRow): Promise<void> {
    await this.#platform.database.pool.query('DELETE FROM idempotency_key WHERE id = $1 AND expires_at <= $2', [id, expires_at]);
  }
}

/** Deletes up to `most` expired keys, oldest first; returns how many. For the worker, again while it returns `most`. */
export async function sweepIdempotencyKeys({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await database.pool.query(
    `DELETE FROM idempotency_key WHERE id IN
       (SELECT id FROM idempotency_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [clock.now(), most],
  );
  return rowCount ?? 0;
}

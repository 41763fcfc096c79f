// One key, one effect (CONTRACT.md 0 "Idempotency"). The first run is tried at once: the row that makes the key exact is
// written in the transaction of the effect, so a second run cannot have one. Only a run that fails asks whether the key has
// been used before, and is then answered with what the first one made. A fresh request so costs no query for its key.
import { hash } from 'node:crypto';
import { answerText } from '../platform/answer-text.js';
import { canonicalJson } from '../platform/canonical-json.js';
import { addSeconds } from '../platform/clock.js';
import type { Ctx, IdempotencyClaim, Platform } from '../platform/ctx.js';
import { ValidationFailed } from '../platform/errors.js';
import {
  type Answer,
  type Idempotency,
  IdempotencyInFlight,
  IdempotencyKeyReused,
  type KeyedRequest,
  keyKind,
  keySeconds,
} from '../platform/idempotency.js';
import { isUniqueViolation } from '../platform/postgres/failure.js';
import { Batch } from '../platform/statement-batch.js';

/** Answers that wait to be stored, and their characters together; beyond either, replays render from the reference. */
const mostAnswers = 5_000;
const mostCharacters = 16 * 1024 * 1024;

/** A claim is written once, so its answer is: looking for a conflict would cost another record of WAL for each of them. */
const insertAnswers = `INSERT INTO keyed_answer (workspace_id, expires_at, key, status, body)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::text[])`;

/** The key that the header carries, quoted or not. 400 unless it has 1 to 255 printable characters. */
function readIdempotencyKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(["\\])/g, '$1');
  if (!/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    throw new ValidationFailed([{ path: ['Idempotency-Key'], message: 'must have 1 to 255 printable ASCII characters', rule: 'format' }]);
  }
  return key;
}

/** SHA-256 as text: asked for as text it takes a fifth of the time that a buffer does. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

function claimOf(ctx: Ctx, key: string, { operation, content }: KeyedRequest): IdempotencyClaim {
  const { actor, workspace, platform } = ctx;
  return {
    key: digest(`${workspace.id}\n${actor.type}\n${actor.id}\n${operation}\n${key}`),
    fingerprint: digest(canonicalJson(content)),
    expiresAt: addSeconds(platform.clock.now(), keySeconds),
    recorded: false,
  };
}

/** The claim of a key, and its rendered answer if that was kept. */
interface UsedKey {
  workspace_id: string;
  key: string;
  fingerprint: string;
  reference: string;
  expires_at: Date;
  status: number | null;
  body: string | null;
}

interface KeyName {
  workspaceId: string;
  key: string;
}

interface CachedAnswer extends KeyName {
  expiresAt: Date;
  status: number;
  body: string;
}

type Outcome = { answer: Answer } | { error: unknown };

const settled = (outcome: Outcome): Answer => {
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
};
const succeeded = (outcome: Outcome): outcome is { answer: Answer } => 'answer' in outcome && outcome.answer.status < 300;

/** What is kept of an answer; undefined for one that is too large: it is not sent either. */
function textOf(content: unknown): string | undefined {
  try {
    return answerText(content);
  } catch {
    return undefined;
  }
}

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
  readonly #used: Batch<KeyName, UsedKey | undefined>;
  readonly #answers: Batch<CachedAnswer, undefined>;
  /** Of the answers that have not been stored yet. */
  #characters = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#used = new Batch((names) => this.#read(names));
    this.#answers = new Batch((answers) => this.#write(answers));
  }

  // Gap G-16: `Idempotency-Key` covers every mutation of a known actor on both faces; a 2xx is kept for 24 hours.
  /**
   * Runs a mutation under its key. Without a key, and for anonymous callers, it just runs. 400 for a key that is none, 409
   * `idempotency_in_flight` while the same key runs, 422 `idempotency_key_reused`.
   */
  readonly run: Idempotency = async (ctx, request, work) => {
    if (request.key === undefined || ctx.actor.type === 'anonymous') return work();
    const claim = claimOf(ctx, readIdempotencyKey(request.key), request);
    if (this.#inFlight.has(claim.key)) throw new IdempotencyInFlight();
    this.#inFlight.add(claim.key);
    try {
      return await this.#once(ctx, claim, work, request.operation);
    } finally {
      this.#inFlight.delete(claim.key);
    }
  };

  /** Returns when every rendered body has been stored. */
  async close(): Promise<void> {
    await this.#answers.drain();
  }

  async #once(ctx: Ctx, claim: IdempotencyClaim, work: () => Promise<Answer>, operation: string): Promise<Answer> {
    ctx.idempotency = claim;
    const first = await attempt(work);
    if (succeeded(first)) {
      if (claim.recorded) this.#keep(ctx, claim, first.answer);
      else ctx.log.error({ operation }, 'a mutation took effect without recording its Idempotency-Key');
      return first.answer;
    }
    // A database that cannot be asked leaves the failure as it was.
    const row = await this.#used.add({ workspaceId: ctx.workspace.id, key: claim.key }).catch(() => undefined);
    if (row === undefined) return settled(first);
    if (row.expires_at <= ctx.platform.clock.now()) {
      await this.#forget(row);
      return settled(await this.#fresh(ctx, claim, work));
    }
    if (row.fingerprint !== claim.fingerprint) {
      throw new IdempotencyKeyReused();
    }
    return this.#replay(ctx, claim, row, work);
  }

  async #fresh(ctx: Ctx, claim: IdempotencyClaim, work: () => Promise<Answer>): Promise<Outcome> {
    ctx.idempotency = claim;
    const outcome = await attempt(work);
    if (succeeded(outcome) && claim.recorded) this.#keep(ctx, claim, outcome.answer);
    return outcome;
  }

  async #replay(ctx: Ctx, claim: IdempotencyClaim, row: UsedKey, work: () => Promise<Answer>): Promise<Answer> {
    if (row.body !== null && row.status !== null) {
      const { status, body } = row;
      return { status, body, secretless: () => body, replayed: true };
    }
    ctx.idempotency = { ...claim, replayOf: row.reference };
    const answer = await work();
    // Our own first run may have written the row and then failed to render: that is no replay.
    return claim.recorded ? answer : { ...answer, replayed: true };
  }

  #keep({ workspace }: Ctx, { key, expiresAt }: IdempotencyClaim, { status, secretless }: Answer): void {
    if (this.#answers.length >= mostAnswers || this.#characters >= mostCharacters) return;
    const content = secretless();
    if (content === undefined) return;
    const body = textOf(content);
    if (body === undefined) return;
    this.#characters += body.length;
    this.#answers
      .add({ workspaceId: workspace.id, key, expiresAt, status, body })
      .catch((error) => this.#platform.log.warn({ err: error }, 'answers were not kept with their Idempotency-Keys'))
      .finally(() => {
        this.#characters -= body.length;
      });
  }

  async #read(names: KeyName[]): Promise<(UsedKey | undefined)[]> {
    const { rows } = await this.#platform.database.pool.query<UsedKey>({
      name: 'used_keys',
      text: 'SELECT * FROM used_keys($1::uuid[], $2::text[])',
      values: [names.map(({ workspaceId }) => workspaceId), names.map(({ key }) => key)],
    });
    const byName = new Map(rows.map((row) => [`${row.workspace_id} ${row.key}`, row]));
    return names.map(({ workspaceId, key }) => byName.get(`${workspaceId} ${key}`));
  }

  /** Answers are inserted and never changed: an update of the claim would need a plan, and leave a dead row for each request. */
  async #write(answers: CachedAnswer[]): Promise<undefined[]> {
    const values = (['workspaceId', 'expiresAt', 'key', 'status', 'body'] as const).map((member) =>
      answers.map((answer) => answer[member]),
    );
    const { pool } = this.#platform.database;
    try {
      await pool.query({ name: 'keep_answers', text: insertAnswers, values });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await pool.query(`${insertAnswers} ON CONFLICT DO NOTHING`, values);
    }
    return answers.map(() => undefined);
  }

  async #forget({ workspace_id, key, expires_at }: UsedKey): Promise<void> {
    await this.#platform.database.pool.query(
      `DELETE FROM claim WHERE workspace_id = $1 AND kind = '${keyKind}' AND key = $2 AND expires_at <= $3`,
      [workspace_id, key, expires_at],
    );
  }
}

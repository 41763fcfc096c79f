// The statement that takes a voucher: one round trip, exact over any number of processes (see mpp_accept_voucher() in the migrations).
import type pg from 'pg';
import type { Claim, Guard } from '../../ledger/posting.js';
import { linesOf, linesPublished } from '../../platform/audit.js';
import type { Row } from '../../platform/postgres/column.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** A voucher as it is asked for: so much more, or so much in all, minor units. */
export interface VoucherRequest {
  workspaceId: string;
  sessionId: string;
  at: Date;
  /** The id that a new one gets. */
  id: string;
  amount: bigint | null;
  cumulativeAmount: bigint | null;
  description: string | null;
  requestId: string | null;
  guards: readonly Guard[];
  /** Of the audit log: written when a new one is taken. */
  line: Row | null;
}

/** A voucher as the statement answers it: sums in minor units, as text. */
export interface VoucherRow {
  id: string;
  session_id: string;
  sequence: number;
  amount: string;
  cumulative_amount: string;
  description: string | null;
  request_id: string | null;
  created_at: string;
}

/** What came of a request; `guard` names the one that refused it. */
export interface VoucherAnswer {
  outcome: 'accepted' | 'repeated' | 'not_found' | 'not_open' | 'over_voucher' | 'over_deposit' | 'reused' | 'guard';
  status: string | null;
  accepted: bigint | string | null;
  deposited: bigint | string | null;
  guard: { kind: string; id: string; refusal: string } | null;
  voucher: VoucherRow | null;
}

/** Takes a voucher, and writes the line of the audit log for a new one; `more` is what else the same statement writes. */
const accepting = (more = '') => `WITH answer AS MATERIALIZED (
    SELECT a.* FROM (VALUES ($1::uuid)) AS w (workspace_id),
      mpp_accept_voucher(w.workspace_id, $2::uuid, $3::timestamptz, $4::uuid, $5::bigint, $6::bigint, $7::text, $8::text, $9::jsonb) a
  ), ${linesPublished(linesOf('$10'), "EXISTS (SELECT FROM answer WHERE outcome = 'accepted')")}${more}
  SELECT * FROM answer`;

const statement = { name: 'mpp-accept-voucher', text: accepting() };

/** The same with the claim of a keyed request, so that it is one statement too: both are written, or neither. */
const keyedStatement = {
  name: 'mpp-accept-voucher-keyed',
  text: accepting(`, claimed AS (
    INSERT INTO claim (workspace_id, kind, key, reference, fingerprint, expires_at)
    SELECT $1::uuid, $11::text, $12::text, answer.voucher ->> 'id', $13::text, $14::timestamptz
    FROM answer WHERE answer.outcome IN ('accepted', 'repeated')
  )`),
};

/** Takes a voucher, or says what is against it. */
export async function acceptVoucher(tx: Tx | pg.ClientBase, request: VoucherRequest): Promise<VoucherAnswer> {
  return answerOf(await runIn<VoucherAnswer & Record<string, unknown>>(tx, statement, valuesOf(request)));
}

/** The same with a claim that is written with the voucher. Throws a unique violation for one that was taken. */
export async function acceptKeyedVoucher(tx: pg.ClientBase, request: VoucherRequest, claim: Claim): Promise<VoucherAnswer> {
  const { kind, key, fingerprint = null, expiresAt = null } = claim;
  const values = [...valuesOf(request), kind, key, fingerprint, expiresAt];
  return answerOf(await runIn<VoucherAnswer & Record<string, unknown>>(tx, keyedStatement, values));
}

function valuesOf(request: VoucherRequest): unknown[] {
  const { workspaceId, sessionId, at, id, amount, cumulativeAmount, description, requestId, guards, line } = request;
  const told = line && JSON.stringify([line]);
  return [workspaceId, sessionId, at, id, amount, cumulativeAmount, description, requestId, JSON.stringify(guards), told];
}

function answerOf([answer]: VoucherAnswer[]): VoucherAnswer {
  if (answer === undefined) throw new Error('a voucher was neither taken nor refused');
  return answer;
}

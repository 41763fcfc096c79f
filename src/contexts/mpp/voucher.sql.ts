// The statement that takes a voucher: one round trip, exact over any number of processes (see mpp_accept_voucher() in the migrations).
import type pg from 'pg';
import type { Guard } from '../../ledger/posting.js';
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

const statement = {
  name: 'mpp-accept-voucher',
  text: `SELECT a.* FROM (VALUES ($1::uuid)) AS w (workspace_id),
    mpp_accept_voucher(w.workspace_id, $2::uuid, $3::timestamptz, $4::uuid, $5::bigint, $6::bigint, $7::text, $8::text, $9::jsonb) a`,
};

/** Takes a voucher, or says what is against it. */
export async function acceptVoucher(tx: Tx | pg.ClientBase, request: VoucherRequest): Promise<VoucherAnswer> {
  const { workspaceId, sessionId, at, id, amount, cumulativeAmount, description, requestId, guards } = request;
  const values = [workspaceId, sessionId, at, id, amount, cumulativeAmount, description, requestId, JSON.stringify(guards)];
  const [answer] = await runIn<VoucherAnswer & Record<string, unknown>>(tx, statement, values);
  if (answer === undefined) throw new Error('a voucher was neither taken nor refused');
  return answer;
}

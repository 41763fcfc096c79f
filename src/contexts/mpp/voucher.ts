// A voucher: the payer's promise of so much of a session's deposit in all. It moves no money; the session is settled by the highest
// (CONTRACT.md 10).
import type pg from 'pg';
import type { MppSessionStatus, MppVoucher } from '../../generated/prisma/client.js';
import { guardSubject, PostingRefused } from '../../ledger/fault.js';
import { type Guard, guardsOf } from '../../ledger/posting.js';
import { auditLine } from '../../platform/audit.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { commitAlone } from '../../platform/effect.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { IdempotencyInFlight, keyClaims } from '../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { isUniqueViolation } from '../../platform/postgres/failure.js';
import { newId } from '../../platform/schema/id.js';
import { workspaceGuard } from '../spending/pipeline/pipeline.js';
import { refusalOf } from '../spending/pipeline/refusal.js';
import { overDeposit, RequestIdReused } from './errors.js';
import type { CreateMppVoucherInput } from './session.input.js';
import { checkPayer, notOpen, type SessionFacts, sessionFacts } from './session.js';
import { acceptKeyedVoucher, acceptVoucher, type VoucherAnswer, type VoucherRequest, type VoucherRow } from './voucher.sql.js';

/** A voucher with the session that signs it. `isRepeated`: it was there before. */
export interface VoucherView {
  voucher: MppVoucher;
  session: SessionFacts;
  isRepeated: boolean;
}

/**
 * Adds a voucher, or answers the highest where no more was asked for. One statement, which commits by itself, with the claim of an
 * Idempotency-Key too. 400, 403, 404, 409, 422 for more than the deposit and for a request_id with another amount.
 */
export async function createVoucher(ctx: Ctx, input: CreateMppVoucherInput & { id: string }): Promise<VoucherView> {
  const pool = ctx.platform.database.pool as unknown as pg.ClientBase;
  const [claim] = keyClaims(ctx, '');
  const accept = (request: VoucherRequest) =>
    claim === undefined ? acceptVoucher(pool, request) : acceptKeyedVoucher(pool, request, claim);
  try {
    const made = await commitAlone(ctx.effect, () => applyVoucher(ctx, input, accept));
    if (ctx.idempotency !== undefined) ctx.idempotency.recorded = true;
    return made;
  } catch (error) {
    if (claim !== undefined && isUniqueViolation(error)) throw new IdempotencyInFlight();
    throw error;
  }
}

/** The same as a part of a transaction. */
export function addVoucher(ctx: Ctx, tx: Tx, input: CreateMppVoucherInput & { id: string }): Promise<VoucherView> {
  // The transaction has a line of the audit log by itself.
  return applyVoucher(ctx, input, (request) => acceptVoucher(tx, { ...request, line: null }));
}

async function applyVoucher(
  ctx: Ctx,
  input: CreateMppVoucherInput & { id: string },
  accept: (request: VoucherRequest) => Promise<VoucherAnswer>,
): Promise<VoucherView> {
  const session = await sessionFacts(ctx, input.id);
  checkPayer(ctx, session);
  const { currency } = session;
  const [amount, cumulativeAmount] = amountsOf(input, currency);
  const at = ctx.clock.now();
  const id = newId(at);
  const answer = await accept({
    workspaceId: ctx.workspace.id,
    sessionId: session.id,
    at,
    id,
    amount,
    cumulativeAmount,
    description: input.description ?? null,
    requestId: input.requestId ?? null,
    guards: guardsOfVoucher(ctx, session),
    line: auditLine(ctx, id),
  });
  const isAccepted = answer.outcome === 'accepted' || answer.outcome === 'repeated';
  if (!isAccepted || answer.voucher === null) throw refusalIn(ctx, session, answer, input);
  return { voucher: voucherOf(ctx, answer.voucher), session, isRepeated: answer.outcome === 'repeated' };
}

function amountsOf({ amount, cumulativeAmount }: CreateMppVoucherInput & { id: string }, currency: string): [bigint | null, bigint | null] {
  if ((amount == null) === (cumulativeAmount == null)) {
    throw new ValidationFailed([{ path: ['amount'], message: 'name one of amount and cumulative_amount', rule: 'one_of' }]);
  }
  if (amount != null) return [parseMinor(amount, currency, ['amount']), null];
  return [null, parseMinor(cumulativeAmount ?? '', currency, ['cumulativeAmount'])];
}

/** What must hold when a voucher is taken: the credential, the kill switch, the agents that pay, and their wallet. */
function guardsOfVoucher(ctx: Ctx, { agentId, walletAgentId, walletId, payeeWalletId }: SessionFacts): Guard[] {
  return [
    workspaceGuard(ctx),
    ...guardsOf(ctx, agentId),
    ...(walletAgentId === null || walletAgentId === agentId ? [] : [{ kind: 'agent' as const, id: walletAgentId }]),
    { kind: 'payer', id: walletId },
    { kind: 'payee', id: payeeWalletId },
  ];
}

/** Why a voucher was not taken. */
function refusalIn(ctx: Ctx, session: SessionFacts, answer: VoucherAnswer, { amount }: CreateMppVoucherInput & { id: string }): Error {
  const { outcome, guard, accepted, deposited, status } = answer;
  const { id, currency, maxVoucher } = session;
  const field = amount == null ? 'cumulativeAmount' : 'amount';
  if (guard !== null) {
    const { kind, id: guarded, refusal } = guard;
    const subject = guardSubject(ctx.workspace.id, { kind: kind as Guard['kind'], id: guarded });
    return refusalOf(new PostingRefused([{ kind: 'guard', subject, refusal, detail: { kind, id: guarded } }]).faults, ctx);
  }
  switch (outcome) {
    case 'not_open':
      return notOpen(id, status as MppSessionStatus);
    case 'over_deposit':
      return overDeposit(id, currency, { deposited: BigInt(deposited ?? 0), accepted: BigInt(accepted ?? 0) });
    case 'over_voucher': {
      const message = `would add more than the ${formatMinor(maxVoucher ?? 0n, currency)} that one voucher of this session may`;
      return new ValidationFailed([{ path: [field], message, rule: 'max' }]);
    }
    case 'reused':
      return new RequestIdReused();
    default:
      return new NotFound();
  }
}

function voucherOf({ workspace }: Pick<Ctx, 'workspace'>, row: VoucherRow): MppVoucher {
  return {
    workspaceId: workspace.id,
    id: row.id,
    sessionId: row.session_id,
    sequence: row.sequence,
    amount: BigInt(row.amount),
    cumulativeAmount: BigInt(row.cumulative_amount),
    description: row.description,
    requestId: row.request_id,
    createdAt: new Date(row.created_at),
  };
}

/** The voucher of a keyed request that is repeated. */
export async function storedVoucher(ctx: Ctx, id: string): Promise<VoucherView> {
  const voucher = await ctx.db.mppVoucher.findFirst({ where: { id } });
  if (voucher === null) throw new NotFound();
  return { voucher, session: await sessionFacts(ctx, voucher.sessionId), isRepeated: true };
}

/** Vouchers that a session shows, the last ones. */
export const mostVouchers = 100;

/** The last vouchers of a session, newest first. */
export async function lastVouchers(ctx: Ctx, session: SessionFacts): Promise<VoucherView[]> {
  const found = await loadTogether(ctx, 'mpp_vouchers', session.id, async (ids) => {
    const lists = await Promise.all(
      ids.map((sessionId) => ctx.db.mppVoucher.findMany({ where: { sessionId }, orderBy: { sequence: 'desc' }, take: mostVouchers })),
    );
    return new Map(ids.map((id, n) => [id, lists[n] ?? []]));
  });
  return (found ?? []).map((voucher) => ({ voucher, session, isRepeated: false }));
}

// Money that is put into a session: a spend, which is a transfer to the payee whose money is held in the escrow of the session until it is
// settled (CONTRACT.md 10).
import type { MppSession, Transfer } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import type { Draft, SpendForm, SpendResult } from '../spending/pipeline/execution.js';
import { type Authority, authorizeSpend } from '../spending/pipeline/pipeline.js';
import { type SpendPlan, spendMutation } from '../spending/pipeline/spend-mutation.js';
import { asideFor } from '../transfers/escrowed.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import { tooManyDeposits } from './errors.js';
import { merchantAt } from './payee.js';
import type { TopUpMppSessionInput } from './session.input.js';
import { checkPayer, lockSession, mppSession, notOpen } from './session.js';

/** A deposit before it is posted. */
export interface SessionDeposit {
  /** The id of its transfer. */
  id: string;
  session: Pick<MppSession, 'id' | 'escrowAccountId' | 'serviceUrl'>;
  /** What is approved, where it has to be. */
  subjectType: 'mpp_session' | 'mpp_top_up';
  from: WalletRef;
  to: WalletRef;
  /** Minor units. */
  amount: bigint;
  authority: Authority;
}

/** The transfer and the posting of a deposit under its authority. It waits in escrow, and for an approval in the wallet. */
export function draftSessionDeposit(ctx: Ctx, deposit: SessionDeposit, form: SpendForm): Draft<Transfer> {
  const { id, session, subjectType, from, to, amount, authority } = deposit;
  const value: NewTransfer = {
    type: 'internal',
    protocol: 'mpp',
    from,
    to,
    amount,
    currency: from.currency,
    at: authority.at,
    hold: asideFor(session.escrowAccountId, form),
    agentId: authority.agentId,
    subject: { type: 'mpp_session', id: session.id },
    protocolMetadata: {
      session_id: printId('mppSession', session.id),
      service_url: session.serviceUrl,
      ...(subjectType === 'mpp_top_up' && { top_up: true }),
    },
    approvalId: form.approvalId,
    decisionId: form.decisionId,
  };
  const transfer = transferRow(ctx, value, id);
  return {
    value: transfer,
    posting: transferPosting(ctx, transfer, value, { limits: form.limits, guards: authority.guards, rules: authority.rules }),
    request: {
      subject: { subjectType, subjectId: subjectType === 'mpp_session' ? session.id : id },
      transferId: id,
      description: null,
      execution: {},
    },
  };
}

/** The spend of a deposit. */
export function depositSpend(ctx: Ctx, deposit: SessionDeposit, requestApproval: boolean): SpendPlan<Transfer> {
  return { authority: deposit.authority, draft: (form) => draftSessionDeposit(ctx, deposit, form), requestApproval };
}

/**
 * `create` puts more money into a session that is open. What waits for an approval leaves it as it is. 400, 403, 404, 409, what refuses a
 * spend. Its reference is the transfer.
 */
export const topUpSessionMutation = spendMutation({
  terms: () => null,
  plan: planTopUp,
  insert: async (ctx, tx, { row, deposit }: TopUpPlan, spent: SpendResult<Transfer> | null) => {
    await tx.mppDeposit.createMany({ data: [{ transferId: deposit.id, sessionId: row.id }] });
    const session = spent?.approval == null ? await addToSession(ctx, tx, row.id, deposit.amount) : row;
    return { session, transferId: deposit.id };
  },
  due: () => ['mpp_session', null],
  reference: ({ transferId }) => transferId,
  read: async (ctx, transferId) => {
    const { sessionId } = await ctx.db.mppDeposit.findFirstOrThrow({ where: { transferId }, select: { sessionId: true } });
    const { approvalId } = await ctx.db.transfer.findFirstOrThrow({ where: { id: transferId }, select: { approvalId: true } });
    return { session: await mppSession(ctx, sessionId), transferId, approvalId };
  },
});

/** Writes that a session has so much more, under its lock. */
export function addToSession(ctx: Ctx, tx: Tx, id: string, amount: bigint): Promise<MppSession> {
  return tx.mppSession.update({
    where: rowKey(ctx, id),
    data: { deposited: { increment: amount }, updatedAt: ctx.clock.now() },
  });
}

/** Deposits of one session: settling it resolves each of them (see G-308). */
const mostDeposits = 100;
/** What is ever put into one session, minor units: as much as a wallet can hold. */
const mostDeposited = 9n * 10n ** 17n;

interface TopUpPlan {
  row: MppSession;
  deposit: SessionDeposit;
  spend: SpendPlan<Transfer>;
}

async function planTopUp(ctx: Ctx, tx: Tx, input: TopUpMppSessionInput & { id: string }): Promise<TopUpPlan> {
  const { id, amount: text, requestApproval } = input;
  const reader = within(ctx, tx);
  const { accountId, walletId, agentId, walletAgentId } = await mppSession(reader, id);
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, accountId, walletId, agentIds: [walletAgentId, agentId] });
  const row = await lockSession(ctx, tx, id);
  checkPayer(ctx, row);
  const at = ctx.clock.now();
  if (row.status !== 'open' || row.expiresAt <= at) throw notOpen(id, row.status);
  const amount = parseMinor(text, row.currency, ['amount']);
  if (row.deposited + amount > mostDeposited) {
    const message = `would make more than the ${formatMinor(mostDeposited, row.currency)} that are ever put into one session`;
    throw new ValidationFailed([{ path: ['amount'], message, rule: 'max' }]);
  }
  if ((await tx.mppDeposit.count({ where: { sessionId: id } })) >= mostDeposits) throw tooManyDeposits(id, mostDeposits);
  const { from, to } = await sessionSidesOf(reader, row);
  const authority = await authorizeSpend(reader, {
    from,
    to,
    agentId,
    merchantId: await merchantAt(reader, row.serviceUrl, to),
    protocol: 'mpp',
    currency: row.currency,
    amount,
    at,
    request: {
      path: `/v1/mpp/sessions/${printId('mppSession', id)}/top-up`,
      body: () => ctx.platform.printInput('TopUpMppSessionInput', input),
    },
    requestApproval: requestApproval === true,
  });
  const deposit: SessionDeposit = { id: newId(at), session: row, subjectType: 'mpp_top_up', from, to, amount, authority };
  return { row, deposit, spend: depositSpend(ctx, deposit, requestApproval === true) };
}

/** The wallets of a session. */
export async function sessionSidesOf(ctx: Ctx, { id, walletId, payeeWalletId }: MppSession): Promise<{ from: WalletRef; to: WalletRef }> {
  const [from, to] = [await walletRef(ctx, walletId), await walletRef(ctx, payeeWalletId)];
  if (from === null || to === null) throw new Error(`session ${id} has no wallets`);
  return { from, to };
}

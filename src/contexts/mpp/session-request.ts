// What callers ask for: a session that pays a service out of a first deposit (CONTRACT.md 10).
import type { MppSession, Transfer } from '../../generated/prisma/client.js';
import { openEscrowAccount } from '../../ledger/account.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import type { SpendResult } from '../spending/pipeline/execution.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import { type SpendPlan, spendMutation } from '../spending/pipeline/spend-mutation.js';
import { SameWallet } from '../transfers/errors.js';
import { depositSpend, type SessionDeposit } from './deposit.js';
import { mppPayeeOf } from './payee.js';
import type { CreateMppSessionInput } from './session.input.js';
import { mppSession } from './session.js';
import { newVoucherKey } from './voucher-token.js';

/** Gap G-308: A session is open for a day, or `expires_in` of a minute to 30 days, and takes 100 deposits. */
const defaultSeconds = 86_400;

/**
 * `create` opens a session with its first deposit, or lets it wait for an approval. 400, 404, 422 `same_wallet` and `currency_mismatch`, and
 * what refuses a spend.
 */
export const sessionMutation = spendMutation({
  terms: () => null,
  plan: planSession,
  insert: async (ctx, tx, plan: Plan, spent: SpendResult<Transfer> | null) => ({
    session: await insertSession(ctx, tx, plan, spent?.approval?.id ?? null),
  }),
  due: ({ session: { dueAt } }) => ['mpp_session', dueAt],
  reference: ({ session: { id } }) => id,
  read: async (ctx, id) => {
    const session = await mppSession(ctx, id);
    return { session, approvalId: session.approvalId };
  },
});

interface Plan {
  deposit: SessionDeposit;
  maxVoucher: bigint | null;
  expiresAt: Date;
  spend: SpendPlan<Transfer>;
}

/** Reads the parties and what binds them, keeps the payer's standing, and opens the escrow. */
async function planSession(ctx: Ctx, tx: Tx, input: CreateMppSessionInput): Promise<Plan> {
  const reader = within(ctx, tx);
  const { serviceUrl, agentId, maxVoucherAmount, requestApproval } = input;
  const from = await walletRef(reader, input.walletId);
  if (from === null) throw new NotFound('walletId');
  const currency = input.currency ?? (from.currency as Currency);
  const { to, merchantId } = await mppPayeeOf(reader, input, currency);
  if (from.walletId === to.walletId) throw new SameWallet();
  for (const side of [from, to]) if (side.currency !== currency) throw new CurrencyMismatch(side.walletId, side.currency, currency);
  const amount = parseMinor(input.depositAmount, currency, ['depositAmount']);
  const maxVoucher = maxVoucherAmount == null ? null : parseMinor(maxVoucherAmount, currency, ['maxVoucherAmount']);
  const at = ctx.clock.now();
  const authority = await authorizeSpend(reader, {
    from,
    to,
    agentId,
    merchantId,
    protocol: 'mpp',
    currency,
    amount,
    at,
    request: {
      path: '/v1/mpp/sessions',
      body: () => ctx.platform.printInput('CreateMppSessionInput', input),
      amountMember: 'deposit_amount',
    },
    requestApproval: requestApproval === true,
  });
  const { walletId, accountId } = from;
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, walletId, accountId, agentIds: [from.agentId, agentId] });
  const id = newId(at);
  const escrowAccountId = await openEscrowAccount(ctx, tx, 'mpp.escrow', id, currency);
  const session = { id, escrowAccountId, serviceUrl };
  const deposit: SessionDeposit = { id: newId(at), session, subjectType: 'mpp_session', from, to, amount, authority };
  const expiresAt = addSeconds(at, input.expiresIn ?? defaultSeconds);
  return { deposit, maxVoucher, expiresAt, spend: depositSpend(ctx, deposit, requestApproval === true) };
}

async function insertSession(ctx: Ctx, tx: Tx, plan: Plan, approvalId: string | null): Promise<MppSession> {
  const { deposit, maxVoucher, expiresAt } = plan;
  const { session, from, to, amount, authority } = deposit;
  const { at, agentId } = authority;
  if (agentId === undefined) throw new Error('a session has an agent that pays');
  const row = await tx.mppSession.create({
    data: {
      ...session,
      ...newVoucherKey(ctx.platform, session.id),
      walletId: from.walletId,
      payeeWalletId: to.walletId,
      accountId: from.accountId,
      payeeAccountId: to.accountId,
      walletAgentId: from.agentId,
      payeeAgentId: to.agentId,
      agentId,
      currency: from.currency,
      status: approvalId === null ? 'open' : 'pending',
      deposited: amount,
      maxVoucher,
      approvalId,
      expiresAt,
      dueAt: expiresAt,
      createdAt: at,
      updatedAt: at,
    },
  });
  await tx.mppDeposit.createMany({ data: [{ transferId: deposit.id, sessionId: session.id }] });
  return row;
}

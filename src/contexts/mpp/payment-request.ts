// What callers ask for: to pay a service once, with or without a challenge of it (CONTRACT.md 10).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import { newId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { type DryRun, dryRunSpend } from '../spending/pipeline/dry-run.js';
import { type Draft, executeSpend, type SpendForm } from '../spending/pipeline/execution.js';
import { authorizeSpend, type Spend } from '../spending/pipeline/pipeline.js';
import { SameWallet } from '../transfers/errors.js';
import type { NewTransfer } from '../transfers/transfer.js';
import { transfer as readTransfer } from '../transfers/transfer-list.js';
import { draftTransfer, type TransferPlan } from '../transfers/transfer-request.js';
import { withholdingOf } from '../transfers/withholding.js';
import { dryRunLedgerPayment, type LedgerPaymentOrder, payOnLedger, receiverOf } from '../x402/payment/ledger-payment.js';
import { type AnsweredChallenge, answeredChallenge, byChallenge, checkTerms } from './answered-challenge.js';
import { mppPayeeOf, type Payee } from './payee.js';
import type { PayMppInput } from './payment.input.js';
import type { PaymentChange } from './payment.js';

/**
 * Pays at once, or holds the money until it is approved. A challenge of our own paid door pays its endpoint, whose payment it is then. 400,
 * 404, 409, 422 `same_wallet`, `currency_mismatch` and `payment_invalid`, and what refuses a spend.
 */
export async function payByMpp(ctx: Ctx, input: PayMppInput): Promise<PaymentChange> {
  const requested = await requestedPayment(ctx, input);
  const order = orderOf(ctx, requested, input);
  if (order !== null) {
    const { payment, approval } = await payOnLedger(ctx, order);
    return { transfer: await readTransfer(ctx, payment.id), approval };
  }
  const plan = await planMppPayment(ctx, requested, input);
  const id = newId(plan.value.at);
  const draft = (form: SpendForm) => draftPayment(ctx, id, plan, form);
  const options = { key: id, requestApproval: input.requestApproval === true };
  const { value: transfer, approval } = await executeSpend(ctx, plan.authority, draft, options);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
  return { transfer, approval };
}

/** What payByMpp() would do. */
export async function dryRunMppPayment(ctx: Ctx, input: PayMppInput): Promise<DryRun> {
  const requested = await requestedPayment(ctx, input);
  const order = orderOf(ctx, requested, input);
  if (order !== null) return dryRunLedgerPayment(ctx, order);
  const plan = await planMppPayment(ctx, requested, input);
  const id = newId(plan.value.at);
  return dryRunSpend(ctx, plan.authority, (form) => draftPayment(ctx, id, plan, form), { requestApproval: input.requestApproval === true });
}

/** The parties and the amount of a payment, and the challenge that it answers. */
interface RequestedPayment extends Payee {
  from: WalletRef;
  currency: Currency;
  /** Minor units. */
  amount: bigint;
  answered: AnsweredChallenge | null;
}

async function requestedPayment(ctx: Ctx, input: PayMppInput): Promise<RequestedPayment> {
  const { serviceUrl, payeeWalletId } = input;
  const from = await walletRef(ctx, input.walletId);
  if (from === null) throw new NotFound('walletId');
  const currency = input.currency ?? (from.currency as Currency);
  const answered = input.challenge == null ? null : await answeredChallenge(ctx, input.challenge);
  const payee =
    answered?.endpoint != null && payeeWalletId == null
      ? { to: await receiverOf(ctx, answered.endpoint), merchantId: undefined }
      : await mppPayeeOf(ctx, { serviceUrl, payeeWalletId }, currency);
  const { to } = payee;
  if (from.walletId === to.walletId) throw new SameWallet();
  for (const side of [from, to]) if (side.currency !== currency) throw new CurrencyMismatch(side.walletId, side.currency, currency);
  const amount = parseMinor(input.amount, currency, ['amount']);
  if (answered !== null) checkTerms(ctx, answered, { serviceUrl, to, amount, currency });
  return { ...payee, from, currency, amount, answered };
}

/** What pays an endpoint by a challenge of ours; null for any other payment. */
function orderOf(ctx: Ctx, { answered, from, amount }: RequestedPayment, input: PayMppInput): LedgerPaymentOrder | null {
  if (answered?.endpoint == null) return null;
  const { claim, metadata } = byChallenge(answered, from);
  const { agentId, description, requestApproval, serviceUrl } = input;
  return {
    endpoint: answered.endpoint,
    from,
    amount,
    nonce: answered.challenge.id,
    byMpp: { claim, metadata: { ...metadata, service_url: serviceUrl } },
    agentId,
    description,
    requestApproval: requestApproval === true,
    request: requestOf(ctx, input),
  };
}

async function planMppPayment(ctx: Ctx, requested: RequestedPayment, input: PayMppInput): Promise<TransferPlan> {
  const { from, to, merchantId, currency, amount, answered } = requested;
  const { agentId, description, serviceUrl, requestApproval } = input;
  const at = ctx.clock.now();
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId,
    merchantId,
    protocol: 'mpp',
    currency,
    amount,
    at,
    request: requestOf(ctx, input),
    requestApproval: requestApproval === true,
  });
  const byMpp = answered === null ? null : byChallenge(answered, from);
  const value: NewTransfer = {
    type: 'internal',
    protocol: 'mpp',
    from,
    to,
    amount,
    currency,
    at,
    agentId: authority.agentId,
    subject: { type: 'mpp_payment' },
    description,
    claims: byMpp === null ? [] : [byMpp.claim],
    protocolMetadata: { service_url: serviceUrl, ...byMpp?.metadata },
    withholding: await withholdingOf(ctx, 'mpp', to),
  };
  return { value, authority };
}

function draftPayment(ctx: Ctx, id: string, plan: TransferPlan, form: SpendForm): Draft<Transfer> {
  const draft = draftTransfer(ctx, id, plan, form);
  return { ...draft, request: { ...draft.request, subject: { subjectType: 'mpp_payment', subjectId: id } } };
}

/** The request as it could be sent again. */
function requestOf(ctx: Ctx, input: PayMppInput): Spend['request'] {
  return { path: '/v1/mpp/pay', body: () => ctx.platform.printInput('PayMppInput', input) };
}

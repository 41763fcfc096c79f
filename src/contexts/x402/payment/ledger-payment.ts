// A payment on the ledger network: a transfer under the protocol x402, or mpp where that pays, with the row of the payment recorded in its
// posting. Its nonce is a claim, and so is the challenge that it answers, so that it pays once; the whole pipeline binds it (CONTRACT.md 9).
import { eventRecords } from '../../../events/event.js';
import type { Approval, Transfer, X402Endpoint, X402Payment } from '../../../generated/prisma/client.js';
import type { Claim } from '../../../ledger/posting.js';
import { joinRecords } from '../../../ledger/record.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { CurrencyMismatch } from '../../../platform/errors.js';
import { rowOf } from '../../../platform/postgres/column.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { type DryRun, dryRunSpend } from '../../spending/pipeline/dry-run.js';
import { type Draft, executeSpend, type SpendForm } from '../../spending/pipeline/execution.js';
import { checkMandateCurrency, type EnforcedMandate } from '../../spending/pipeline/mandate-rule.js';
import { authorizeSpend, type Spend } from '../../spending/pipeline/pipeline.js';
import { SameWallet } from '../../transfers/errors.js';
import type { NewTransfer } from '../../transfers/transfer.js';
import { draftTransfer, type TransferPlan } from '../../transfers/transfer-request.js';
import { withholdingOf } from '../../transfers/withholding.js';
import { ledgerNetwork } from '../chain/network.js';
import { completedEvent, proofSeconds, settlementHash, subjectTypeOf } from './payment.js';
import { signProof } from './proof.js';

/** How long a seller may take to settle what an `upto` payment authorized. */
const uptoSeconds = 3_600;

/** What is to be paid, for what. */
export interface LedgerPaymentOrder {
  endpoint: X402Endpoint;
  from: WalletRef;
  /** Minor units; with the scheme `upto` the most that it may come to. */
  amount: bigint;
  /** Unique for the payer, for ever; by default the id of the payment. */
  nonce?: string | undefined;
  /** How MPP pays it, where it does. */
  byMpp?: ByMpp | undefined;
  /** An `upto` payment whose seller has said what was used: nothing is held. */
  isFinal?: boolean | undefined;
  /** The PaymentPayload that the payer signed, in base64. */
  paymentSignature?: string | undefined;
  /** What else the payment uses up: the payer's own id of it, or the price that was promised. */
  identifier?: Claim | undefined;
  /** The agent that an API key acts for. */
  agentId?: string | undefined;
  mandate?: EnforcedMandate | undefined;
  description?: string | null | undefined;
  request?: Spend['request'];
  requestApproval?: boolean | undefined;
}

/** A payment of a challenge of MPP: what it uses up, and what its transfer says of it. */
export interface ByMpp {
  claim: Claim;
  metadata: Record<string, unknown>;
}

/** A payment, and the approval that it waits for. */
export interface MadePayment {
  payment: X402Payment;
  approval: Approval | null;
}

interface Plan extends TransferPlan {
  /** As it is when its money has moved at once. */
  payment: X402Payment;
}

/** Pays: at once, or held until it is approved, or until the seller settles what was used. Refusals leave nothing behind. */
export async function payOnLedger(ctx: Ctx, order: LedgerPaymentOrder): Promise<MadePayment> {
  const plan = await planLedgerPayment(ctx, order);
  const { payment: planned } = plan;
  planned.proof = await signProof(ctx.platform, planned);
  // Gap G-320: What a facilitator settles is consumed with it.
  if (order.isFinal === true) planned.consumedAt = planned.createdAt;
  const draft = (form: SpendForm) => draftLedgerPayment(ctx, plan, form);
  const options = { key: planned.id, requestApproval: order.requestApproval === true };
  const { value, approval } = await executeSpend(ctx, plan.authority, draft, options);
  if (value.dueAt !== null) ringAt(ctx, 'transfer', value.dueAt);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
  return { payment: value.payment, approval };
}

/** What payOnLedger() would do. */
export async function dryRunLedgerPayment(ctx: Ctx, order: LedgerPaymentOrder): Promise<DryRun> {
  const plan = await planLedgerPayment(ctx, order);
  return dryRunSpend(ctx, plan.authority, (form) => draftLedgerPayment(ctx, plan, form), {
    requestApproval: order.requestApproval === true,
  });
}

/** Everything that can be known of a payment before the ledger is asked. 422 for a wallet in another currency, or the receiver's own. */
export async function planLedgerPayment(ctx: Ctx, order: LedgerPaymentOrder): Promise<Plan> {
  const { endpoint, from, amount, agentId, mandate, request, description, requestApproval, byMpp, identifier } = order;
  const protocol = byMpp === undefined ? 'x402' : 'mpp';
  const { currency, scheme } = endpoint;
  const to = await receiverOf(ctx, endpoint);
  if (from.currency !== currency) throw new CurrencyMismatch(from.walletId, from.currency, currency);
  if (from.walletId === to.walletId) throw new SameWallet();
  if (mandate !== undefined) checkMandateCurrency(mandate, currency);
  const at = ctx.clock.now();
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId: agentId ?? mandate?.agentId,
    mandate,
    protocol,
    currency,
    amount,
    at,
    request,
    requestApproval: requestApproval === true,
  });
  const merchant = mandate && authority.facts?.merchant;
  const payment = paymentRow(ctx, { ...order, id: newId(at), at, to, spenderId: authority.agentId ?? null });
  // Also of a payment by MPP: with the challenge for its nonce nothing can be signed and paid over x402.
  const nonce: Claim = { kind: 'x402_nonce', key: `${payment.network} ${from.walletId} ${payment.nonce}` };
  const claims = [byMpp?.claim, nonce, identifier].filter((claim) => claim !== undefined);
  const value: NewTransfer = {
    type: 'internal',
    protocol,
    from,
    to,
    amount,
    currency,
    at,
    agentId: authority.agentId,
    hold: scheme === 'upto' && order.isFinal !== true ? { expiresAt: addSeconds(at, uptoSeconds), captureBy: 'payee' } : undefined,
    description,
    subject: { type: subjectTypeOf(protocol) },
    mandateId: mandate?.id,
    claims: claims.map((claim) => ({ ...claim, reference: payment.id })),
    protocolMetadata: {
      payment_id: printId('x402Payment', payment.id),
      endpoint_id: printId('x402Endpoint', endpoint.id),
      ...(merchant != null && { merchant_id: printId('merchant', merchant.id) }),
      ...byMpp?.metadata,
    },
    withholding: await withholdingOf(ctx, protocol, to),
  };
  return { value, authority, payment };
}

/** The wallet that an endpoint is paid into. */
export async function receiverOf(ctx: Ctx, { receiverWalletId }: Pick<X402Endpoint, 'receiverWalletId'>): Promise<WalletRef> {
  const found = await walletRef(ctx, receiverWalletId);
  if (found === null) throw new Error(`the wallet ${receiverWalletId} of an endpoint is gone`);
  return found;
}

interface NewPayment extends Pick<LedgerPaymentOrder, 'endpoint' | 'from' | 'amount' | 'nonce' | 'paymentSignature' | 'byMpp'> {
  id: string;
  at: Date;
  to: WalletRef;
  spenderId: string | null;
}

function paymentRow(ctx: Ctx, { id, at, to, spenderId, endpoint, from, amount, nonce = id, ...signed }: NewPayment): X402Payment {
  return {
    workspaceId: ctx.workspace.id,
    id,
    endpointId: endpoint.id,
    walletId: to.walletId,
    agentId: spenderId ?? from.agentId,
    payeeAgentId: to.agentId,
    amount,
    currency: endpoint.currency,
    payerWallet: from.walletId,
    payTo: to.walletId,
    network: ledgerNetwork(ctx),
    asset: endpoint.currency,
    scheme: endpoint.scheme,
    protocol: signed.byMpp === undefined ? 'x402' : 'mpp',
    nonce,
    status: 'settled',
    proof: null,
    paymentSignature: signed.paymentSignature ?? null,
    txHash: null,
    rail: null,
    transferId: id,
    failureReason: null,
    expiresAt: addSeconds(at, proofSeconds),
    consumedAt: null,
    createdAt: at,
    settledAt: at,
    creditedAt: null,
    asked: 0,
    dueAt: null,
    leaseUntil: null,
  };
}

/** The posting of the transfer with the row of the payment in it; one whose money is held is pending, and proves nothing yet. */
export function draftLedgerPayment(ctx: Ctx, plan: Plan, form: SpendForm): Draft<{ payment: X402Payment; dueAt: Date | null }> {
  const { id } = plan.payment;
  const draft = draftTransfer(ctx, id, plan, form);
  const { value: transfer, posting } = draft;
  const payment = transfer.status === 'completed' ? settledNow(plan.payment, transfer) : pending(plan.payment);
  const told = payment.status === 'settled' ? eventRecords(ctx.workspace.id, [completedEvent(ctx, payment)]) : {};
  const records = joinRecords(posting.records, told, { x402_payment: [rowOf(payment)] });
  return {
    value: { payment, dueAt: transfer.dueAt },
    posting: { ...posting, records },
    request: { ...draft.request, subject: { subjectType: 'x402_payment', subjectId: id } },
  };
}

function settledNow(payment: X402Payment, transfer: Transfer): X402Payment {
  return { ...payment, txHash: settlementHash(transfer) };
}

function pending(payment: X402Payment): X402Payment {
  return { ...payment, status: 'pending', proof: null, settledAt: null, consumedAt: null };
}

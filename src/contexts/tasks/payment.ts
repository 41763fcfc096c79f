// The money for a task: a spend of its sender, held in the escrow of the task by a transfer that is completed when the worker is paid, and
// called off when it is not (CONTRACT.md 11, 13).
import type { Protocol, Task, TaskPaymentMethod, Transfer } from '../../generated/prisma/client.js';
import { openEscrowAccount } from '../../ledger/account.js';
import type { Ending } from '../../manifest/approval-subject.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { agentWalletRef, defaultWalletRef, type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { payerByMandate } from '../mandates/payer.js';
import { withdrawApproval } from '../spending/approval/approval.js';
import type { Draft, SpendForm } from '../spending/pipeline/execution.js';
import { checkPresentation, presentedMandate } from '../spending/pipeline/mandate.js';
import { checkMandateCurrency, type EnforcedMandate } from '../spending/pipeline/mandate-rule.js';
import { type Authority, authorizeSpend, type Spend } from '../spending/pipeline/pipeline.js';
import { deliveries } from '../transfers/delivery.js';
import { SameWallet } from '../transfers/errors.js';
import { asideFor, settleEscrowed } from '../transfers/escrowed.js';
import { endTransfer } from '../transfers/hold.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import type { TaskPaymentInput } from './task.input.js';

/** What is agreed. Minor units. */
export interface TaskPrice {
  amount: bigint;
  currency: Currency;
}

/** By which protocol each method pays. */
export const taskProtocols: Record<TaskPaymentMethod, Protocol> = { wallet: 'internal', x402: 'x402', ap2: 'ap2', mpp: 'mpp' };

/** A payment before it is posted. */
export interface TaskPaymentPlan extends TaskPrice {
  method: TaskPaymentMethod;
  /** The id of its transfer. */
  transferId: string;
  escrowAccountId: string;
  from: WalletRef;
  /** The wallet of the worker; null while nobody knows who that is. */
  to: WalletRef | null;
  authority: Authority;
  mandate: EnforcedMandate | undefined;
}

export interface TaskPaymentOrder {
  taskId: string;
  payment: TaskPaymentInput;
  price: TaskPrice;
  fromAgent: { id: string; parentAccountId: string };
  /** The worker, where it is known. */
  toAgent: { id: string; parentAccountId: string } | null;
  at: Date;
  request: Spend['request'];
  requestApproval: boolean;
}

/** Reads the wallets of a payment and the rules that bind it. 400, 404, 422 for wallets that cannot pay or be paid. */
export async function planTaskPayment(ctx: Ctx, order: TaskPaymentOrder): Promise<Omit<TaskPaymentPlan, 'escrowAccountId'>> {
  const { payment, price, fromAgent, toAgent, at, request, requestApproval } = order;
  const { currency, amount } = price;
  const mandate = await mandateOf(ctx, payment, fromAgent.id);
  if (mandate !== undefined) checkMandateCurrency(mandate, currency);
  const from = await payerOf(ctx, fromAgent, { ...payment, currency }, mandate);
  const to = toAgent === null ? null : await taskPayeeOf(ctx, toAgent, currency);
  if (toAgent !== null && to === null) {
    const message = `has no wallet in ${currency} that could be paid`;
    throw new ValidationFailed([{ path: ['toAgentId'], message, rule: 'currency' }]);
  }
  if (from.walletId === to?.walletId) throw new SameWallet();
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId: fromAgent.id,
    mandate,
    protocol: taskProtocols[payment.method],
    currency,
    amount,
    at,
    request,
    requestApproval,
  });
  return { amount, currency, method: payment.method, transferId: newId(at), from, to, authority, mandate };
}

async function mandateOf(
  ctx: Ctx,
  { method, mandateId, mandateJwt }: TaskPaymentInput,
  agentId: string,
): Promise<EnforcedMandate | undefined> {
  const path = ['payment', 'mandateId'];
  checkPresentation({ mandateId, mandateJwt }, ['payment']);
  if ((method === 'ap2') !== (mandateId != null)) {
    const message = method === 'ap2' ? 'is required for the method ap2' : 'goes with the method ap2';
    throw new ValidationFailed([{ path, message, rule: method === 'ap2' ? 'required' : 'unexpected' }]);
  }
  const mandate = await presentedMandate(ctx, { mandateId, mandateJwt }).catch((error: unknown) => {
    throw error instanceof NotFound ? new NotFound(...path) : error;
  });
  if (mandate !== undefined && mandate.agentId !== agentId) {
    throw new ValidationFailed([{ path, message: 'is not a mandate of the agent that gives the task', rule: 'mandate' }]);
  }
  return mandate;
}

// Gap G-328: Without `from_wallet_id` the agent's oldest wallet in the currency pays, else its account's; the worker is paid likewise.
/** The wallet that is named, else the agent's oldest in the currency, else its account's. */
async function payerOf(
  ctx: Ctx,
  { id, parentAccountId }: TaskPaymentOrder['fromAgent'],
  { fromWalletId, currency }: TaskPaymentInput & { currency: Currency },
  mandate: EnforcedMandate | undefined,
): Promise<WalletRef> {
  if (mandate !== undefined) return payerByMandate(ctx, mandate, { fromWalletId, currency });
  const found =
    fromWalletId == null
      ? ((await agentWalletRef(ctx, id, currency)) ?? (await defaultWalletRef(ctx, parentAccountId, currency)))
      : await walletRef(ctx, fromWalletId);
  if (found === null) throw new NotFound('payment', 'fromWalletId');
  if (found.currency !== currency) throw new CurrencyMismatch(found.walletId, found.currency, currency);
  return found;
}

/** The wallet into which a worker is paid: its oldest in the currency, else its account's; null for none. */
export async function taskPayeeOf(
  ctx: Ctx,
  { id, parentAccountId }: { id: string; parentAccountId: string },
  currency: string,
): Promise<WalletRef | null> {
  return (await agentWalletRef(ctx, id, currency)) ?? defaultWalletRef(ctx, parentAccountId, currency);
}

/** The amount of a payment as the request or the skill says it. 400 where neither does. */
export function taskPriceOf({ amount, currency }: TaskPaymentInput, asked: TaskPrice | null): TaskPrice {
  const missing = (member: string) => {
    const message = 'is required: no skill of the worker says a price';
    return new ValidationFailed([{ path: ['payment', member], message, rule: 'required' }]);
  };
  if (amount == null) {
    if (asked === null) throw missing('amount');
    if (currency != null && currency !== asked.currency) {
      const message = `is not that of the price of the skill, ${asked.currency}`;
      throw new ValidationFailed([{ path: ['payment', 'currency'], message, rule: 'currency' }]);
    }
    return asked;
  }
  const unit = currency ?? asked?.currency;
  if (unit === undefined) throw missing('currency');
  return { amount: parseMinor(amount, unit, ['payment', 'amount']), currency: unit };
}

/** Opens the escrow of a task, for the posting that fills it. */
export function openEscrow(ctx: Ctx, tx: Tx, taskId: string, currency: string): Promise<string> {
  return openEscrowAccount(ctx, tx, 'task.escrow', taskId, currency);
}

/**
 * The transfer and the posting of a payment under its authority. The money waits in escrow, and for an approval in the wallet; until that is
 * given the transfer names no payee, for its sender alone sees the task (CONTRACT.md 0 "Approval interplay").
 */
export function draftTaskPayment(ctx: Ctx, taskId: string, plan: TaskPaymentPlan, form: SpendForm): Draft<Transfer> {
  const { transferId, escrowAccountId, from, to, amount, currency, method, authority, mandate } = plan;
  const merchant = authority.facts?.merchant ?? null;
  const value: NewTransfer = {
    type: 'internal',
    protocol: taskProtocols[method],
    from,
    to: form.approvalId === null && to !== null ? to : { ledgerAccountId: escrowAccountId },
    amount,
    currency,
    at: authority.at,
    hold: asideFor(escrowAccountId, form),
    agentId: authority.agentId,
    subject: { type: 'task', id: taskId },
    mandateId: mandate?.id,
    protocolMetadata: { task_id: printId('task', taskId), ...(merchant !== null && { merchant_id: printId('merchant', merchant.id) }) },
    approvalId: form.approvalId,
    decisionId: form.decisionId,
  };
  const transfer = transferRow(ctx, value, transferId);
  return {
    value: transfer,
    posting: transferPosting(ctx, transfer, value, { limits: form.limits, guards: authority.guards, rules: authority.rules }),
    request: { subject: { subjectType: 'task', subjectId: taskId }, transferId, description: null, execution: {} },
  };
}

/** Names the payee of the money in escrow, under the lock of the task; null for nobody yet. */
export async function namePayee(tx: Tx, { transferId }: Task, to: WalletRef | null): Promise<void> {
  if (transferId === null) return;
  const transfer = await lockRow(tx.transfer, transferId);
  const hold = await tx.hold.findFirstOrThrow({ where: { id: transfer.holdId ?? '' } });
  await tx.transfer.updateMany({
    where: { id: transferId },
    data: { toWalletId: to?.walletId ?? null, toAccountId: to?.accountId ?? null },
  });
  await tx.hold.updateMany({ where: { id: hold.id }, data: { toAccountId: to?.ledger.available ?? hold.heldAccountId } });
}

// Gap G-336: A frozen worker is still paid; whoever is frozen starts no paid task.
/**
 * Pays the worker and returns the rest, under the lock of the task; 0 returns all of it. Answers the members of the task that say so.
 * Whoever was frozen meanwhile keeps nothing from the worker: this is no spend.
 */
export async function settlePayment(ctx: Ctx, tx: Tx, { transferId, amount, deliverable }: Task, released: bigint, ending: Ending) {
  if (transferId === null || amount === null) return {};
  const transfer = await lockRow(tx.transfer, transferId);
  await settleEscrowed(ctx, tx, transfer, released, ending);
  if (released > 0n && deliverable !== null) await noteDeliverable(ctx, tx, transferId, deliverable);
  return { paymentStatus: released === 0n ? 'refunded' : 'released', released } as const;
}

/** What the worker delivered is said in the evidence of its payment: SHA-256 of it as RFC 8785 spells it. */
async function noteDeliverable(ctx: Ctx, tx: Tx, transferId: string, deliverable: Exclude<Task['deliverable'], null>): Promise<void> {
  const paid = await tx.transfer.findFirstOrThrow({ where: { id: transferId } });
  await ctx.platform.extensions.of(deliveries)(ctx, tx, paid, sha256(canonicalJson(deliverable)).toString('hex'));
}

/** Gives the money back, and withdraws the approval that it waits for. Answers the members of the task that say so. */
export async function returnPayment(ctx: Ctx, tx: Tx, row: Task, ending: Ending) {
  if (row.transferId === null || row.paymentStatus === 'refunded') return {};
  if (row.paymentStatus === 'awaiting_approval') {
    await withdrawApproval(ctx, tx, row.approvalId ?? '');
    await endTransfer(ctx, tx, await lockRow(tx.transfer, row.transferId), ending);
    return { paymentStatus: 'refunded', released: 0n } as const;
  }
  return settlePayment(ctx, tx, row, 0n, ending);
}

/** The wallets of the money for a task. */
export async function partiesOfTask(
  ctx: Ctx,
  tx: Tx,
  { id, walletId, payeeWalletId }: Task,
): Promise<{ from: WalletRef; to: WalletRef | null }> {
  const reader = within(ctx, tx);
  const from = await walletRef(reader, walletId ?? '');
  if (from === null) throw new Error(`task ${id} has no wallet`);
  return { from, to: payeeWalletId === null ? null : await walletRef(reader, payeeWalletId) };
}

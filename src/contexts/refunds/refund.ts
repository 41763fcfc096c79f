// A refund sends back what a completed transfer paid, all of it or a part, as often as something is left (CONTRACT.md 13). It is no spend.

import { eventRecords } from '../../events/event.js';
import type { Prisma, Refund, RefundStatus, Transfer } from '../../generated/prisma/client.js';
import { givenBack, usesOf } from '../../ledger/hold.js';
import { guardsOf } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import { noteOutcome } from '../../platform/audit.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle } from '../../platform/lifecycle.js';
import { parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { diverted } from '../settlement/reserve/holdback.js';
import { drawOnReserve } from '../settlement/reserve/reserve.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { event, transferData } from '../transfers/events.js';
import { type CurrencyExchange, exchangeAccounts } from '../transfers/exchange.js';
import {
  legsOf,
  type Money,
  type NewTransfer,
  partiesOf,
  transferEventSubject,
  transferPosting,
  transferRow,
  type WalletParties,
} from '../transfers/transfer.js';
import { reachableTransfers } from '../transfers/transfer-list.js';
import { refundToCard } from './card-refund.js';
import { NotYourSide } from './errors.js';
import type { CreateRefundInput } from './refund.input.js';
import { followRefund } from './refund-follower.js';
import { type RefundRequest, refundData, refundOutcome } from './refund-row.js';
import { checkRefundable, payeeShare, refundPayeeOf, refuseCard, sumOf } from './refundable.js';

/** A refund between wallets is completed at once. One that leaves the platform waits for its rail. */
export const refundLifecycle: Lifecycle<RefundStatus> = {
  noun: 'refund',
  path: '/v1/refunds/{id}',
  steps: {
    pending: ['processing', 'completed', 'failed', 'cancelled'],
    processing: ['completed', 'failed'],
    // A card may not take what was paid to it.
    completed: ['failed'],
    failed: [],
    cancelled: [],
  },
  requests: [{ to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' }],
};

/**
 * Sends money of a transfer back. 404, 409 for a transfer that is not refunded, 422 `refund_exceeds_original` and
 * `insufficient_balance` of the payee, 403 for an agent that was not paid.
 */
export async function createRefund(ctx: Ctx, input: CreateRefundInput): Promise<Refund> {
  const made = await transact(ctx, async (tx) => {
    const original = await lockTransfer(ctx, tx, input.originalTransferId, 'originalTransferId');
    checkRefundable(ctx, original);
    const payee = await refundPayeeOf(within(ctx, tx), original);
    const { agent } = ctx.actor;
    if (agent !== undefined && payee.agentId !== agent.id) throw new NotYourSide('An agent can refund only what its own wallet received.');
    const amount = input.amount == null ? null : parseMinor(input.amount, original.currency, ['amount']);
    const { reason, reasonDetails } = input;
    const asked = { original, amount, reason, reasonDetails };
    if (original.subjectType === 'card_charge') return refundToCard(ctx, tx, { ...asked, payee });
    return refund(ctx, tx, { ...asked, parties: await partiesOf(within(ctx, tx), original) });
  });
  if (made.status === 'processing') ringAt(ctx, 'card_refund', made.createdAt);
  return made;
}

/** The transfer under its lock, as far as the actor sees it: refunds of it follow each other. */
export async function lockTransfer(ctx: Ctx, tx: Tx, id: string, field?: string): Promise<Transfer> {
  const where = await reachableTransfers(within(ctx, tx));
  return lockRow(tx.transfer, id, field === undefined ? { where } : { where, field });
}

/** The transfer, when it is one between wallets. 409 otherwise. */
export function withWallets(ctx: Pick<Ctx, 'platform'>, transfer: Transfer): Transfer {
  checkRefundable(ctx, transfer);
  refuseCard(transfer);
  return transfer;
}

/** A refund between wallets. */
export interface NewRefund extends RefundRequest {
  parties: WalletParties;
}

/** Writes a refund, moves its money and gives limits back, in one transaction. */
export async function refund(ctx: Ctx, tx: Tx, { parties, ...request }: NewRefund): Promise<Refund> {
  const { original } = request;
  const sum = sumOf(request);
  const at = ctx.clock.now();
  const id = newId(at);
  const asked = await refundTransfer(within(ctx, tx), { id, original, parties, sum, at });
  const value = { ...asked, money: await reserveFirst(ctx, tx, original.id, asked, parties) };
  const transfer = transferRow(ctx, value);
  const refunded = await tx.transfer.update({
    where: rowKey(ctx, original.id),
    data: { refundedAmount: original.refundedAmount + sum, updatedAt: at },
  });
  const made = await tx.refund.create({
    data: refundData(ctx, request, { id, sum, at, transferId: transfer.id, status: 'completed', ...agentsOf(original, parties) }),
  });
  noteOutcome(tx, refundOutcome(made));
  await followRefund(ctx, tx, refunded);
  const uses = await usesOf(tx, ctx.workspace.id, original.id);
  const { amount: sent, capturedAmount, refundedAmount: before } = original;
  const limits = givenBack(uses, { part: sum, whole: capturedAmount ?? sent, before });
  const rules = await rulebook(within(ctx, tx));
  const posting = transferPosting(ctx, transfer, value, { limits, guards: guardsOf(ctx), rules });
  const told = event(ctx, 'transfer.refunded', transferData(refunded), { at, ...transferEventSubject(refunded) });
  await postSpend(
    ctx,
    {
      ...posting,
      records: joinRecords(posting.records, eventRecords(ctx.workspace.id, [told])),
    },
    { in: tx },
  );
  return made;
}

/** What was kept back of the payment is given back first (see G-180): then less comes out of the wallet that was paid. */
async function reserveFirst(
  ctx: Ctx,
  tx: Tx,
  transferId: string,
  value: NewTransfer,
  { from, to }: WalletParties,
): Promise<Money | undefined> {
  const drawn = await drawOnReserve(ctx, tx, transferId, value.amount);
  if (drawn === null) return undefined;
  return { accountId: from.ledger.available, legsInto: () => diverted(legsOf(value), to.ledger.available, [drawn]) };
}

/** The agents on either side of a transfer. */
export function agentsOf(transfer: Transfer, { from, to }: WalletParties): { payerAgentId: string | null; payeeAgentId: string | null } {
  return { payerAgentId: from.agentId ?? transfer.agentId, payeeAgentId: to.agentId };
}

interface RefundParts {
  id: string;
  original: Transfer;
  parties: WalletParties;
  sum: bigint;
  at: Date;
}

/** The transfer of a refund: from the one who was paid to the one who paid, at the rate of the original. */
async function refundTransfer(ctx: Ctx, { id, original, parties, sum, at }: RefundParts): Promise<NewTransfer> {
  const { currency, destinationCurrency, protocol } = original;
  const head = {
    from: parties.to,
    to: parties.from,
    protocol,
    at,
    agentId: ctx.actor.agent?.id,
    description: null,
    subject: { type: 'refund', id },
    protocolMetadata: { refund_of: original.id },
  };
  if (destinationCurrency === null) return { ...head, type: 'internal', amount: sum, currency };
  const accounts = await exchangeAccounts(ctx, destinationCurrency, currency);
  const exchange: CurrencyExchange = { quoteId: null, amount: sum, currency, fee: 0n, accounts };
  return { ...head, type: 'cross_border', amount: payeeShare(original, sum), currency: destinationCurrency, exchange };
}

/** Calls a refund off that has not begun. 409 otherwise. */
export function cancelRefund(ctx: Ctx, id: string): Promise<Refund> {
  return transact(ctx, async (tx) => {
    const found = await lockRow(tx.refund, id, { where: visibleRefunds.where(ctx) });
    checkStep(refundLifecycle, id, found.status, 'cancelled');
    return tx.refund.update({ where: rowKey(ctx, id), data: { status: 'cancelled' } });
  });
}

/** An agent sees the refunds of transfers that it paid or was paid by. */
export const visibleRefunds = new Visibility<Prisma.RefundWhereInput>({
  scope: 'refunds:read',
  agent: ({ id }) => ({ OR: [{ payerAgentId: id }, { payeeAgentId: id }] }),
});

/** The refund that a request has made, which it need not be allowed to read; or 404. */
export async function namedRefund(ctx: Ctx, id: string): Promise<Refund> {
  const found = await ctx.db.refund.findFirst({ where: { AND: [{ id }, visibleRefunds.reach(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** One refund, as far as the actor may see it. 404 otherwise. */
export async function refundById(ctx: Ctx, id: string): Promise<Refund> {
  const found = await ctx.db.refund.findFirst({ where: { AND: [{ id }, visibleRefunds.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Refunds, newest first. */
export const refunds = listOf('refund', { visible: visibleRefunds });

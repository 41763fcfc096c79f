// Refunds of payments by card: the money leaves the merchant and is held until the processor has given it back to the card, by an order of
// the rail that has charged it (CONTRACT.md 12, 13).
import type { CardCharge, CardRefundStatus, Refund, Transfer, VaultedCard } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { guardsOf, move } from '../../ledger/posting.js';
import type { OpenOn } from '../../manifest/noun.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { laneOf } from '../settlement/payout/payout.js';
import { diverted, type HoldbackPart } from '../settlement/reserve/holdback.js';
import { drawOnReserve } from '../settlement/reserve/reserve.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { subjectIdOf } from '../transfers/subject.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import { type RefundRequest, refundData } from './refund-row.js';
import { sumOf } from './refundable.js';

// Gap G-228: A refund to a card is `processing` until it is paid, and never cancelled; the money leaves the merchant at once.
/** Nobody calls one off. It is seen in its refund. */
export const cardRefundLifecycle: Lifecycle<CardRefundStatus> = {
  noun: 'card refund',
  path: '/v1/refunds/{id}',
  steps: { pending: ['paid', 'failed'], paid: [], failed: [] },
  requests: [],
};

/** A refund to a card. */
export interface NewCardRefund extends RefundRequest {
  /** The wallet of the merchant. */
  payee: WalletRef;
}

/**
 * Sets the money of a refund aside, out of what was kept back of the payment and out of the merchant's wallet, and orders the rail to pay
 * it to the card. It counts as refunded from now on. 422 for more than is left, and where the wallet has it no more.
 */
export async function refundToCard(ctx: Ctx, tx: Tx, { payee, ...request }: NewCardRefund): Promise<Refund> {
  const { original } = request;
  const sum = sumOf(request);
  const at = ctx.clock.now();
  const id = newId(at);
  const { card, ...charge } = await tx.cardCharge.findFirstOrThrow({
    where: { id: subjectIdOf(original, 'card_charge') ?? '' },
    include: { card: true },
  });
  const drawn = await drawOnReserve(ctx, tx, original.id, sum);
  const value = await transferOf(within(ctx, tx), { id, sum, at, original, payee, charge, card, drawn });
  const transfer: Transfer = { ...transferRow(ctx, value), capture: 'automatic', toAccountId: card.accountId };
  const refundedAmount = original.refundedAmount + sum;
  await tx.transfer.update({ where: rowKey(ctx, original.id), data: { refundedAmount, updatedAt: at } });
  const agents = { payerAgentId: original.agentId, payeeAgentId: payee.agentId };
  const made = await tx.refund.create({
    data: refundData(ctx, request, { id, sum, at, transferId: transfer.id, status: 'processing', ...agents }),
  });
  const { rail, currency } = charge;
  const order = { id, transferId: transfer.id, chargeId: charge.id, status: 'pending', amount: sum, currency, rail } as const;
  await tx.cardRefund.create({ data: { ...order, createdAt: at, lane: laneOf(ctx, rail), dueAt: at } });
  const rules = await rulebook(within(ctx, tx));
  const posting = transferPosting(ctx, transfer, value, { limits: [], guards: guardsOf(ctx), rules });
  await postSpend(ctx, posting, { in: tx });
  return made;
}

interface Parts {
  id: string;
  sum: bigint;
  at: Date;
  original: Transfer;
  payee: WalletRef;
  charge: CardCharge;
  card: VaultedCard;
  /** What was kept back of the payment, as far as it is given back. */
  drawn: HoldbackPart | null;
}

/** The transfer: from the merchant to the clearing account of the rail, and held until the rail has paid. */
async function transferOf(ctx: Ctx, { id, sum, at, original, payee, charge, card, drawn }: Parts): Promise<NewTransfer> {
  const { rail, currency } = charge;
  const clearing = await unboundedAccount(ctx, `rail.clearing:${rail}`, currency);
  const { available } = payee.ledger;
  const legsInto = (held: string) => {
    const legs = move(currency, sum, available, held);
    return drawn === null ? legs : diverted(legs, available, [drawn]);
  };
  return {
    type: 'internal',
    protocol: original.protocol,
    from: payee,
    to: { ledgerAccountId: clearing },
    amount: sum,
    currency,
    at,
    agentId: ctx.actor.agent?.id,
    subject: { type: 'refund', id },
    protocolMetadata: { refund_of: original.id, card_brand: card.cardBrand, card_last_four: card.cardLastFour },
    hold: { expiresAt: null },
    money: { accountId: clearing, legsInto },
  };
}

/** Refunds whose money is on its way from one of the wallets: they keep a wallet from being closed. */
export async function openCardRefunds(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.transfer.findMany({
    where: { fromWalletId: { in: [...walletIds] }, status: { in: ['pending', 'processing'] }, subjectType: 'refund' },
    orderBy: { id: 'asc' },
    take: most,
    select: { subjectId: true },
  });
  return open.map(({ subjectId: refundId }) => ({
    type: 'refund',
    id: printId('refund', refundId ?? ''),
    ends: { rel: 'refund', actor: 'any', method: 'GET', path: `/v1/refunds/${refundId}` },
  }));
}

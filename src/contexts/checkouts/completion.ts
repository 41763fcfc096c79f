// Completing a checkout: its payment and its status are one transaction, so it is paid once, however many try at once, and never paid
// without being marked so (CONTRACT.md 8). What is no posting alone is paid under the lock of the row; a wallet pays without (decision 0065).
import type { CardCharge, Checkout, Prisma } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { dryRunCharge, openCharge, ringCharge } from '../cards/charge/charge-request.js';
import { type DryRun, dryRunSpend } from '../spending/pipeline/dry-run.js';
import { planCardPayment } from './card-payment.js';
import { type CheckoutProtocol, lockCheckout, visibleWith } from './checkout.js';
import { refuseUnsold } from './merchant-price.js';
import { atAddress, begunRow, checkBuyer, checkUnpaid, waitingRow } from './payable.js';
import {
  type CardPayment,
  type CompleteCheckout,
  type CompletedCheckout,
  draftCheckoutPayment,
  type PaidBefore,
  planCheckoutPayment,
  spendOptionsOf,
} from './payment.js';
import { paidRow } from './payment-outcome.js';
import { payByWallet } from './wallet-payment.js';
import { applyX402Payment, dryRunX402Completion } from './x402-payment.js';

/**
 * Pays a checkout, or asks for the approval of its payment. 404 for what the actor does not see, 403 for an agent that is not its buyer
 * and has no client secret, 409 `checkout_expired` and `state_conflict` for one that is not to be paid. Refusals of the pipeline leave
 * it as it was.
 */
export async function completeCheckout(
  ctx: Ctx,
  protocol: CheckoutProtocol,
  id: string,
  input: CompleteCheckout,
): Promise<CompletedCheckout> {
  const { payment } = input;
  if (payment.kind === 'wallet' || payment.kind === 'mandate') {
    const completed = await payByWallet(ctx, protocol, id, { ...input, payment });
    if (completed.approval !== null) ringAt(ctx, 'approval', completed.approval.dueAt ?? completed.approval.expiresAt);
    return completed;
  }
  const { checkout, approval, charge } = await transact(
    ctx,
    async (tx) => {
      const row = await lockCheckout(ctx, tx, protocol, id, input.clientSecret);
      checkBuyer(ctx, row, input.clientSecret);
      await checkUnpaid(ctx, tx, row);
      input.check?.(row);
      await refuseUnsold(within(ctx, tx), atAddress(row, input));
      return payment.kind === 'card' ? payByCard(ctx, tx, row, { ...input, payment }) : payByX402(ctx, tx, row, { ...input, payment });
    },
    ({ checkout: { id: paid } }) => paid,
  );
  if (charge !== null) ringCharge(ctx, { charge, approval });
  return { checkout, approval };
}

/** What `completeCheckout` would do. A refusal by a layer is a decision, a faulty request an error. */
export async function dryRunCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: CompleteCheckout): Promise<DryRun> {
  const row = await ctx.db.checkout.findFirst({ where: { AND: [{ id, protocol }, visibleWith(ctx, input.clientSecret)] } });
  if (row === null) throw new NotFound();
  checkBuyer(ctx, row, input.clientSecret);
  await checkUnpaid(ctx, ctx.db, row);
  await refuseUnsold(ctx, atAddress(row, input));
  const { payment } = input;
  if (payment.kind === 'card') return dryRunCharge(ctx, await planCardPayment(ctx, row, { ...input, payment }));
  if (payment.kind === 'x402') return dryRunX402Completion(ctx, row, { ...input, payment });
  const plan = await planCheckoutPayment(ctx, row, { ...input, payment });
  return dryRunSpend(ctx, plan.authority, (form) => draftCheckoutPayment(ctx, plan, form), spendOptionsOf(plan, input));
}

/** A checkout whose payment was begun, and the charge of the card that pays it. */
interface Begun extends CompletedCheckout {
  charge: CardCharge | null;
}

/** Opens the charge of a card, and writes that the checkout waits for it. Its lock is held. */
async function payByCard(ctx: Ctx, tx: Tx, row: Checkout, input: CompleteCheckout<CardPayment>): Promise<Begun> {
  const plan = await planCardPayment(within(ctx, tx), row, input);
  const { charge, transfer, approval } = await openCharge(ctx, tx, plan);
  const begun = begunRow(row, input, {
    ...waitingRow(transfer.createdAt),
    paidBy: 'card',
    transferId: transfer.id,
    approvalId: approval?.id ?? null,
    payerAgentId: plan.card.agentId ?? plan.authority.agentId ?? null,
  });
  return { checkout: await write(ctx, tx, row, begun), approval, charge };
}

/** Uses a payment up that was made before, and writes that it has paid. Its lock is held. */
async function payByX402(ctx: Ctx, tx: Tx, row: Checkout, input: CompleteCheckout<PaidBefore>): Promise<Begun> {
  const { transferId, agentId } = await applyX402Payment(ctx, tx, row, input);
  const begun = begunRow(row, input, {
    ...paidRow(ctx.clock.now()),
    paidBy: 'x402',
    transferId,
    approvalId: null,
    payerAgentId: agentId,
  });
  return { checkout: await write(ctx, tx, row, begun), approval: null, charge: null };
}

function write(ctx: Ctx, tx: Tx, { id }: Checkout, begun: ReturnType<typeof begunRow>): Promise<Checkout> {
  return tx.checkout.update({ where: rowKey(ctx, id), data: begun as Prisma.CheckoutUncheckedUpdateInput });
}

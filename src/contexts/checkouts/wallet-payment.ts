// Checkouts that are paid from a wallet, by its owner or by a mandate. The row changes with the posting, which is refused where the row has
// become another than was read; then it is read again. So it is paid once, however many try at once, and never paid without being marked
// so, and no transaction is open meanwhile (decision 0065).
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { changeOf } from '../../platform/postgres/column.js';
import { RowChanged } from '../spending/errors.js';
import { type Draft, executeSpend, type SpendForm } from '../spending/pipeline/execution.js';
import { type CheckoutProtocol, isVisibleWith } from './checkout.js';
import { refuseUnsoldBy } from './merchant-price.js';
import { atAddress, begunRow, checkBuyer, checkUnpaid, waitingRow } from './payable.js';
import { type Payable, readPayable, readSettled } from './payable.sql.js';
import {
  type CheckoutPaymentPlan,
  type CompleteCheckout,
  type CompletedCheckout,
  draftCheckoutPayment,
  planCheckoutPayment,
  spendOptionsOf,
  type WalletPayment,
} from './payment.js';
import { paidRow } from './payment-outcome.js';

type Completion = CompleteCheckout<WalletPayment>;

/** So often a checkout is read again that somebody else has changed meanwhile. Each time another request has got its way. */
const mostAttempts = 20;

/** Posts the payment, or holds its money for an approval, and what that makes of the checkout with it. */
export async function payByWallet(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: Completion): Promise<CompletedCheckout> {
  for (let left = mostAttempts; ; left -= 1) {
    const found = await (left === mostAttempts ? readPayable(ctx, id) : readSettled(ctx, id));
    if (found === undefined || found.row.protocol !== protocol || !isVisibleWith(ctx, found.row, input.clientSecret)) throw new NotFound();
    try {
      return await attempt(ctx, found, input);
    } catch (error) {
      if (!(error instanceof RowChanged) || left === 1) throw error;
    }
  }
}

async function attempt(ctx: Ctx, found: Payable, input: Completion): Promise<CompletedCheckout> {
  const { row, seller } = found;
  checkBuyer(ctx, row, input.clientSecret);
  await checkUnpaid(ctx, ctx.db, row);
  input.check?.(row);
  refuseUnsoldBy(seller, atAddress(row, input));
  const plan = await planCheckoutPayment(ctx, row, input);
  const draft = (form: SpendForm) => draftPaid(ctx, plan, form, found, input);
  const { value: checkout, approval } = await executeSpend(ctx, plan.authority, draft, { ...spendOptionsOf(plan, input), key: row.id });
  return { checkout, approval };
}

/** The payment with what it makes of the checkout. */
function draftPaid(ctx: Ctx, plan: CheckoutPaymentPlan, form: SpendForm, { row, version }: Payable, input: Completion): Draft<Checkout> {
  const { value, paidBy, transferId } = plan;
  const { approvalId } = form;
  const changed = begunRow(row, input, {
    ...(approvalId === null ? paidRow(value.at) : waitingRow(value.at)),
    paidBy,
    transferId,
    approvalId,
    payerAgentId: value.from.agentId ?? value.agentId ?? null,
  });
  const { posting, request } = draftCheckoutPayment(ctx, plan, form);
  const changes = [{ kind: 'checkout', id: row.id, version, row: changeOf(changed) } as const];
  return { value: { ...row, ...changed }, posting: { ...posting, changes }, request };
}

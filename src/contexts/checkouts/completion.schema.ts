// The GraphQL face of what becomes of a checkout: paid, cancelled, fulfilled, refunded.
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { NotYourSide, RefundExceedsOriginal } from '../refunds/errors.js';
import { refundById } from '../refunds/refund.js';
import { Refund } from '../refunds/refund.schema.js';
import { approval } from '../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval/approval.schema.js';
import { MerchantBlocked, mandateErrors } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { PaymentInvalid } from '../x402/errors.js';
import { checkoutOfCharge } from './card-payment.js';
import { type CheckoutProtocol, checkout } from './checkout.js';
import { CheckoutInterface, protocols, reread } from './checkout.schema.js';
import { CancelCheckoutInput, CompleteCheckoutInput, FulfillCheckoutInput, RefundCheckoutInput } from './completion.input.js';
import { completeCheckout, dryRunCheckout } from './completion.js';
import { cancelCheckout } from './ending.js';
import { BuyerPricesRefused, CheckoutExpired, NotYourCheckout, PriceChanged } from './errors.js';
import { fulfillCheckout, refundCheckout } from './fulfillment.js';
import type { CompletedCheckout } from './payment.js';
import { completionOf } from './requested-checkout.js';
import { rest } from './rest.js';

/** The payload of a keyed request that is repeated. */
const payloadOf =
  (protocol: CheckoutProtocol) =>
  async (ctx: Ctx, id: string): Promise<CompletedCheckout> => {
    const row = await checkout(ctx, protocol, id);
    return { checkout: row, approval: row.approvalId === null ? null : await approval(ctx, row.approvalId) };
  };

const stepErrors = [NotFound, NotYourCheckout, StateConflict] as const;
const paying = [
  ...stepErrors,
  PriceChanged,
  BuyerPricesRefused,
  CheckoutExpired,
  PaymentInvalid,
  CurrencyMismatch,
  SameWallet,
  MerchantBlocked,
  ...mandateErrors,
  ...postingErrors,
];
const refunding = facts({ errors: [...stepErrors, RefundExceedsOriginal, NotYourSide, ...postingErrors] });

for (const { protocol, name, type, id } of protocols) {
  const Payload = builder.objectRef<CompletedCheckout>(`${protocol.toUpperCase()}CheckoutPayload`).implement({
    description: 'A checkout that is paid, or pending_payment, with the approval that its payment waits for, if it does.',
    fields: (t) => ({
      checkout: t.field({ type, resolve: (made) => made.checkout }),
      transferId: t.field({ type: 'TransferId', nullable: true, resolve: (made) => made.checkout.transferId }),
      approval: t.expose('approval', pendingApproval),
    }),
  });
  const path = `/v1/${protocol}/checkouts/{id}` as const;

  builder.mutationFields((t) => ({
    [`complete${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/complete`,
        'Pay a checkout: from a wallet, by card, by a mandate, or with an x402 payment that was made before.',
        { body: 'checkout', accepted: 'approval' },
      ),
      type: Payload,
      args: { id: t.arg({ type: id }), input: t.arg({ type: CompleteCheckoutInput }) },
      ...facts({ errors: paying }),
      resolve: once((ctx, args) => completeCheckout(ctx, protocol, args.id, completionOf(args.input)), payloadOf(protocol)),
    }),
    [`dryRun${name}Checkout`]: t.field({
      route: rest(`POST ${path}/complete`, 'Say what paying a checkout would do, and change nothing.', { when: 'dry_run' }),
      type: DryRunType,
      args: { id: t.arg({ type: id }), input: t.arg({ type: CompleteCheckoutInput }) },
      ...facts({ effect: 'none', errors: paying }),
      resolve: (_root, args, ctx) => dryRunCheckout(ctx, protocol, args.id, completionOf(args.input)),
    }),
    [`cancel${name}Checkout`]: t.field({
      route: rest(`POST ${path}/cancel`, 'Call a checkout off that is not paid.'),
      type,
      args: { id: t.arg({ type: id }), input: t.arg({ type: CancelCheckoutInput }) },
      ...facts({ errors: [...stepErrors, CheckoutExpired] }),
      resolve: once((ctx, args) => cancelCheckout(ctx, protocol, args.id, args.input), reread(protocol)),
    }),
    [`fulfill${name}Checkout`]: t.field({
      route: rest(`POST ${path}/fulfill`, 'Say that what was paid was delivered.'),
      type,
      args: { id: t.arg({ type: id }), input: t.arg({ type: FulfillCheckoutInput }) },
      ...facts({ errors: stepErrors }),
      resolve: once((ctx, args) => fulfillCheckout(ctx, protocol, args.id, args.input), reread(protocol)),
    }),
    [`refund${name}Checkout`]: t.field({
      route: rest(`POST ${path}/refund`, 'Send money of a paid checkout back, all of it or a part.', { status: 201 }),
      type: Refund,
      args: { id: t.arg({ type: id }), input: t.arg({ type: RefundCheckoutInput }) },
      ...refunding,
      resolve: once((ctx, args) => refundCheckout(ctx, protocol, args.id, args.input), refundById),
    }),
  }));
}

/** The checkout that was approved, as far as the actor sees it. */
function approved(ctx: Ctx, subjectType: string, id: string): Promise<Checkout | null> | null {
  if (subjectType === 'acp_checkout') return checkout(ctx, 'acp', id);
  if (subjectType === 'ucp_checkout') return checkout(ctx, 'ucp', id);
  return subjectType === 'card_charge' ? checkoutOfCharge(ctx, id) : null;
}
builder.objectField(ApproveApprovalPayload, 'checkout', (t) =>
  t.field({
    type: CheckoutInterface,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => approved(ctx, subjectType, subjectId),
  }),
);

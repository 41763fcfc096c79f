// The GraphQL face of what becomes of a checkout: paid, cancelled, fulfilled, refunded.
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { NotYourSide, RefundExceedsOriginal } from '../refunds/errors.js';
import { namedRefund } from '../refunds/refund.js';
import { Refund } from '../refunds/refund.schema.js';
import { awaitedApproval } from '../spending/approval/approval.js';
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
    return { checkout: row, approval: await awaitedApproval(ctx, row.approvalId) };
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
    description: 'A checkout that is paid or being paid, and the approval that its payment waits for, if any.',
    fields: (t) => ({
      checkout: t.field({ type, description: 'The checkout after the payment was begun.', resolve: (made) => made.checkout }),
      transferId: t.field({
        type: 'TransferId',
        nullable: true,
        description: 'The transfer of the payment; null while there is none.',
        resolve: (made) => made.checkout.transferId,
      }),
      approval: t.expose('approval', pendingApproval),
    }),
  });
  const path = `/v1/${protocol}/checkouts/{id}` as const;

  builder.mutationFields((t) => ({
    [`complete${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/complete`,
        'Pay a checkout from a wallet, by card, under a mandate, or with an x402 payment that was made before. The spend pipeline checks it like any spend, and an approval may be needed (202). Only its buyer pays, or who has its `client_secret` (403); one that is paid or has expired is 409.',
        { body: 'checkout', accepted: 'approval' },
      ),
      type: Payload,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: CompleteCheckoutInput }) },
      ...facts({ errors: paying }),
      resolve: once((ctx, args) => completeCheckout(ctx, protocol, args.id, completionOf(args.input)), payloadOf(protocol)),
    }),
    [`dryRun${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/complete`,
        'Show what paying a checkout would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
        { when: 'dry_run' },
      ),
      type: DryRunType,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: CompleteCheckoutInput }) },
      ...facts({ effect: 'none', errors: paying }),
      resolve: (_root, args, ctx) => dryRunCheckout(ctx, protocol, args.id, completionOf(args.input)),
    }),
    [`cancel${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/cancel`,
        'Cancel a checkout that is not paid, as either side. An approval that its payment waits for is withdrawn; while a card or a chain is still paying, the answer is 409.',
      ),
      type,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: CancelCheckoutInput }) },
      ...facts({ errors: [...stepErrors, CheckoutExpired] }),
      resolve: once((ctx, args) => cancelCheckout(ctx, protocol, args.id, args.input), reread(protocol)),
    }),
    [`fulfill${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/fulfill`,
        'Report that a paid checkout was delivered, as the merchant. It is `fulfilled` then; a checkout that is not paid is 409.',
      ),
      type,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: FulfillCheckoutInput }) },
      ...facts({ errors: stepErrors }),
      resolve: once((ctx, args) => fulfillCheckout(ctx, protocol, args.id, args.input), reread(protocol)),
    }),
    [`refund${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}/refund`,
        'Refund a paid checkout, all of it or a part. The money comes from the wallet that was paid; more than is left is 422 `refund_exceeds_original`. The checkout keeps its status, and `metadata.refunded` is true once all went back.',
        { status: 201 },
      ),
      type: Refund,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: RefundCheckoutInput }) },
      ...refunding,
      resolve: once((ctx, args) => refundCheckout(ctx, protocol, args.id, args.input), namedRefund),
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
    description: 'The checkout whose payment was approved; else null.',
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => approved(ctx, subjectType, subjectId),
  }),
);

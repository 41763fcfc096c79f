// The GraphQL face of checkouts that are begun, changed and read.
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { MerchantBlocked } from '../spending/errors.js';
import {
  CheckoutStatusEnum,
  CreateAcpCheckoutInput,
  CreateUcpCheckoutInput,
  UpdateAcpCheckoutInput,
  UpdateUcpCheckoutInput,
} from './checkout.input.js';
import { checkout, checkouts } from './checkout.js';
import { protocols, reread } from './checkout.schema.js';
import { BuyerPricesRefused, CheckoutExpired, NotYourCheckout, OutOfStock, PriceChanged } from './errors.js';
import { createPriced, updatePriced } from './merchant-price.js';
import { checkoutChange, newCheckout } from './requested-checkout.js';
import { rest } from './rest.js';

const pricing = [PriceChanged, OutOfStock, BuyerPricesRefused];
const createInputs = { acp: CreateAcpCheckoutInput, ucp: CreateUcpCheckoutInput };
const updateInputs = { acp: UpdateAcpCheckoutInput, ucp: UpdateUcpCheckoutInput };

for (const { protocol, name, type, id } of protocols) {
  const CheckoutPage = pageOf(type, `${protocol.toUpperCase()}Checkout`);
  const path = `/v1/${protocol}/checkouts` as const;

  builder.queryFields((t) => ({
    [`${protocol}Checkout`]: t.field({
      route: rest(
        `GET ${path}/{id}`,
        'Read a checkout with its items and status. An agent reads those that it created, is named in or pays, and those of merchants of its account; any other is 404.',
      ),
      type,
      authScopes: { audience: 'any', scope: 'checkouts:read' },
      args: { id: t.arg({ type: id }) },
      ...facts({ errors: [NotFound] }),
      resolve: (_root, args, ctx) => checkout(ctx, protocol, args.id),
    }),
    [`${protocol}Checkouts`]: t.field({
      route: rest(
        `GET ${path}`,
        `List ${protocol.toUpperCase()} checkouts, newest first. Filter by status or merchant; an agent sees those that it takes part in.`,
      ),
      type: CheckoutPage,
      authScopes: { audience: 'any', scope: 'checkouts:read' },
      args: {
        ...pageArgs(t),
        status: t.arg({ type: CheckoutStatusEnum, required: false }),
        merchantId: t.arg({ type: 'MerchantId', required: false }),
      },
      resolve: (_root, filter, ctx) => checkouts[protocol](ctx, filter),
    }),
  }));

  builder.mutationFields((t) => ({
    [`create${name}Checkout`]: t.field({
      route: rest(
        `POST ${path}`,
        'Create a checkout: a basket at a merchant, to be paid before it expires. Where the merchant has an offer its prices count, and others are 409 `price_changed` with the right ones. A merchant that is not active is 403.',
        { status: 201 },
      ),
      type,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { input: t.arg({ type: createInputs[protocol] }) },
      ...facts({ errors: [NotFound, MerchantBlocked, ...pricing] }),
      resolve: once((ctx, { input }) => createPriced(ctx, newCheckout(ctx, protocol, input)), reread(protocol)),
    }),
    [`update${name}Checkout`]: t.field({
      route: rest(
        `PATCH ${path}/{id}`,
        'Change the items, address, payment method or metadata of a checkout. It can be changed while its status is `created`; later it is 409. New items take the prices of today.',
      ),
      type,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { id: t.arg({ type: id }), input: t.arg({ type: updateInputs[protocol] }) },
      ...facts({ errors: [NotFound, NotYourCheckout, CheckoutExpired, StateConflict, ...pricing] }),
      resolve: once((ctx, args) => updatePriced(ctx, protocol, args.id, checkoutChange(args.input)), reread(protocol)),
    }),
  }));
}

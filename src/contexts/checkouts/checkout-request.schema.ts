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
      route: rest(`GET ${path}/{id}`, 'Read a checkout.'),
      type,
      args: { id: t.arg({ type: id }) },
      ...facts({ errors: [NotFound] }),
      resolve: (_root, args, ctx) => checkout(ctx, protocol, args.id),
    }),
    [`${protocol}Checkouts`]: t.field({
      route: rest(`GET ${path}`, protocol === 'acp' ? 'List checkouts.' : 'List checkouts of UCP.'),
      type: CheckoutPage,
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
      route: rest(`POST ${path}`, 'Begin a checkout: a basket at a merchant, to be paid before its time is over.', { status: 201 }),
      type,
      args: { input: t.arg({ type: createInputs[protocol] }) },
      ...facts({ errors: [NotFound, MerchantBlocked, ...pricing] }),
      resolve: once((ctx, { input }) => createPriced(ctx, newCheckout(ctx, protocol, input)), reread(protocol)),
    }),
    [`update${name}Checkout`]: t.field({
      route: rest(`PATCH ${path}/{id}`, 'Change a checkout that nobody has begun to pay.'),
      type,
      args: { id: t.arg({ type: id }), input: t.arg({ type: updateInputs[protocol] }) },
      ...facts({ errors: [NotFound, NotYourCheckout, CheckoutExpired, StateConflict, ...pricing] }),
      resolve: once((ctx, args) => updatePriced(ctx, protocol, args.id, checkoutChange(args.input)), reread(protocol)),
    }),
  }));
}

// The GraphQL face of batches of checkouts.
import { z } from 'zod';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { AcpCheckout, UcpCheckout } from './checkout.schema.js';
import { type CheckoutBatch, type CheckoutError, checkoutBatch, createCheckoutBatch, mostCheckouts } from './checkout-batch.js';
import { CreateAcpCheckoutInput, CreateUcpCheckoutInput } from './checkout-request.schema.js';
import { rest } from './rest.js';

const ErrorType = builder.objectRef<CheckoutError>('CheckoutBatchError').implement({
  extensions: { component: false },
  description: 'Why an item of a batch was not made.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the request, from 0.' }),
    code: t.exposeString('code'),
    error: t.exposeString('error'),
  }),
});

const BatchInterface = builder.interfaceRef<CheckoutBatch>('CheckoutBatch').implement({
  description: 'Checkouts that were begun with one request, in order, and why the others were not.',
  fields: (t) => ({
    batchId: t.field({ type: 'BatchId', resolve: ({ batch }) => batch.id }),
    total: t.int({ resolve: ({ batch }) => batch.totalCount }),
    created: t.int({ resolve: ({ batch }) => batch.successCount }),
    failed: t.int({ resolve: ({ batch }) => batch.failedCount }),
    errors: t.field({
      wire: { after: 'checkouts' },
      type: [ErrorType],
      ...facts({ most: mostCheckouts }),
      resolve: ({ errors }) => [...errors],
    }),
  }),
});
const AcpBatch = builder.objectRef<CheckoutBatch>('ACPCheckoutBatch').implement({
  interfaces: [BatchInterface],
  fields: (t) => ({
    checkouts: t.field({ type: [AcpCheckout], ...facts({ most: mostCheckouts }), resolve: ({ checkouts }) => [...checkouts] }),
  }),
});
const UcpBatch = builder.objectRef<CheckoutBatch>('UCPCheckoutBatch').implement({
  interfaces: [BatchInterface],
  fields: (t) => ({
    checkouts: t.field({ type: [UcpCheckout], ...facts({ most: mostCheckouts }), resolve: ({ checkouts }) => [...checkouts] }),
  }),
});

const length = z.array(z.unknown()).min(1).max(mostCheckouts);
const AcpBatchInput = builder.inputType('CreateACPCheckoutBatchInput', {
  fields: (t) => ({ checkouts: t.field({ type: [CreateAcpCheckoutInput], description: 'Each as by itself.', validate: length }) }),
});
const UcpBatchInput = builder.inputType('CreateUCPCheckoutBatchInput', {
  fields: (t) => ({ checkouts: t.field({ type: [CreateUcpCheckoutInput], description: 'Each as by itself.', validate: length }) }),
});

const description = 'Begins up to 100 checkouts at once, each by itself. One request of the rate limits.';
builder.mutationFields((t) => ({
  createAcpCheckoutBatch: t.field({
    route: rest('POST /v1/acp/checkouts/batch', 'Begin many checkouts at once, each by itself.', { status: 201, body: true }),
    type: AcpBatch,
    description,
    args: { input: t.arg({ type: AcpBatchInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => createCheckoutBatch(ctx, 'acp', input.checkouts), checkoutBatch),
  }),
  createUcpCheckoutBatch: t.field({
    route: rest('POST /v1/ucp/checkouts/batch', 'Begin many checkouts at once, each by itself.', { status: 201, body: true }),
    type: UcpBatch,
    description,
    args: { input: t.arg({ type: UcpBatchInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => createCheckoutBatch(ctx, 'ucp', input.checkouts), checkoutBatch),
  }),
}));

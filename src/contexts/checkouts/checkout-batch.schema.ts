// The GraphQL face of batches of checkouts.
import { z } from 'zod';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { CreateAcpCheckoutInput, CreateUcpCheckoutInput } from './checkout.input.js';
import { protocols } from './checkout.schema.js';
import { type CheckoutBatch, type CheckoutError, checkoutBatch, createCheckoutBatch, mostCheckouts } from './checkout-batch.js';
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
const length = z.array(z.unknown()).min(1).max(mostCheckouts);
const inputs = { acp: CreateAcpCheckoutInput, ucp: CreateUcpCheckoutInput };

for (const { protocol, name, type } of protocols) {
  const Batch = builder.objectRef<CheckoutBatch>(`${protocol.toUpperCase()}CheckoutBatch`).implement({
    interfaces: [BatchInterface],
    fields: (t) => ({
      checkouts: t.field({ type: [type], ...facts({ most: mostCheckouts }), resolve: ({ checkouts }) => [...checkouts] }),
    }),
  });
  const BatchInput = builder.inputType(`Create${protocol.toUpperCase()}CheckoutBatchInput`, {
    fields: (t) => ({ checkouts: t.field({ type: [inputs[protocol]], description: 'Each as by itself.', validate: length }) }),
  });

  builder.mutationField(`create${name}CheckoutBatch`, (t) =>
    t.field({
      route: rest(`POST /v1/${protocol}/checkouts/batch`, 'Begin many checkouts at once, each by itself.', { status: 201, body: true }),
      type: Batch,
      description: 'Begins up to 100 checkouts at once, each by itself. One request of the rate limits.',
      args: { input: t.arg({ type: BatchInput }) },
      ...facts({ batch: true }),
      resolve: once((ctx, { input }) => createCheckoutBatch(ctx, protocol, input.checkouts), checkoutBatch),
    }),
  );
}

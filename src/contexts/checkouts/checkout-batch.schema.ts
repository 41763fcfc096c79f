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
  description: 'Why an item of a batch was refused.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the request, from 0.' }),
    code: t.exposeString('code'),
    error: t.exposeString('error', { description: 'What went wrong, as a sentence for people; its wording may change.' }),
    details: t.expose('details', { type: 'JSONObject', description: 'What a request of its own would have been told.' }),
  }),
});

const BatchInterface = builder.interfaceRef<CheckoutBatch>('CheckoutBatch').implement({
  description: 'Checkouts created with one request, in order, and why others were refused.',
  fields: (t) => ({
    batchId: t.field({ type: 'BatchId', description: 'The batch, to read with `GET /v1/batches/{id}`.', resolve: ({ batch }) => batch.id }),
    total: t.int({ description: 'Number of items.', resolve: ({ batch }) => batch.totalCount }),
    created: t.int({ description: 'Number of checkouts that were created.', resolve: ({ batch }) => batch.successCount }),
    failed: t.int({ description: 'Number of items that were refused.', resolve: ({ batch }) => batch.failedCount }),
    errors: t.field({
      wire: { after: 'checkouts' },
      type: [ErrorType],
      description: 'Why items were refused.',
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
    description: 'Checkouts created with one request, in order, and why others were refused.',
    fields: (t) => ({
      checkouts: t.field({
        type: [type],
        description: 'The checkouts that were created, in the order of the request.',
        ...facts({ most: mostCheckouts }),
        resolve: ({ checkouts }) => [...checkouts],
      }),
    }),
  });
  const BatchInput = builder.inputType(`Create${protocol.toUpperCase()}CheckoutBatchInput`, {
    description: 'New checkouts.',
    fields: (t) => ({
      checkouts: t.field({
        type: [inputs[protocol]],
        description: '1 to 100 checkouts, each as in the request for one.',
        validate: length,
      }),
    }),
  });

  builder.mutationField(`create${name}CheckoutBatch`, (t) =>
    t.field({
      route: rest(
        `POST /v1/${protocol}/checkouts/batch`,
        'Create up to 100 checkouts at once. Each succeeds or fails by itself, and together they count as one request of the rate limit; `errors` says why items were refused.',
        { status: 201, body: true },
      ),
      type: Batch,
      authScopes: { audience: 'any', scope: 'checkouts:write' },
      args: { input: t.arg({ type: BatchInput }) },
      ...facts({ batch: true }),
      resolve: once((ctx, { input }) => createCheckoutBatch(ctx, protocol, input.checkouts), checkoutBatch),
    }),
  );
}

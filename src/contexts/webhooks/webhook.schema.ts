// The GraphQL face of webhook subscriptions. Agents see none of it; only an API key changes it.
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { InvalidWebhookUrl, TooManyWebhooks } from './errors.js';
import { rest } from './rest.js';
import { verifyWebhook } from './verification.js';
import {
  CreateWebhookInput,
  RotateSecretInput,
  RotationStrategyEnum,
  UpdateWebhookInput,
  VerificationEnum,
  WebhookStatusEnum,
} from './webhook.input.js';
import {
  createWebhook,
  deleteWebhook,
  type IssuedWebhook,
  isVerified,
  previousSecretEnd,
  rotateSecret,
  updateWebhook,
  webhook,
  webhooks,
} from './webhook.js';

const secretOf = (row: object) => (row as Partial<IssuedWebhook>).secret ?? null;

const Webhook = builder.prismaObject('Webhook', {
  description: 'A subscription: an endpoint that is told of the events it names.',
  fields: (t) => ({
    id: t.expose('id', { type: 'WebhookId' }),
    url: t.exposeString('url'),
    events: t.exposeStringList('events'),
    description: t.exposeString('description', { nullable: true }),
    status: t.expose('status', { type: WebhookStatusEnum }),
    verification: t.field({
      type: VerificationEnum,
      description:
        'Whether the endpoint has proved itself: it is posted `webhook.verification` and answers `{"challenge": "…"}`, or the challenge as text. Until then it gets one event a second at most, and its host 1,000 a day; the rest waits.',
      resolve: (row, _args, ctx) => (isVerified(ctx, row) ? 'verified' : 'pending'),
    }),
    verifiedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Of a subscription that is older than verification: it counts as verified so long.',
      resolve: ({ verifiedUntil }) => verifiedUntil,
    }),
    secret: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The secret that deliveries are signed with: only in the answer that made it.',
      extensions: { secret: true },
      resolve: secretOf,
    }),
    failingSince: t.expose('failingSince', { type: 'DateTime', nullable: true, description: 'No delivery has arrived since.' }),
    disabledAt: t.expose('disabledAt', { type: 'DateTime', nullable: true }),
    disabledReason: t.exposeString('disabledReason', { nullable: true }),
    previousSecretExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until then deliveries carry a signature with the old secret too.',
      resolve: (row, _args, ctx) => previousSecretEnd(ctx, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const WebhookPage = pageOf(Webhook, 'Webhook');

const DeletedWebhook = builder.objectRef<{ id: string }>('DeletedWebhook').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'WebhookId' }), deleted: t.boolean({ resolve: () => true }) }),
});

type Rotated = Pick<IssuedWebhook, 'id' | 'previousSecretExpiresAt'>;
const RotatedSecret = builder.objectRef<Rotated>('RotatedSecret').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'WebhookId' }),
    secret: t.string({ nullable: true, extensions: { secret: true }, resolve: secretOf }),
    strategy: t.field({
      type: RotationStrategyEnum,
      resolve: ({ previousSecretExpiresAt }) => (previousSecretExpiresAt === null ? 'immediate' : 'overlap'),
    }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', { type: 'DateTime', nullable: true }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.prismaField({
    route: rest('GET /v1/webhooks/{id}', 'Read a webhook subscription, without its secret.'),
    type: Webhook,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => webhook(ctx, id, query),
  }),
  webhooks: t.field({
    route: rest('GET /v1/webhooks', 'List webhook subscriptions.'),
    type: WebhookPage,
    authScopes: { audience: 'operator' },
    ...listed(t, webhooks, { status: t.arg({ type: WebhookStatusEnum, required: false }) }),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    route: rest(
      'POST /v1/webhooks',
      'Subscribe an endpoint to events. The secret is shown once. The endpoint is then posted `webhook.verification` and proves itself by its answer.',
      { status: 201, also: ['secret'] },
    ),
    type: Webhook,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: CreateWebhookInput }) },
    ...facts({ errors: [InvalidWebhookUrl, TooManyWebhooks] }),
    resolve: once((ctx, { input }) => createWebhook(ctx, input), webhook),
  }),
  updateWebhook: t.field({
    route: rest('PATCH /v1/webhooks/{id}', 'Change a webhook subscription; pause it, or make it active again.'),
    type: Webhook,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: UpdateWebhookInput }) },
    ...facts({ errors: [NotFound, StateConflict, InvalidWebhookUrl] }),
    resolve: once((ctx, { id, input }) => updateWebhook(ctx, { ...input, id }), webhook),
  }),
  deleteWebhook: t.field({
    route: rest('DELETE /v1/webhooks/{id}', 'End a webhook subscription. Its deliveries stay readable.'),
    type: DeletedWebhook,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteWebhook(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
  verifyWebhook: t.field({
    route: rest(
      'POST /v1/webhooks/{id}/verify',
      'Ask an endpoint to prove itself again, and wait for its answer: it is posted `webhook.verification`.',
    ),
    type: Webhook,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => verifyWebhook(ctx, id), webhook),
  }),
  rotateWebhookSecret: t.field({
    route: rest(
      'POST /v1/webhooks/{id}/rotate-secret',
      'Replace the secret of a subscription, with an overlap in which both sign, or at once.',
    ),
    type: RotatedSecret,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: RotateSecretInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }): Promise<Rotated> => rotateSecret(ctx, { ...input, id }), webhook),
  }),
}));

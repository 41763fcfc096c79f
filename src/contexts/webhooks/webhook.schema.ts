// The GraphQL face of webhook subscriptions. Agents see none of it; only an API key changes it.

import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { operatorsOnly } from '../../platform/visibility.js';
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
  ...byId(rowsOf('webhook', operatorsOnly('webhooks:read'), { where: { deletedAt: null } })),
  description: 'A subscription: an endpoint that is sent the events it names.',
  fields: (t) => ({
    id: t.expose('id', { type: 'WebhookId' }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    events: t.exposeStringList('events', { description: 'Event types, wildcards such as `transfer.*`, or `*`.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Your own text about the subscription; null where none was given.',
    }),
    status: t.expose('status', { type: WebhookStatusEnum }),
    verification: t.field({
      type: VerificationEnum,
      description:
        'Whether the endpoint has proved itself: it is sent `webhook.verification` and answers `{"challenge": "…"}`, or the challenge as text. Until then it gets one event a second at most, and its host 1,000 a day.',
      resolve: (row, _args, ctx) => (isVerified(ctx, row) ? 'verified' : 'pending'),
    }),
    verifiedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'For a subscription older than verification: until when it counts as verified; else null.',
      resolve: ({ verifiedUntil }) => verifiedUntil,
    }),
    secret: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The secret that deliveries are signed with, shown only in the response that created it; null afterwards.',
      extensions: { secret: true },
      resolve: secretOf,
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when no delivery has arrived; null where the last one did.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the platform disabled it; null where it did not.',
    }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the platform disabled it; null where it did not.',
    }),
    previousSecretExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when deliveries are signed with the old secret too; null without one.',
      resolve: (row, _args, ctx) => previousSecretEnd(ctx, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const WebhookPage = pageOf(Webhook, 'Webhook');

const DeletedWebhook = builder.objectRef<{ id: string }>('DeletedWebhook').implement({
  description: 'A webhook subscription that was ended.',
  fields: (t) => ({ id: t.expose('id', { type: 'WebhookId' }), deleted: t.boolean({ resolve: () => true }) }),
});

type Rotated = Pick<IssuedWebhook, 'id' | 'previousSecretExpiresAt'>;
const RotatedSecret = builder.objectRef<Rotated>('RotatedSecret').implement({
  description: 'The new secret of a subscription.',
  fields: (t) => ({
    id: t.expose('id', { type: 'WebhookId' }),
    secret: t.string({
      nullable: true,
      description: 'The new secret, shown only in this response; null in a replay.',
      extensions: { secret: true },
      resolve: secretOf,
    }),
    strategy: t.field({
      type: RotationStrategyEnum,
      description: 'Whether both secrets sign for a while.',
      resolve: ({ previousSecretExpiresAt }) => (previousSecretExpiresAt === null ? 'immediate' : 'overlap'),
    }),
    previousSecretExpiresAt: t.expose('previousSecretExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the old secret still signs; null where it does not.',
    }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.prismaField({
    route: rest(
      'GET /v1/webhooks/{id}',
      'Read a webhook subscription, without its secret. It shows whether its endpoint has proved itself and whether deliveries arrive.',
    ),
    type: Webhook,
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => webhook(ctx, id, query),
  }),
  webhooks: t.field({
    route: rest('GET /v1/webhooks', 'List webhook subscriptions, newest first. Filter by status; secrets are never shown.'),
    type: WebhookPage,
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    ...listed(t, webhooks, { status: t.arg({ type: WebhookStatusEnum, required: false }) }),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    route: rest(
      'POST /v1/webhooks',
      'Subscribe an endpoint to events. The secret that signs its deliveries is shown once, in this response. The endpoint is then sent `webhook.verification` and proves itself by its answer; a private address is 422 `invalid_webhook_url`. A workspace has at most 16.',
      { status: 201, also: ['secret'] },
    ),
    type: Webhook,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { input: t.arg({ type: CreateWebhookInput }) },
    ...facts({ errors: [InvalidWebhookUrl, TooManyWebhooks] }),
    resolve: once((ctx, { input }) => createWebhook(ctx, input), webhook),
  }),
  updateWebhook: t.field({
    route: rest(
      'PATCH /v1/webhooks/{id}',
      'Change a webhook subscription, pause it, or make it active again. At a new address the endpoint has to prove itself again. Made active it begins with a clean count of failures.',
    ),
    type: Webhook,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: UpdateWebhookInput }) },
    ...facts({ errors: [NotFound, StateConflict, InvalidWebhookUrl] }),
    resolve: once((ctx, { id, input }) => updateWebhook(ctx, { ...input, id }), webhook),
  }),
  deleteWebhook: t.field({
    route: rest(
      'DELETE /v1/webhooks/{id}',
      'End a webhook subscription. Deliveries that are still to be sent go to the dead-letter queue; those of the past stay readable.',
    ),
    type: DeletedWebhook,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
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
      'Ask an endpoint to prove itself now, and wait for its answer. It is sent `webhook.verification`; an endpoint that has proved itself is left as it is.',
    ),
    type: Webhook,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => verifyWebhook(ctx, id), webhook),
  }),
  rotateWebhookSecret: t.field({
    route: rest(
      'POST /v1/webhooks/{id}/rotate-secret',
      'Replace the secret of a subscription. During an overlap, 24 hours by default, deliveries carry a signature of each secret. The new one is shown once, in this response.',
    ),
    type: RotatedSecret,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: RotateSecretInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }): Promise<Rotated> => rotateSecret(ctx, { ...input, id }), webhook),
  }),
}));

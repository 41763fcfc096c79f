// The GraphQL face of card networks and of the processors of cards.
import { z } from 'zod';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { cardNetworks } from '../../transfers/rail.js';
import { connectProcessor, disconnectProcessor, type HandlerState, paymentHandler, processorHandlers } from '../charge/payment-handler.js';
import { rest } from '../rest.js';
import { CardNetworkEnum } from '../verification/verification.input.js';
import { type NetworkEnrollment, networkEnrollments } from './network.js';

const EnrollmentStatus = builder.enumType('CardNetworkStatus', {
  description: '`enrolled`: can be used. `pending`: being enrolled. `not_enrolled`: not configured. `suspended`: stopped by the network.',
  values: ['enrolled', 'pending', 'not_enrolled', 'suspended'] as const,
});
const HandlerStatus = builder.enumType('PaymentHandlerStatus', {
  description: '`pending`: waits for authorization at the processor. `connected`: can be used. `error`: the connection failed.',
  values: ['pending', 'connected', 'error'] as const,
});

const Enrollment = builder.objectRef<NetworkEnrollment>('CardNetworkEnrollment').implement({
  description: 'Whether the workspace can use a card network.',
  fields: (t) => ({
    network: t.expose('network', { type: CardNetworkEnum }),
    program: t.exposeString('program', { description: "The network's name for payments by agents." }),
    status: t.expose('status', { type: EnrollmentStatus }),
    environment: t.exposeString('environment', { description: '`test` or `live`.' }),
    capabilities: t.exposeStringList('capabilities', { description: 'What can be done: any of verify, authorize, cancel and refund.' }),
    keyDirectoryUrl: t.exposeString('keyDirectoryUrl', { description: "Address of the directory with the agents' public keys." }),
    enrolledAt: t.expose('enrolledAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When the workspace was enrolled; null while it is not.',
    }),
  }),
});

const Handler = builder.objectRef<HandlerState>('PaymentHandler').implement({
  description: 'The connection to a card processor.',
  fields: (t) => ({
    processor: t.exposeString('processor', { description: 'Name of the processor.' }),
    status: t.expose('status', { type: HandlerStatus }),
    authorizeUrl: t.string({
      wire: { orNull: true },
      nullable: true,
      description: 'Where to authorize the connection at the processor; null where none is needed.',
      resolve: () => null,
    }),
    state: t.string({
      wire: { orNull: true },
      nullable: true,
      description: 'What the processor sends back with its authorization; null where none is needed.',
      resolve: () => null,
    }),
    expiresAt: t.field({
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Until when the connection can be authorized; null where no authorization is needed.',
      resolve: () => null,
    }),
    connectedAt: t.expose('connectedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When it was connected; null where it was so from the beginning.',
    }),
  }),
});

const DisconnectedHandler = builder.objectRef<{ id: string }>('DisconnectedPaymentHandler').implement({
  description: 'A card processor that was disconnected.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Name of the processor.' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  cardNetworks: t.field({
    route: rest(
      'GET /v1/cards/networks',
      'List the card networks with the state of your enrollment. In the sandbox every network is enrolled.',
    ),
    type: [Enrollment],
    authScopes: { audience: 'any', scope: 'cards:read' },
    ...facts({ most: cardNetworks.length }),
    resolve: (_root, _args, ctx) => networkEnrollments(ctx),
  }),
  paymentHandlers: t.field({
    route: rest(
      'GET /v1/payment-handlers',
      'List the card processors that the workspace is connected to. The sandbox has the processor `simulated`.',
    ),
    type: [Handler],
    authScopes: { audience: 'operator', scope: 'cards:read' },
    ...facts({ most: 10 }),
    resolve: (_root, _args, ctx) => processorHandlers(ctx),
  }),
}));

const processorName = z.string().min(1).max(64);
builder.mutationFields((t) => ({
  connectPaymentHandler: t.field({
    route: rest(
      'GET /v1/payment-handlers/connect',
      'Connect a card processor. In the sandbox it is connected at once; elsewhere the answer may have an `authorize_url` to visit. An unknown processor is 400.',
    ),
    type: Handler,
    authScopes: { audience: 'operator', scope: 'cards:write' },
    args: {
      processor: t.arg.string({
        description: 'Name of the processor; `simulated` in the sandbox.',
        validate: processorName,
        extensions: { example: 'simulated' },
      }),
    },
    resolve: once((ctx, { processor }) => connectProcessor(ctx, processor), paymentHandler),
  }),
  disconnectPaymentHandler: t.field({
    route: rest(
      'DELETE /v1/payment-handlers/{processor}',
      'Disconnect a card processor. Its cards are charged no more until it is connected again; payments under way go on.',
    ),
    type: DisconnectedHandler,
    authScopes: { audience: 'operator', scope: 'cards:write' },
    args: {
      processor: t.arg.string({ description: 'Name of the processor.', validate: processorName, extensions: { example: 'simulated' } }),
    },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { processor }) => disconnectProcessor(ctx, processor),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));

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

const EnrollmentStatus = builder.enumType('CardNetworkStatus', { values: ['enrolled', 'pending', 'not_enrolled', 'suspended'] as const });
const HandlerStatus = builder.enumType('PaymentHandlerStatus', { values: ['pending', 'connected', 'error'] as const });

const Enrollment = builder.objectRef<NetworkEnrollment>('CardNetworkEnrollment').implement({
  description: 'How the workspace stands with a card network.',
  fields: (t) => ({
    network: t.expose('network', { type: CardNetworkEnum }),
    program: t.exposeString('program', { description: 'What the network calls that it takes payments of agents.' }),
    status: t.expose('status', { type: EnrollmentStatus }),
    environment: t.exposeString('environment', { description: 'test or live.' }),
    capabilities: t.exposeStringList('capabilities', { description: 'Of verify, authorize, cancel and refund.' }),
    keyDirectoryUrl: t.exposeString('keyDirectoryUrl', { description: 'Where the public keys of agents are listed.' }),
    enrolledAt: t.expose('enrolledAt', { wire: { orNull: true }, type: 'DateTime', nullable: true }),
  }),
});

const Handler = builder.objectRef<HandlerState>('PaymentHandler').implement({
  description: 'The connection to a processor of cards.',
  fields: (t) => ({
    processor: t.exposeString('processor'),
    status: t.expose('status', { type: HandlerStatus }),
    authorizeUrl: t.string({
      wire: { orNull: true },
      nullable: true,
      description: 'Where the processor asks for leave; null where it asks for none.',
      resolve: () => null,
    }),
    state: t.string({
      wire: { orNull: true },
      nullable: true,
      description: 'What the processor sends back with its leave.',
      resolve: () => null,
    }),
    expiresAt: t.field({
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Until when the leave can be given.',
      resolve: () => null,
    }),
    connectedAt: t.expose('connectedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Null: from the beginning.',
    }),
  }),
});

const DisconnectedHandler = builder.objectRef<{ id: string }>('DisconnectedPaymentHandler').implement({
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The processor.' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  cardNetworks: t.field({
    route: rest('GET /v1/cards/networks', 'Say how the workspace stands with each card network.'),
    type: [Enrollment],
    ...facts({ most: cardNetworks.length }),
    resolve: (_root, _args, ctx) => networkEnrollments(ctx),
  }),
  paymentHandlers: t.field({
    route: rest('GET /v1/payment-handlers', 'List the processors of cards that the workspace is connected to.'),
    type: [Handler],
    authScopes: { audience: 'operator' },
    ...facts({ most: 10 }),
    resolve: (_root, _args, ctx) => processorHandlers(ctx),
  }),
}));

const processorName = z.string().min(1).max(64);
builder.mutationFields((t) => ({
  connectPaymentHandler: t.field({
    route: rest('GET /v1/payment-handlers/connect', 'Connect a processor of cards.'),
    type: Handler,
    authScopes: { audience: 'operator' },
    args: { processor: t.arg.string({ validate: processorName, extensions: { example: 'simulated' } }) },
    resolve: once((ctx, { processor }) => connectProcessor(ctx, processor), paymentHandler),
  }),
  disconnectPaymentHandler: t.field({
    route: rest('DELETE /v1/payment-handlers/{processor}', 'End the connection to a processor of cards. What it has in hand goes on.'),
    type: DisconnectedHandler,
    authScopes: { audience: 'operator' },
    args: { processor: t.arg.string({ validate: processorName, extensions: { example: 'simulated' } }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { processor }) => disconnectProcessor(ctx, processor),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));

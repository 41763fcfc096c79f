// The GraphQL face of proofs of rails.
import { z } from 'zod';
import { Forbidden, NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { RailUnavailable } from '../transfers/rail.js';
import { type RailProof, readProof } from './proof.js';
import type { ProofPart, ProofPlace, ProofReason } from './rail-kind.js';
import { rest } from './rest.js';

const mostPlaces = 100;
const mostParts = 10;
const mostNewest = 10;

type InCurrency<T> = T & { currency: string };

const RailProofReasonEnum = builder.enumType('RailProofReason', {
  description:
    '`opening`: what a place had before anything of it was read. `put_in`, `taken_out`: capital of who runs the platform. `below_minimum`: what came in and was too little to be credited.',
  values: ['opening', 'put_in', 'taken_out', 'below_minimum'] as const satisfies ProofReason[],
});

const RailProofPlace = builder.objectRef<ProofPlace>('RailProofPlace').implement({
  description: 'Where on a chain something was read.',
  fields: (t) => ({
    block: t.exposeInt('block', { description: 'Number of the block.' }),
    hash: t.exposeString('hash', { description: 'Hash of the block.' }),
    time: t.expose('time', { type: 'DateTime', description: 'Time of the block.' }),
  }),
});

const RailHolding = builder.objectRef<InCurrency<RailProof['outside'][number]>>('RailHolding').implement({
  description: 'Money at a place outside.',
  fields: (t) => ({
    where: t.exposeString('where', { description: 'The place, such as `treasury 0x…`.' }),
    amount: t.field({ type: 'Amount', description: 'How much.', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
  }),
});

const RailExplanation = builder.objectRef<InCurrency<ProofPart>>('RailExplanation').implement({
  description: 'Money outside that the ledger does not have, for a reason; below zero, money of the ledger that is not outside.',
  fields: (t) => ({
    reason: t.expose('reason', { type: RailProofReasonEnum, description: 'The reason.' }),
    amount: t.field({ type: 'SignedAmount', description: 'How much.', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    count: t.exposeInt('count', { description: 'Of how many movements it is made.' }),
    newest: t.stringList({
      description: 'The newest of them, as the chain calls their transactions.',
      ...facts({ most: mostNewest }),
      resolve: ({ newest }) => [...newest],
    }),
  }),
});

const RailProofType = builder.objectRef<RailProof>('RailProof').implement({
  description:
    'What a rail holds outside, beside what the ledgers of all live workspaces say. Outside is ledger, in flight, explained and difference together.',
  fields: (t) => ({
    rail: t.exposeString('rail', { description: 'Name of the rail.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The currency of all amounts.' }),
    at: t.expose('at', { type: RailProofPlace, description: 'Where it was read.' }),
    outside: t.field({
      type: [RailHolding],
      description: 'What is outside.',
      ...facts({ most: mostPlaces }),
      resolve: ({ outside, currency }) => outside.map((place) => ({ ...place, currency })),
    }),
    ledger: t.field({
      type: 'SignedAmount',
      description: 'What came in less what went out, by the ledger.',
      resolve: ({ ledger, currency }) => formatMinor(ledger, currency),
    }),
    inFlight: t.field({
      type: 'SignedAmount',
      description: 'What has moved outside and is not posted yet.',
      resolve: ({ inFlight, currency }) => formatMinor(inFlight, currency),
    }),
    difference: t.field({
      type: 'SignedAmount',
      description: 'What nothing explains: zero where all is in order.',
      resolve: ({ difference, currency }) => formatMinor(difference, currency),
    }),
    explained: t.field({
      type: [RailExplanation],
      description: 'What explains the rest.',
      ...facts({ most: mostParts }),
      resolve: ({ explained, currency }) => explained.map((part) => ({ ...part, currency })),
    }),
  }),
});

builder.queryField('railProof', (t) =>
  t.field({
    route: rest(
      'GET /v1/rails/{rail}/proof',
      'Compare what a rail holds outside with the ledgers of all live workspaces, to the smallest unit. Only who runs the platform may; 503 where nobody knows what is outside.',
    ),
    type: RailProofType,
    authScopes: { audience: 'operator', scope: 'rails:read' },
    args: { rail: t.arg.string({ required: true, description: 'Name of the rail.', validate: z.string().min(1).max(100) }) },
    ...facts({ errors: [NotFound, Forbidden, RailUnavailable] }),
    resolve: (_root, { rail }, ctx) => readProof(ctx, rail),
  }),
);

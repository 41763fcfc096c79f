// The GraphQL face of the runaway breaker: its detectors, and what it did.
import type { Ctx } from '../../../platform/ctx.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { BreakerActionEnum, BreakersInput, DetectorKindEnum } from './breaker.input.js';
import { detectors, setDetectors } from './breaker.js';
import { breakerTrips } from './breaker-trip.js';
import { type Detector, detectorKinds } from './detector.js';

const DetectorType = builder.objectRef<Detector>('BreakerDetector').implement({
  description: 'What the breaker watches for, and what it does then.',
  fields: (t) => ({
    kind: t.field({ type: DetectorKindEnum, resolve: ({ kind }) => kind }),
    action: t.field({ type: BreakerActionEnum, resolve: ({ action }) => action }),
    count: t.int({ nullable: true, resolve: (detector) => ('count' in detector ? detector.count : null) }),
    seconds: t.int({ nullable: true, resolve: (detector) => ('seconds' in detector ? detector.seconds : null) }),
    factor: t.float({
      nullable: true,
      description: 'Of `rate`: so many times the median of the minutes with spends in the last 24 hours.',
      resolve: (detector) => ('factor' in detector ? detector.factor : null),
    }),
  }),
});

const Breakers = builder.objectRef<{ detectors: readonly Detector[] }>('Breakers').implement({
  description: 'The runaway breaker of the workspace. Without a detector it is off.',
  fields: (t) => ({
    detectors: t.field({ type: [DetectorType], ...facts({ most: detectorKinds.length }), resolve: (breakers) => [...breakers.detectors] }),
  }),
});

export const BreakerTrip = builder.prismaObject('BreakerTrip', {
  extensions: { component: true },
  description: 'What the breaker did to an agent, and what it saw.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BreakerTripId' }),
    agentId: t.expose('agentId', { type: 'AgentUuid' }),
    kind: t.exposeString('kind', { description: 'The kind of the detector.' }),
    action: t.expose('action', { type: BreakerActionEnum }),
    evidence: t.expose('evidence', {
      type: 'JSONObject',
      description: 'How many, from when to when, and the newest transfers of them, at most 20; further members by kind.',
    }),
    at: t.expose('at', { type: 'DateTime' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      description:
        'Until then no other trip of this kind follows, and with `approve` each spend needs an approval. A frozen agent stays so.',
    }),
  }),
});
const BreakerTripPage = pageOf(BreakerTrip, 'BreakerTrip');

const current = async (ctx: Ctx) => ({ detectors: await detectors(ctx) });

builder.queryFields((t) => ({
  breakers: t.field({
    route: rest('GET /v1/breakers', 'Read the detectors of the runaway breaker.'),
    type: Breakers,
    authScopes: { audience: 'operator' },
    resolve: (_root, _args, ctx) => current(ctx),
  }),
  breakerTrips: t.field({
    route: rest('GET /v1/breakers/trips', 'List what the runaway breaker did and what it saw.'),
    type: BreakerTripPage,
    authScopes: { audience: 'operator' },
    args: { ...pageArgs(t), agentId: t.arg({ type: 'AgentId', required: false }) },
    resolve: (_root, filter, ctx) => breakerTrips(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  setBreakers: t.field({
    route: rest('PUT /v1/breakers', 'Replace the detectors of the runaway breaker.'),
    type: Breakers,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: BreakersInput }) },
    resolve: once(async (ctx, { input }) => ({ detectors: await setDetectors(ctx, input.detectors) }), current),
  }),
}));

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
  description: 'What the runaway breaker looks for, and what it does then.',
  fields: (t) => ({
    kind: t.field({ type: DetectorKindEnum, description: 'What it looks for.', resolve: ({ kind }) => kind }),
    action: t.field({ type: BreakerActionEnum, description: 'What happens when it finds it.', resolve: ({ action }) => action }),
    count: t.int({
      nullable: true,
      description: 'How many within `seconds` trip it; null for `rate`.',
      resolve: (detector) => ('count' in detector ? detector.count : null),
    }),
    seconds: t.int({
      nullable: true,
      description: 'Length of the window in seconds; null for `rate`.',
      resolve: (detector) => ('seconds' in detector ? detector.seconds : null),
    }),
    factor: t.float({
      nullable: true,
      description: 'For `rate`: how many times the median of the minutes with spends in the last 24 hours; else null.',
      resolve: (detector) => ('factor' in detector ? detector.factor : null),
    }),
  }),
});

const Breakers = builder.objectRef<{ detectors: readonly Detector[] }>('Breakers').implement({
  description: 'The runaway breaker of the workspace. Without a detector it is off.',
  fields: (t) => ({
    detectors: t.field({
      type: [DetectorType],
      description: 'Its detectors, at most one of each kind.',
      ...facts({ most: detectorKinds.length }),
      resolve: (breakers) => [...breakers.detectors],
    }),
  }),
});

export const BreakerTrip = builder.prismaObject('BreakerTrip', {
  extensions: { component: true },
  description: 'What the runaway breaker did about an agent, and why.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BreakerTripId' }),
    agentId: t.expose('agentId', { type: 'AgentUuid', description: 'The agent.' }),
    kind: t.exposeString('kind', { description: 'Kind of the detector that found it.' }),
    action: t.expose('action', { type: BreakerActionEnum, description: 'What was done.' }),
    evidence: t.expose('evidence', {
      type: 'JSONObject',
      description: 'How many were found, from when to when, and the newest transfers among them (at most 20); further members by kind.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it tripped.' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      description:
        'Until then no other trip of this kind follows, and with `approve` each spend needs an approval. A frozen agent stays frozen.',
    }),
  }),
});
const BreakerTripPage = pageOf(BreakerTrip, 'BreakerTrip');

const current = async (ctx: Ctx) => ({ detectors: await detectors(ctx) });

builder.queryFields((t) => ({
  breakers: t.field({
    route: rest('GET /v1/breakers', 'Read the detectors of the runaway breaker. An empty list means that the breaker is off.'),
    type: Breakers,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    resolve: (_root, _args, ctx) => current(ctx),
  }),
  breakerTrips: t.field({
    route: rest('GET /v1/breakers/trips', 'List what the runaway breaker did and what it saw, newest first. Filter by agent.'),
    type: BreakerTripPage,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    args: { ...pageArgs(t), agentId: t.arg({ type: 'AgentId', required: false }) },
    resolve: (_root, filter, ctx) => breakerTrips(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  setBreakers: t.field({
    route: rest(
      'PUT /v1/breakers',
      'Replace the detectors of the runaway breaker, which looks for agents that spend out of control. An empty list turns it off. Needs an API key; two detectors of one kind are 400.',
    ),
    type: Breakers,
    authScopes: { audience: 'api_key', scope: 'policies:write' },
    args: { input: t.arg({ type: BreakersInput }) },
    resolve: once(async (ctx, { input }) => ({ detectors: await setDetectors(ctx, input.detectors) }), current),
  }),
}));

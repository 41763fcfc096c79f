// Trips: what the runaway breaker did to an agent, and what it saw (CONTRACT.md 6 "Breaker detectors"). A trip holds for an hour, in which
// no other of its kind follows, so that a storm makes one trip.
import type { BreakerTrip, Prisma } from '../../../generated/prisma/client.js';
import { writeLine } from '../../../platform/audit.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { createdBetween } from '../../../platform/schema/page.js';
import { stepAgentWithin } from '../../agents/agent.js';
import { type BreakerEvidence, baselineSeconds, type Detector, type DetectorKind } from './detector.js';
import { emit } from './events.js';

// Gap G-112: A trip lasts an hour, during which no other of its kind follows for the agent; a frozen agent stays frozen after it.
const tripSeconds = 3_600;

/** An agent for which the breaker tripped: each of its spends has to be approved until then. */
export interface WatchedAgent {
  tripId: string;
  endsAt: Date;
}

/** The agents whose spends have to be approved for now, because the breaker tripped. */
export async function activeTrips({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<ReadonlyMap<string, WatchedAgent>> {
  const trips = await db.breakerTrip.findMany({
    where: { action: 'approve', endsAt: { gt: clock.now() } },
    orderBy: { endsAt: 'asc' },
    select: { id: true, agentId: true, endsAt: true },
  });
  return new Map(trips.map(({ id, agentId, endsAt }) => [agentId, { tripId: id, endsAt }]));
}

/** Trips, newest first. */
export const breakerTrips = listOf('breakerTrip', {});

/** The last trip of each kind of an agent, as far as a detector still looks back. */
export async function lastTrips(ctx: Ctx, tx: Tx, agentId: string): Promise<ReadonlyMap<DetectorKind, BreakerTrip>> {
  const from = addSeconds(ctx.clock.now(), -(baselineSeconds + tripSeconds));
  const trips = await tx.breakerTrip.findMany({ where: { agentId, ...createdBetween(from, null) }, orderBy: { id: 'asc' } });
  return new Map(trips.map((trip) => [trip.kind as DetectorKind, trip]));
}

/** What a detector found. */
export interface Detection {
  detector: Detector;
  evidence: BreakerEvidence;
}

/**
 * Trips the breaker for an agent, once for each detection whose kind has no trip that holds. Looks at one agent in several processes
 * follow each other here. True when it tripped.
 */
export async function tripBreaker(ctx: Ctx, tx: Tx, agentId: string, detections: readonly Detection[]): Promise<boolean> {
  if (detections.length === 0) return false;
  const { status } = await lockRow(tx.agent, agentId);
  const at = ctx.clock.now();
  const last = await lastTrips(ctx, tx, agentId);
  const fresh = detections.filter(({ detector }) => !holds(last.get(detector.kind), at));
  for (const detection of fresh) await writeTrip(ctx, tx, agentId, detection, at);
  if (fresh.length > 0) await writeLine(ctx, tx, { action: 'tripBreaker', resourceType: 'agent', resourceId: agentId });
  const freezing = fresh.find(({ detector }) => detector.action === 'freeze');
  // Who is frozen or suspended already stays so.
  if (freezing !== undefined && status === 'active')
    await stepAgentWithin(ctx, tx, agentId, 'freeze', `the runaway breaker tripped: ${freezing.detector.kind}`);
  return fresh.length > 0;
}

/** True while a trip keeps others of its kind away. */
export function holds(trip: Pick<BreakerTrip, 'endsAt'> | undefined, at: Date): boolean {
  return trip !== undefined && trip.endsAt > at;
}

async function writeTrip(ctx: Ctx, tx: Tx, agentId: string, { detector, evidence }: Detection, at: Date): Promise<void> {
  const { kind, action } = detector;
  const id = newId(at);
  const endsAt = addSeconds(at, tripSeconds);
  await tx.breakerTrip.createMany({
    data: [{ id, agentId, kind, action, evidence: evidence as Prisma.InputJsonObject, at, endsAt }],
  });
  const data = {
    trip_id: printId('breakerTrip', id),
    agent_id: printId('agent', agentId),
    kind,
    action,
    evidence,
    at: at.toISOString(),
    ends_at: endsAt.toISOString(),
  };
  await emit(ctx, tx, '_breaker.tripped', data, { at, objectId: id, agentId });
}

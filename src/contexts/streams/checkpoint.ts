// Checkpoints: every change of a stream is written as what the stream is from then on, and stays for ever (CONTRACT.md 3 "Math"). What
// happened to it by itself meanwhile is written first, with the instants at which it did.

import type { Roles } from '../../events/event.js';
import { Prisma, type Stream, type StreamCheckpoint } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { type Alert, alertsAfter, checkpointed, type Flow, type FlowHealth, healthAt, leftMs, nextStop, severities } from './accrual.js';
import { emit } from './events.js';
import type { GivenRate } from './flow-rate.js';
import { flowOf } from './stream.js';

/** A whole number as the database keeps it, however long. */
const decimal = (value: bigint) => new Prisma.Decimal(value.toString());

/** The members of a row that say what flows from now on, and what happens next; `told` is the alert that was told last. */
export function flowData(flow: Flow, notified: FlowHealth) {
  const { currency: _, rateUnits, accrued, ...rest } = flow;
  const stop = nextStop(flow);
  const [alert] = alertsAfter(flow, notified);
  return {
    ...rest,
    rateUnits: decimal(rateUnits),
    accrued: decimal(accrued),
    stopsAt: stop?.at ?? null,
    alerted: severities.indexOf(notified),
    dueAt: alert !== undefined && (stop === null || alert.at < stop.at) ? alert.at : (stop?.at ?? null),
    leaseUntil: null,
  };
}

/** Writes the checkpoint of a row as it is now. */
export async function writeCheckpoint(tx: Tx, row: Stream): Promise<void> {
  const { id: streamId, version, checkpointAt: at, status, rateAmount, ratePer, rateUnits, accrued } = row;
  const { deposited, buffer, withdrawn, returned, maxTotal, endsAt } = row;
  const sums = { deposited, buffer, withdrawn, returned, maxTotal, endsAt };
  const data: Omit<StreamCheckpoint, 'workspaceId'> = {
    streamId,
    version,
    at,
    status,
    rateAmount,
    ratePer,
    rateUnits,
    accrued,
    ...sums,
  };
  await tx.streamCheckpoint.createMany({ data: [data] });
}

/** What a change writes beside the flow. */
export interface FlowChange {
  statusReason?: string | null;
  rate?: GivenRate;
  metadata?: Prisma.InputJsonObject;
}

// Gap G-132: A change that lowers the runway below an alert level emits the severest alert at once; a top-up arms it again.
/** Writes what a stream is from now on, and tells when the change has brought its money near its end. */
export async function saveFlow(ctx: Ctx, tx: Tx, row: Stream, flow: Flow, { rate, ...change }: FlowChange = {}): Promise<Stream> {
  const isOver = flow.status === 'completed' || flow.status === 'cancelled';
  const health = isOver ? notifiedHealth(row) : healthAt(flow, flow.checkpointAt);
  const saved = await tx.stream.update({
    where: rowKey(ctx, row.id),
    data: {
      ...flowData(flow, health),
      // It is still to be cancelled.
      ...(row.isRevoked && !isOver && { dueAt: ctx.clock.now() }),
      ...(rate && { rateAmount: rate.amount, ratePer: rate.per }),
      ...change,
      version: row.version + 1,
      updatedAt: ctx.clock.now(),
    },
  });
  await writeCheckpoint(tx, saved);
  if (severities.indexOf(health) > row.alerted && health !== 'healthy') {
    const runwaySeconds = Number(leftMs(flow, flow.checkpointAt) / 1000n);
    await notify(ctx, tx, saved, { severity: health, at: flow.checkpointAt, runwaySeconds });
  }
  return saved;
}

function notifiedHealth({ alerted }: Stream): FlowHealth {
  return severities[alerted] ?? 'healthy';
}

/** What has happened to a stream by itself until now. `end`: the instant at which it was complete, which its caller carries out. */
export interface Settled {
  row: Stream;
  end: Date | null;
}

/** Writes what has happened to a stream by itself until now, under its lock: alerts, and that its money was used up. */
export async function settleStream(ctx: Ctx, tx: Tx, row: Stream): Promise<Settled> {
  const now = ctx.clock.now();
  const flow = flowOf(row);
  const stop = nextStop(flow);
  const happened = stop !== null && stop.at <= now ? stop : null;
  const alerts = alertsAfter(flow, notifiedHealth(row)).filter(({ at }) => at <= now);
  for (const alert of alerts) await notify(ctx, tx, row, alert);
  const last = alerts.at(-1)?.severity;
  const notified = last === undefined ? row : { ...row, alerted: severities.indexOf(last) };
  if (happened?.status === 'completed') return { row: notified, end: happened.at };
  if (happened !== null) {
    const exhausted = await saveFlow(ctx, tx, notified, checkpointed(flow, happened.at, { status: 'exhausted' }), { statusReason: null });
    return settleStream(ctx, tx, exhausted);
  }
  return { row: notified, end: null };
}

/** Writes that alerts were told, and nothing else: the stream flows on as it did. */
export async function saveNotified(ctx: Ctx, tx: Tx, row: Stream): Promise<Stream> {
  const { alerted, dueAt, leaseUntil } = flowData(flowOf(row), notifiedHealth(row));
  return tx.stream.update({ where: rowKey(ctx, row.id), data: { alerted, dueAt, leaseUntil } });
}

async function notify(ctx: Ctx, tx: Tx, row: Stream, { severity, runwaySeconds }: Alert): Promise<void> {
  const data = { stream_id: printId('stream', row.id), severity, runway_seconds: runwaySeconds };
  await emit(ctx, tx, '_stream.alert', data, { objectId: row.id, agentId: row.agentId, roles: rolesOf(row) });
}

/** The agents on both sides; one that is on both is the payer. */
function rolesOf({ agentId, fromAgentId, toAgentId }: Stream): Roles {
  const roles: Record<string, string> = {};
  if (toAgentId !== null) roles[toAgentId] = 'payee';
  if (fromAgentId !== null) roles[fromAgentId] = 'payer';
  if (agentId !== null) roles[agentId] = 'payer';
  return roles;
}

// How much of a stream has flowed at an instant. It is worked out from the last checkpoint in whole units and never ticked, so the
// order of what happens to a stream moves no fraction of a minor unit (CONTRACT.md 3 "Math").
import type { StreamStatus } from '../../generated/prisma/client.js';
import { unitsPerMinor } from './flow-rate.js';

/** What a stream is from a checkpoint on. Sums in minor units. */
export interface Flow {
  status: StreamStatus;
  currency: string;
  /** Units that flow in a millisecond. */
  rateUnits: bigint;
  /** Units that had flowed at the checkpoint. */
  accrued: bigint;
  checkpointAt: Date;
  /** What was put in, and the part of it that never flows. */
  deposited: bigint;
  buffer: bigint;
  /** What was paid to the payee, and what went back to the payer. */
  withdrawn: bigint;
  returned: bigint;
  /** It is complete when so much has flowed, or then. */
  maxTotal: bigint | null;
  endsAt: Date | null;
}

/** What stops a stream by itself, and when. */
export interface Stop {
  at: Date;
  status: 'exhausted' | 'completed';
}

/** How near its end the money of a stream is. */
export const severities = ['healthy', 'warning', 'critical', 'exhausted'] as const;
export type FlowHealth = (typeof severities)[number];
/** Milliseconds of money that are left when the health of a stream becomes that. */
const thresholdMs = { warning: 86_400_000n, critical: 3_600_000n, exhausted: 0n } as const;

/** The last instant that a date can print with four digits of the year; what happens later never does. */
const lastMs = 253_402_300_799_999n;

function dateAt(ms: bigint): Date | null {
  return ms > lastMs ? null : new Date(Number(ms));
}

function divideUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** The lesser of two numbers. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** True for a stream that has not ended. */
export function isOpenFlow({ status }: Pick<Flow, 'status'>): boolean {
  return status === 'active' || status === 'paused' || status === 'exhausted';
}

/** Units that can flow: what was put in without the buffer. */
function funds({ deposited, buffer, currency }: Flow): bigint {
  return (deposited - buffer) * unitsPerMinor(currency);
}

/** The units at which a stream stops, and whether it is complete then. */
function ceiling(flow: Flow): { units: bigint; status: Stop['status'] } {
  const units = funds(flow);
  const most = flow.maxTotal === null ? null : flow.maxTotal * unitsPerMinor(flow.currency);
  return most !== null && most <= units ? { units: most, status: 'completed' } : { units, status: 'exhausted' };
}

/** Units that have flowed at an instant: never more than was put in, nor than the stream may carry, which is never less than has flowed. */
export function accruedAt(flow: Flow, at: Date): bigint {
  const { status, accrued, rateUnits, checkpointAt, endsAt } = flow;
  if (status !== 'active') return accrued;
  const until = endsAt !== null && endsAt < at ? endsAt : at;
  const elapsed = BigInt(Math.max(0, until.getTime() - checkpointAt.getTime()));
  return least(accrued + rateUnits * elapsed, ceiling(flow).units);
}

/** Whole minor units that have flowed at an instant. */
export function streamedAt(flow: Flow, at: Date): bigint {
  return accruedAt(flow, at) / unitsPerMinor(flow.currency);
}

/** What the payee can take out at an instant. */
export function withdrawableAt(flow: Flow, at: Date): bigint {
  return streamedAt(flow, at) - flow.withdrawn;
}

/** Milliseconds for which the money lasts from an instant on, at the rate, rounded up to the one in which the last of it flows. */
export function leftMs(flow: Flow, at: Date): bigint {
  return divideUp(funds(flow) - accruedAt(flow, at), flow.rateUnits);
}

/** The instant at which the ceiling is reached, as long as the stream flows. */
function fullAt(flow: Flow): { at: Date | null; status: Stop['status'] } {
  const { units, status } = ceiling(flow);
  return { at: dateAt(BigInt(flow.checkpointAt.getTime()) + divideUp(units - flow.accrued, flow.rateUnits)), status };
}

// Gap G-133: A stream completes at `ends_at`, also when it is paused or exhausted.
/** What stops the stream next, if nobody changes it; null: nothing. Its end comes whether it flows or not. */
export function nextStop(flow: Flow): Stop | null {
  if (!isOpenFlow(flow)) return null;
  const end: Stop | null = flow.endsAt === null ? null : { at: flow.endsAt, status: 'completed' };
  if (flow.status !== 'active') return end;
  const full = fullAt(flow);
  if (full.at === null || (end !== null && end.at <= full.at)) return end;
  return { at: full.at, status: full.status };
}

/** When the money is used up, if nobody changes the stream; null when it lasts until the end, or is not flowing. */
export function depletesAt(flow: Flow): Date | null {
  const stop = flow.status === 'active' ? nextStop(flow) : null;
  return stop?.status === 'exhausted' ? stop.at : null;
}

/** The stream from `at` on. */
export function checkpointed(flow: Flow, at: Date, change: Partial<Flow> = {}): Flow {
  return { ...flow, accrued: accruedAt(flow, at), checkpointAt: laterOf(at, flow.checkpointAt), ...change };
}

/** What is paid out and goes back when a stream ends at an instant: together all that is there. */
export function settlementAt(flow: Flow, at: Date): { paid: bigint; returned: bigint } {
  const streamed = streamedAt(flow, at);
  return { paid: streamed - flow.withdrawn, returned: flow.deposited - streamed };
}

/** The stream after its end. */
export function endedAt(flow: Flow, at: Date, status: 'completed' | 'cancelled'): Flow {
  const { paid, returned } = settlementAt(flow, at);
  return { ...checkpointed(flow, at), status, withdrawn: flow.withdrawn + paid, returned };
}

/** The stream after everything that happens to it by itself up to an instant. */
export function stepTo(flow: Flow, at: Date): Flow {
  const stop = nextStop(flow);
  if (stop === null || stop.at > at) return flow;
  const when = laterOf(stop.at, flow.checkpointAt);
  if (stop.status === 'completed') return endedAt(flow, when, 'completed');
  return stepTo(checkpointed(flow, when, { status: 'exhausted' }), at);
}

// Gap G-131: `runway_seconds` is null above 68 years; `depletes_at` is null when the money lasts until the end or nothing flows.
/** The health of a stream: how long its money lasts. One whose money lasts until its end is healthy. */
export function healthAt(flow: Flow, at: Date): FlowHealth {
  if (flow.status !== 'pending' && !isOpenFlow(flow)) return 'exhausted';
  if (ceiling(flow).status === 'completed') return 'healthy';
  const left = leftMs(flow, at);
  if (flow.endsAt !== null && BigInt(at.getTime()) + left >= BigInt(flow.endsAt.getTime()) && left > 0n) return 'healthy';
  if (left <= thresholdMs.exhausted) return 'exhausted';
  if (left <= thresholdMs.critical) return 'critical';
  return left <= thresholdMs.warning ? 'warning' : 'healthy';
}

/** An alert: the money lasts so many seconds from an instant on. */
export interface Alert {
  severity: Exclude<FlowHealth, 'healthy'>;
  at: Date;
  runwaySeconds: number;
}

/** The alerts that come by themselves while the stream flows as it does, the first ones first; those up to `told` were told before. */
export function alertsAfter(flow: Flow, notified: FlowHealth): Alert[] {
  const depletion = depletesAt(flow);
  if (depletion === null) return [];
  return (['warning', 'critical', 'exhausted'] as const)
    .filter((severity) => severities.indexOf(severity) > severities.indexOf(notified))
    .map((severity) => ({
      severity,
      at: new Date(Math.max(flow.checkpointAt.getTime(), depletion.getTime() - Number(thresholdMs[severity]))),
      runwaySeconds: Number(thresholdMs[severity] / 1000n),
    }));
}

/** Whole seconds for which the money lasts at the rate; null for more than a GraphQL Int holds. */
export function runwaySeconds(flow: Flow, at: Date): number | null {
  if (flow.status === 'completed' || flow.status === 'cancelled') return 0;
  const seconds = leftMs(flow, at) / 1_000n;
  return seconds > 2_147_483_647n ? null : Number(seconds);
}

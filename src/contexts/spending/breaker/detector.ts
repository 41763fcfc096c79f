// What the runaway breaker watches for (CONTRACT.md 6 "Breaker detectors"). Detectors are pure: of what was seen of one agent they say what
// is amiss, and show it.
import type { BreakerAction } from '../../../generated/prisma/client.js';
import { formatMinor } from '../../../platform/money.js';
import { printId } from '../../../platform/schema/id.js';

export const detectorKinds = ['same_payment', 'failures', 'rate', 'ping_pong'] as const;
export type DetectorKind = (typeof detectorKinds)[number];

/** So many within so many seconds. */
export interface CountDetector {
  kind: Exclude<DetectorKind, 'rate'>;
  action: BreakerAction;
  count: number;
  seconds: number;
}

/** So many times the median of the minutes with spends of the last 24 hours. */
export interface RateDetector {
  kind: 'rate';
  action: BreakerAction;
  factor: number;
}

export type Detector = CountDetector | RateDetector;

// Gap G-111: `rate` compares the spends of a UTC minute (10 at least) with the median of the day's earlier minutes that had spends.
/** Fewer spends in a minute are never too many, whatever the median is. */
export const rateFloor = 10;
export const baselineSeconds = 86_400;

/** Refusals that say nothing of an agent: it, or everything, was stopped already. */
export const refusalsByFreeze: readonly string[] = ['workspace_frozen', 'agent_frozen', 'agent_suspended'];

/** Money on its way from one wallet to another; not what failed or was called off. Ids are bare. */
export interface ObservedPayment {
  id: string;
  at: Date;
  fromWalletId: string;
  toWalletId: string;
  /** Minor units. */
  amount: bigint;
  currency: string;
  /** The agent spent it; else it came back to a wallet that the agent spends from. */
  isOwn: boolean;
  isCompleted: boolean;
}

/** A spend that was refused, or a transfer that failed. */
export interface ObservedFailure {
  at: Date;
  code: string;
  /** Null for a refusal, which made no transfer. */
  transferId: string | null;
}

/** A UTC minute, and how many spends began in it. */
export interface Minute {
  start: Date;
  spends: number;
}

/** What was seen of one agent, oldest first: nothing that an earlier trip has counted. */
export interface Seen {
  payments: readonly ObservedPayment[];
  failures: readonly ObservedFailure[];
  /** Of the last 24 hours. */
  minutes: readonly Minute[];
  /** Minutes before this time were judged before. */
  since: Date;
}

/** What a detector saw, in names of the wire: ids as in events, and at most 20 transfers, the newest. */
export type BreakerEvidence = Record<string, unknown> & { count: number; from: string; to: string; transfer_ids: string[] };

// Gap G-110: same_payment, failures and ping_pong count the agent's own spends by creation time, over its newest 5,000.
/** What is amiss; null when nothing is. */
export function detect(detector: Detector, seen: Seen): BreakerEvidence | null {
  switch (detector.kind) {
    case 'same_payment':
      return samePayment(detector, seen.payments);
    case 'failures':
      return failures(detector, seen.failures);
    case 'ping_pong':
      return pingPong(detector, seen.payments);
    case 'rate':
      return rate(detector, seen);
  }
}

/** The agent sends one wallet the same amount again and again. */
function samePayment(detector: CountDetector, payments: readonly ObservedPayment[]): BreakerEvidence | null {
  const alike = groupBy(
    payments.filter(({ isOwn }) => isOwn),
    ({ toWalletId, currency, amount }) => `${toWalletId} ${currency} ${amount}`,
  );
  for (const group of alike) {
    const burst = burstOf(group, detector);
    const [first] = burst;
    if (first === undefined) continue;
    const { toWalletId, amount, currency } = first;
    const payment = { to_wallet_id: printId('wallet', toWalletId), amount: formatMinor(amount, currency), currency };
    return { ...evidenceOf(burst, burst), ...payment };
  }
  return null;
}

function failures(detector: CountDetector, all: readonly ObservedFailure[]): BreakerEvidence | null {
  const burst = burstOf(
    all.filter(({ code }) => !refusalsByFreeze.includes(code)),
    detector,
  );
  if (burst.length === 0) return null;
  const codes: Record<string, number> = {};
  for (const { code } of burst) codes[code] = (codes[code] ?? 0) + 1;
  const transfers = burst.flatMap(({ transferId }) => (transferId === null ? [] : [{ id: transferId }]));
  return { ...evidenceOf(burst, transfers), codes };
}

/** Money that came back: a round trip is a payment from one wallet to another, and the next one between the two goes the other way. */
function pingPong({ count, seconds }: CountDetector, payments: readonly ObservedPayment[]): BreakerEvidence | null {
  const moved = payments.filter(({ isCompleted }) => isCompleted);
  for (const pair of groupBy(moved, ({ fromWalletId, toWalletId }) => [fromWalletId, toWalletId].sort().join(' '))) {
    const turns = turnsOf(pair);
    for (let last = turns.length - 1; last >= 2 * count - 1; last -= 1) {
      const end = turns[last]?.[0] as ObservedPayment;
      // From the last payment of a turn to the first of another: no other choice is as short.
      const within = (first: number) => isWithin(turns[first]?.at(-1) as ObservedPayment, end, seconds);
      let first = last - 2 * count + 1;
      if (!within(first)) continue;
      while (first > 0 && within(first - 1)) first -= 1;
      const seen = [turns[first]?.at(-1) as ObservedPayment, ...turns.slice(first + 1, last).flat(), end];
      const wallets = [...new Set(pair.flatMap(({ fromWalletId, toWalletId }) => [fromWalletId, toWalletId]))];
      const walletIds = wallets.map((id) => printId('wallet', id));
      return { ...evidenceOf(seen, seen), count: Math.floor((last - first + 1) / 2), wallet_ids: walletIds };
    }
  }
  return null;
}

/** Payments of two wallets, those that follow each other in one direction together. */
function turnsOf(pair: readonly ObservedPayment[]): ObservedPayment[][] {
  const turns: ObservedPayment[][] = [];
  for (const payment of pair) {
    const turn = turns.at(-1);
    if (turn?.[0]?.fromWalletId === payment.fromWalletId) turn.push(payment);
    else turns.push([payment]);
  }
  return turns;
}

/** A minute in which the agent spent more often than it does. Without an earlier minute there is nothing to compare with. */
function rate({ factor }: RateDetector, { minutes, payments, since }: Seen): BreakerEvidence | null {
  for (const { start, spends } of [...minutes].reverse()) {
    if (start.getTime() + 60_000 <= since.getTime()) return null;
    const earlier = minutes.filter((other) => other.start < start && isWithin(other, { start }, baselineSeconds));
    const median = medianOf(earlier.map((other) => other.spends));
    if (median === null || spends < rateFloor || spends < factor * median) continue;
    const end = new Date(start.getTime() + 60_000);
    const seen = payments.filter(({ isOwn, at }) => isOwn && at >= start && at < end);
    return { count: spends, from: start.toISOString(), to: end.toISOString(), transfer_ids: idsOf(seen), median, minutes: earlier.length };
  }
  return null;
}

/** The middle one, or the mean of the two in the middle; null of none. */
export function medianOf(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** The newest stretch of `seconds` that holds at least `count`, whole; empty when there is none. */
function burstOf<T extends { at: Date }>(all: readonly T[], { count, seconds }: CountDetector): T[] {
  for (let last = all.length - 1; last >= count - 1; last -= 1) {
    const end = all[last] as T;
    if (isWithin(all[last - count + 1] as T, end, seconds)) return all.filter((one, index) => index <= last && isWithin(one, end, seconds));
  }
  return [];
}

type Timed = { at: Date } | { start: Date };
const timeOf = (one: Timed): number => ('at' in one ? one.at : one.start).getTime();

function isWithin(first: Timed, last: Timed, seconds: number): boolean {
  return timeOf(last) - timeOf(first) <= seconds * 1000;
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

const mostShown = 20;
const idsOf = (transfers: readonly { id: string }[]) => transfers.slice(-mostShown).map(({ id }) => printId('transfer', id));

function evidenceOf(counted: readonly { at: Date }[], transfers: readonly { id: string }[]): BreakerEvidence {
  const [from = '', to = ''] = [counted[0], counted.at(-1)].map((one) => one?.at.toISOString());
  return { count: counted.length, from, to, transfer_ids: idsOf(transfers) };
}

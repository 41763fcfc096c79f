// What /metrics says of rails of production.
import type { Platform } from '../../platform/ctx.js';
import type { GaugeGroup, Sample } from '../../platform/gauge.js';
import { type Currency, formatMinor } from '../../platform/money.js';
import { configuredRails } from './configured-rails.js';
import { dayOf } from './connector-order.js';
import { lastProof } from './proof.sql.js';
import type { ConfiguredRail } from './rail-kind.js';
import { openOrdersOf, type RailStanding, standingOf, usedOfDay } from './rail-state.sql.js';

/** What `rail_state` says: the greatest is what somebody has to look at. */
const states = { on: 0, draining: 1, off: 2, unhealthy: 3, restored: 4, foreign_transaction: 5, deep_reorg: 6 } as const;

export const railGauges: GaugeGroup = {
  name: 'rails',
  gauges: [
    {
      name: 'rail_state',
      label: 'rail',
      help: 'A rail of production: 0 on, 1 draining, 2 off, 3 not off and not in order, 4 off because the database was put back, 5 because somebody else has its key, 6 because deep blocks were taken back.',
    },
    { name: 'rail_open_orders', label: 'rail', help: 'Orders that a rail of production has accepted and not ended.' },
    {
      name: 'rail_oldest_order_seconds',
      label: 'rail',
      help: 'Seconds since the first of them was expected to have been paid; 0 where none is late.',
    },
    {
      name: 'rail_used_ratio',
      label: 'rail',
      help: 'What of the limits of today a rail has used, of amount or of orders, whichever is more.',
    },
    {
      name: 'rail_difference',
      label: 'rail',
      help: 'What a rail holds outside more than the ledger explains, in its currency, as it was last proven; below zero, what is missing.',
    },
    { name: 'rail_proof_age_seconds', label: 'rail', help: 'Seconds since a rail was last proven, which is done every five minutes.' },
  ],
  read: async (platform) => {
    const rails = [...platform.extensions.of(configuredRails).byName.values()];
    return (await Promise.all(rails.map((rail) => samplesOf(platform, rail)))).flat();
  },
};

async function samplesOf({ database: { pool }, clock }: Platform, { name: label, limits, currency }: ConfiguredRail): Promise<Sample[]> {
  const at = clock.now();
  const [standing, used, { count, firstExpectedAt }, proof] = await Promise.all([
    standingOf(pool, label),
    usedOfDay(pool, label, dayOf(at)),
    openOrdersOf(pool, label),
    lastProof(pool, label),
  ]);
  const lateMs = at.getTime() - (firstExpectedAt ?? at).getTime();
  return [
    { name: 'rail_state', label, value: states[stateOf(standing)] },
    { name: 'rail_open_orders', label, value: count },
    { name: 'rail_oldest_order_seconds', label, value: Math.max(0, lateMs / 1_000) },
    { name: 'rail_used_ratio', label, value: Math.max(ratio(used.amount, limits.perDay), used.orders / limits.perDayCount) },
    ...(proof === null ? [] : proofSamples(label, currency, proof, at)),
  ];
}

function stateOf({ status, restoredAt, reason, problems }: RailStanding): keyof typeof states {
  if (status !== 'off') return problems.length > 0 ? 'unhealthy' : status;
  if (restoredAt !== null) return 'restored';
  return reason === 'foreign_transaction' || reason === 'deep_reorg' ? reason : status;
}

function proofSamples(label: string, currency: Currency, proof: { difference: bigint; at: Date }, at: Date): Sample[] {
  return [
    { name: 'rail_difference', label, value: Number(formatMinor(proof.difference, currency)) },
    { name: 'rail_proof_age_seconds', label, value: Math.max(0, (at.getTime() - proof.at.getTime()) / 1_000) },
  ];
}

function ratio(part: bigint, whole: bigint): number {
  return Number((part * 10_000n) / whole) / 10_000;
}

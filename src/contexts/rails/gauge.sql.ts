// What /metrics says of rails of production.
import type { Platform } from '../../platform/ctx.js';
import type { GaugeGroup, Sample } from '../../platform/gauge.js';
import { configuredRails } from './configured-rails.js';
import { dayOf } from './connector-order.js';
import type { ConfiguredRail } from './rail-kind.js';
import { openOrdersOf, standingOf, usedOfDay } from './rail-state.sql.js';

/** What `rail_state` says: the greatest is what somebody has to look at. */
const states = { on: 0, draining: 1, off: 2, unhealthy: 3, restored: 4 } as const;

export const railGauges: GaugeGroup = {
  name: 'rails',
  gauges: [
    {
      name: 'rail_state',
      label: 'rail',
      help: 'A rail of production: 0 on, 1 draining, 2 off, 3 not off and not in order, 4 off because the database was put back.',
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
  ],
  read: async (platform) => {
    const rails = [...platform.extensions.of(configuredRails).byName.values()];
    return (await Promise.all(rails.map((rail) => samplesOf(platform, rail)))).flat();
  },
};

async function samplesOf({ database: { pool }, clock }: Platform, { name: label, limits }: ConfiguredRail): Promise<Sample[]> {
  const at = clock.now();
  const [{ status, restoredAt, problems }, used, { count, firstExpectedAt }] = await Promise.all([
    standingOf(pool, label),
    usedOfDay(pool, label, dayOf(at)),
    openOrdersOf(pool, label),
  ]);
  const named = status !== 'off' && problems.length > 0 ? 'unhealthy' : status;
  const state = status === 'off' && restoredAt !== null ? 'restored' : named;
  const lateMs = at.getTime() - (firstExpectedAt ?? at).getTime();
  return [
    { name: 'rail_state', label, value: states[state] },
    { name: 'rail_open_orders', label, value: count },
    { name: 'rail_oldest_order_seconds', label, value: Math.max(0, lateMs / 1_000) },
    { name: 'rail_used_ratio', label, value: Math.max(ratio(used.amount, limits.perDay), used.orders / limits.perDayCount) },
  ];
}

function ratio(part: bigint, whole: bigint): number {
  return Number((part * 10_000n) / whole) / 10_000;
}

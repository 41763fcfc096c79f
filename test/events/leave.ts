// What the worker does to events that are over, in one go.
import { eventPartitions, sweepDeliveries, sweepEvents } from '../../src/events/retention.sql.js';
import type { Platform } from '../../src/platform/ctx.js';
import { tendPartitions } from '../../src/platform/partition.js';

export const tendEvents = tendPartitions('event', eventPartitions);

/** Runs the sweeps of events and of their deliveries; answers how many rows each deleted, dropped partitions apart. */
export async function leave(platform: Platform): Promise<number[]> {
  const deleted: number[] = [];
  for (const sweep of [sweepEvents, sweepDeliveries, tendEvents]) deleted.push(await sweep(platform, 1_000));
  return deleted;
}

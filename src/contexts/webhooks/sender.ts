// Deliveries that another protocol writes: their bodies and their headers are its own, everything else of a delivery is as ever.

import type { Ctx } from '../../platform/ctx.js';
import { namedParts } from '../../platform/extension.js';
import type { DueRow, EventRow } from './delivery.sql.js';

/** What a protocol makes of a delivery. */
export interface Dress {
  body: Buffer;
  /** The headers of one send of the body to an address, beside its type; `at` is real time. */
  headers(url: string, at: Date): Promise<Record<string, string>>;
}

/** Makes the deliveries of its subscriptions, by their ids; those that it leaves out are none of its own, such as tests of an endpoint. */
export type Sender = (ctx: Ctx, rows: readonly DueRow[], events: ReadonlyMap<string, EventRow>) => Promise<ReadonlyMap<string, Dress>>;

/** Protocols that write deliveries, by the names that subscriptions have. */
export const senders = namedParts<Sender>('senders of deliveries');

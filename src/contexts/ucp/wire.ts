// What a checkout by UCP keeps that only UCP knows: who asked, how both sides call its lines, and how it is to be delivered.
import type { Checkout } from '../../generated/prisma/client.js';
import { itemsOf } from '../checkouts/item.js';
import { isOffered, type OfferedRequest, offeredRequestOf } from '../checkouts/offered.js';
import { goingTo } from './delivery.js';
import type { BuyerShape, FulfillmentRequest, LineRequest } from './request.js';

export interface Wire {
  /** The profile of the agent that began it. */
  profile: string;
  /** The cart that it was made of. */
  cartId?: string | undefined;
  /** True once AP2 was agreed on: nothing less is taken afterwards. */
  isLocked: boolean;
  buyer?: BuyerShape | undefined;
  /** The names of the lines, in the order of the items. */
  lineIds: readonly string[];
  /** What was asked for, applied to other lines when they change. */
  fulfillment: FulfillmentRequest;
}

/** What a checkout has kept; one that was begun under /v1 has agreed on nothing. */
export function wireOf(row: Checkout): Wire {
  if (isOffered(row)) return wireIn(offeredRequestOf(row));
  return plainWire(itemsOf(row));
}

/** What was kept with a request, going to where it goes now. */
export function wireIn({ wire, lines, shippingAddress }: OfferedRequest): Wire {
  const kept = { ...plainWire(lines), ...wire };
  return { ...kept, fulfillment: goingTo(kept.fulfillment, shippingAddress) };
}

const plainWire = (lines: readonly unknown[]): Wire => ({
  profile: '',
  isLocked: false,
  lineIds: lines.map((_, index) => lineName(index)),
  fulfillment: {},
});

const lineName = (index: number): string => `line_${index + 1}`;

/** As the checkout keeps it: plain JSON. */
export function storedWire(wire: Wire): Record<string, unknown> {
  return JSON.parse(JSON.stringify(wire)) as Record<string, unknown>;
}

/** The names of lines: those that the agent gave, where they differ, and ours. */
export function lineIdsOf(lines: readonly LineRequest[]): string[] {
  const given = new Set(lines.map(({ id }) => id));
  const taken = new Set<string>();
  return lines.map(({ id }, index) => {
    let name = id === undefined || taken.has(id) ? lineName(index) : id;
    while (taken.has(name) || (name !== id && given.has(name))) name += '_';
    taken.add(name);
    return name;
  });
}

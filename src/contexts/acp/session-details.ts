// What of a session only ACP knows, as the checkout keeps it: who buys, for whom, and what is noted.
import type { Checkout } from '../../generated/prisma/client.js';
import type { PostalAddress } from '../checkouts/checkout.js';
import { offeredRequestOf } from '../checkouts/offered.js';
import type { CreateSession } from './request-shape.js';

type Details = NonNullable<CreateSession['fulfillment_details']>;
type AcpAddress = NonNullable<Details['address']>;

/** Stored with the checkout; its address is the checkout's own, but for the name on it. */
export interface SessionDetails {
  buyer?: CreateSession['buyer'];
  fulfillment?: Omit<Details, 'address'>;
  recipient?: Pick<AcpAddress, 'name' | 'company'>;
  order_notes?: string | undefined;
  locale?: string | undefined;
  timezone?: string | undefined;
  discount_codes?: readonly string[];
}

/** What was kept of a checkout; nothing for one that was not made by ACP's own wire. */
export function sessionDetailsOf(row: Pick<Checkout, 'items' | 'currency' | 'details' | 'shippingAddress'>): SessionDetails {
  return offeredRequestOf(row).wire as SessionDetails;
}

/** What of a request is kept. */
export type NewDetails = {
  [Name in 'buyer' | 'fulfillment_details' | 'order_notes' | 'locale' | 'timezone' | 'coupons' | 'discounts']?:
    | CreateSession[Name]
    | undefined;
};

/** What a request says anew replaces what was kept, member by member. */
export function mergeDetails(before: SessionDetails, request: NewDetails): SessionDetails {
  const { buyer, fulfillment_details: details, order_notes: notes, locale, timezone, coupons, discounts } = request;
  const codes = discounts?.codes ?? coupons;
  const { address, ...fulfillment } = details ?? {};
  const after: SessionDetails = {
    ...before,
    ...(buyer !== undefined && { buyer }),
    ...(details !== undefined && { fulfillment: { ...before.fulfillment, ...fulfillment } }),
    ...(address !== undefined && { recipient: { name: address.name, company: address.company } }),
    ...(notes !== undefined && { order_notes: notes }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(codes !== undefined && { discount_codes: codes }),
  };
  // As JSON keeps it: what is undefined is not there.
  return JSON.parse(JSON.stringify(after)) as SessionDetails;
}

/** An address of ACP as the platform keeps it. */
export function readAcpAddress({
  line_one: line1,
  line_two: line2,
  city,
  state,
  country,
  postal_code: postalCode,
}: AcpAddress): PostalAddress {
  return { line1, ...(line2 !== undefined && line2 !== '' && { line2 }), city, state, postalCode, country: country.toUpperCase() };
}

/** The address of a checkout as ACP has it. */
export function acpAddressOf(
  { line1, line2, city, state, postalCode, country }: PostalAddress,
  recipient: SessionDetails['recipient'],
): AcpAddress {
  return {
    name: recipient?.name ?? '',
    line_one: line1,
    ...(line2 != null && { line_two: line2 }),
    city,
    state: state ?? '',
    country,
    postal_code: postalCode,
    ...(recipient?.company !== undefined && { company: recipient.company }),
  };
}

// The places where goods are picked up: each option of a pickup has one, and several may have the same.
import { sha256 } from '../../platform/crypto.js';
import type { FulfillmentOption, Offer } from '../accounts/offer.js';

export type PickupLocation = NonNullable<FulfillmentOption['location']>;

export interface Place {
  id: string;
  location: PickupLocation;
}

// Gap G-641: A place of a pickup is named by its name and address: two options at one place have one id, which stays until the place moves.
/** The id of a place. */
export function placeIdOf({ name, address }: PickupLocation): string {
  const { line1, line2 = '', city, state, postal_code: code, country } = address;
  return `loc_${sha256(JSON.stringify([name, line1, line2, city, state, code, country]))
    .toString('base64url')
    .slice(0, 22)}`;
}

/** The id of the place of an option; null for one that is no pickup. */
export function placeOf({ location }: Pick<FulfillmentOption, 'location'>): string | null {
  return location === undefined ? null : placeIdOf(location);
}

/** The places of an offer, each once, in the order of its options. */
export function placesOf({ options }: Pick<Offer, 'options'>): Place[] {
  const places = new Map<string, Place>();
  for (const { location } of options) {
    if (location === undefined) continue;
    const id = placeIdOf(location);
    if (!places.has(id)) places.set(id, { id, location });
  }
  return [...places.values()];
}

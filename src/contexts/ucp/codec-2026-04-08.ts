// UCP 2026-04-08 as it is written: what checkouts keep of a request is what this version sends.
import type { Codec } from './codec.js';
import { createRequest, type FulfillmentRequest, updateRequest } from './request.js';
import { before } from './version.js';

/** The codec of 2026-04-08. */
export const april: Codec = {
  version: before,
  names: /^[a-z][a-z0-9]*(\.[a-z][a-z0-9_]*)+$/,
  keysArePublic: false,
  keyMembers: ['signing_keys'],
  creation: createRequest,
  change: updateRequest,
  // The body was read by one of the two above.
  settle: ({ fulfillment }) => fulfillment as FulfillmentRequest | undefined,
  printPlaces: ({ type, destinations, destinationId }, options) => ({
    members: type === 'shipping' ? { destinations, selected_destination_id: destinationId } : {},
    options,
  }),
  printDescription: (said) => (said === '' ? undefined : said),
};

// Where money goes that names neither a wallet nor an account of ours by member: a wallet, or a place out of the platform
// (CONTRACT.md 2 "Destinations").

import { NotFound } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import type { DestinationInput } from './destination.input.js';
import { RailUnavailable } from './rail.js';

/** A destination as it is shown: of a key or an account number the end alone. */
export interface ShownDestination {
  type: DestinationInput['type'];
  ref: string;
  name?: string;
}

/** True for a place out of the platform, which a payout reaches. */
export function isOutside(destination: DestinationInput | null | undefined): boolean {
  return destination != null && destination.type !== 'wallet';
}

/** The wallet of a destination. 503 for one out of the platform: only a request for one transfer makes a payout. */
export function walletOfDestination(destination: DestinationInput): string {
  if (isOutside(destination)) throw new RailUnavailable(null);
  const id = parseId('wallet', destination.ref);
  if (id === null) throw new NotFound('destination.ref');
  return id;
}

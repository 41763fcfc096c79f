// Where money goes that names neither a wallet nor an account of ours by member: a wallet, or a place out of the platform
// (CONTRACT.md 2 "Destinations").

import { NotFound } from '../../platform/errors.js';
import type { Currency } from '../../platform/money.js';
import { parseId } from '../../platform/schema/id.js';
import { refuseRail } from './rail.js';

export const destinationTypes = ['bank', 'wallet', 'address', 'pix', 'spei'] as const;

export interface Destination {
  type: (typeof destinationTypes)[number];
  ref: string;
  name?: string | null | undefined;
}

/** The rail that a destination out of the platform is reached by, in a currency that it may carry. */
const railOf = { address: 'usdc-base', pix: 'pix', spei: 'spei' } as const;
const bankRails: Partial<Record<Currency, string>> = { USD: 'ach', EUR: 'sepa', BRL: 'pix', MXN: 'spei' };

/** The wallet of a destination in `currency`. Throws what refuseRail() does for one that is out of the platform. */
export function walletOfDestination({ type, ref }: Destination, currency: Currency): string {
  if (type === 'wallet') {
    const id = parseId('wallet', ref);
    if (id === null) throw new NotFound('destination.ref');
    return id;
  }
  return refuseRail(type === 'bank' ? (bankRails[currency] ?? 'ach') : railOf[type], currency);
}

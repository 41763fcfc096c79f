// The rails that money leaves and reaches the platform on, and the currency that each carries (CONTRACT.md 2 "Rails and currencies").

import { declareError } from '../../platform/errors.js';
import { type Currency, isCurrency } from '../../platform/money.js';

/** Rails that carry money both ways. */
const bothWays: Readonly<Record<string, Currency>> = {
  ach: 'USD',
  wire: 'USD',
  sepa: 'EUR',
  pix: 'BRL',
  spei: 'MXN',
  'usdc-base': 'USDC',
  'usdc-polygon': 'USDC',
  'usdc-solana': 'USDC',
};

/** The currencies that cards are charged in. */
const cardCurrencies: readonly Currency[] = ['USD', 'EUR', 'BRL', 'MXN', 'JPY'];

// Gap G-223: A card processor has one rail for each currency; a currency without one is 422 `unsupported_rail`.
/** The rails on which a processor charges vaulted cards: one for each currency, that of US dollars without its name. */
export function cardRails(processor: string): { rail: string; currency: Currency }[] {
  return cardCurrencies.map((currency) => ({
    rail: currency === 'USD' ? `card-${processor}` : `card-${processor}-${currency.toLowerCase()}`,
    currency,
  }));
}

/** The networks of cards, which carry words and no money: an authorization, its cancellation, a refund. */
export const cardNetworks = ['visa', 'mastercard'] as const;
export type CardNetworkName = (typeof cardNetworks)[number];

/** True for the name of a network of cards. */
export function isCardNetwork(name: string): name is CardNetworkName {
  return (cardNetworks as readonly string[]).includes(name);
}

/** The currency of each rail. Cards bring money in alone. */
export const railCurrencies: Readonly<Record<string, Currency>> = {
  ...bothWays,
  'card-simulated-us': 'USD',
  'card-simulated-eu': 'EUR',
  ...Object.fromEntries(cardRails('simulated').map(({ rail, currency }) => [rail, currency])),
};

/** 422: no rail of this name carries the currency out of the platform. */
export class UnsupportedRail extends declareError(422, 'unsupported_rail') {
  constructor(rail: string, currency: string) {
    const known = Object.entries(bothWays).filter(([, carried]) => carried === currency);
    super(`The rail ${rail} does not carry ${currency}.`, {
      details: { rail, currency, rails: known.map(([name]) => name), retry: { safe: true, same_key: false } },
    });
  }
}

/** 503: no provider is connected to the rail. Nothing was held. */
export class RailUnavailable extends declareError(503, 'rail_unavailable') {
  constructor() {
    super('No payment provider is connected. Nothing was held.', {
      details: { retry: { safe: true } },
    });
  }
}

/** Throws 422 unless a rail of this name carries the currency out of the platform. */
export function checkRail(rail: string, currency: string): void {
  if (!isCurrency(currency) || bothWays[rail] !== currency) throw new UnsupportedRail(rail, currency);
}

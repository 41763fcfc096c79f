// The rails that money leaves the platform on, and the currencies that each carries (CONTRACT.md 2 "Rails and currencies").

import { declareError } from '../../platform/errors.js';
import { type Currency, isCurrency } from '../../platform/money.js';

/** The currency of each rail by which money leaves the platform. */
export const railCurrencies: Readonly<Record<string, Currency>> = {
  ach: 'USD',
  wire: 'USD',
  sepa: 'EUR',
  pix: 'BRL',
  spei: 'MXN',
  'usdc-base': 'USDC',
  'usdc-polygon': 'USDC',
  'usdc-solana': 'USDC',
};

/** 422: no rail of this name carries the currency. */
export class UnsupportedRail extends declareError(422, 'unsupported_rail') {
  constructor(rail: string, currency: string) {
    const known = Object.entries(railCurrencies).filter(([, carried]) => carried === currency);
    super(`The rail ${rail} does not carry ${currency}.`, {
      details: { rail, currency, rails: known.map(([name]) => name), retry: { safe: true, same_key: false } },
    });
  }
}

/** 503: no provider is connected to the rail. Nothing was held. */
export class RailUnavailable extends declareError(503, 'rail_unavailable') {
  constructor() {
    super('No provider is connected that carries money out of the platform. Nothing was held.', { details: { retry: { safe: true } } });
  }
}

/** Throws 422 unless a rail of this name carries the currency. */
export function checkRail(rail: string, currency: string): void {
  if (!isCurrency(currency) || railCurrencies[rail] !== currency) throw new UnsupportedRail(rail, currency);
}

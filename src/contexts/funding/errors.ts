// Errors that are funding's own.
import { declareError } from '../../platform/errors.js';

interface Unsupported {
  provider: string;
  type: string;
  /** What the provider brings instead. */
  types?: readonly string[];
  currency?: string;
  currencies?: readonly string[];
}

/** 422: the provider brings no money of this type, or not in this currency. */
export class FundingUnsupported extends declareError(422, 'unsupported_rail') {
  constructor(facts: Unsupported) {
    const { provider, type, currency, types, currencies } = facts;
    const brought = (types ?? currencies ?? []).join(' or ');
    super(
      `${provider} does not fund by ${type}${currency === undefined ? '' : ` in ${currency}`}, but ${types ? 'by' : 'in'} ${brought}.`,
      {
        details: {
          ...facts,
          next_actions: [{ rel: 'providers', actor: 'any', method: 'GET', path: `/v1/funding/providers?type=${type}` }],
        },
      },
    );
  }
}

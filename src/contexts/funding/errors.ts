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

/** 422: the provider brings what is sent to the addresses of wallets, and is not asked for money. */
export class FundedByDeposit extends declareError(422, 'unsupported_rail') {
  constructor(provider: string, walletId: string, rails: readonly string[]) {
    const path = `/v1/wallets/${walletId}/deposit-addresses`;
    super(`${provider} brings what reaches the deposit address of a wallet. Ask for the address, and have the money sent there.`, {
      details: {
        provider,
        rails,
        next_actions: [
          ...rails.map((rail) => ({ rel: 'deposit_address', actor: 'any', method: 'POST', path, body: { rail } }) as const),
          { rel: 'rails', actor: 'any', method: 'GET', path: '/v1/rails' },
        ],
      },
    });
  }
}

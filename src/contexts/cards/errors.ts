// Errors that are the cards' own.
import { declareError, type FieldIssue, StateConflict } from '../../platform/errors.js';
import { cardRails } from '../transfers/rail.js';

/** 422: a member has the number of a card, which only its processor may keep. */
export class CardNumberRefused extends declareError(422, 'validation_failed') {
  constructor(fields: readonly FieldIssue[]) {
    super('The request has the number of a card. Send the token of the processor instead; nothing of the request was kept.', {
      fields,
      details: { retry: { safe: true, same_key: false } },
    });
  }
}

/** 422: the processor of the card takes no money in this currency. */
export class CardUnsupported extends declareError(422, 'unsupported_rail') {
  constructor(processor: string, currency: string) {
    const currencies = cardRails(processor).map((rail) => rail.currency);
    super(`The processor ${processor} charges no card in ${currency}, but in ${currencies.join(', ')}.`, {
      details: { processor, currency, currencies, terminal: true },
    });
  }
}

/** The 409 for a card that is not good any more. */
export function cardExpired(): StateConflict {
  const next_actions = [{ rel: 'cards', actor: 'any', method: 'GET', path: '/v1/cards/vault' }] as const;
  return new StateConflict('The card has expired: pay with another one.', 'expired', ['active'], { next_actions });
}

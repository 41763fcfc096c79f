// Errors that are the cards' own.
import { declareError, type FieldIssue, StateConflict } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
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

/** 422: nobody serves the network here. */
export class NetworkNotEnrolled extends declareError(422, 'unsupported_network') {
  constructor(network: string) {
    super(`This workspace is not enrolled with the card network ${network}.`, {
      details: { network, next_actions: [{ rel: 'networks', actor: 'any', method: 'GET', path: '/v1/cards/networks' }] },
    });
  }
}

/** 422: more than is left of what was authorized. */
export class InstructionExceedsOriginal extends declareError(422, 'refund_exceeds_original') {
  constructor(rest: bigint, currency: string) {
    const refundable = formatMinor(rest, currency);
    super(`Only ${refundable} ${currency} of this authorization can still be refunded.`, {
      details: { refundable, currency, terminal: true },
    });
  }
}

/** The 409 for a `network_ref` that pays nothing any more: it was used by the instruction of this id, or has expired. */
export function referenceUnusable(instructionId: string | null): StateConflict {
  const again = 'Verify the payment again, with a new nonce.';
  if (instructionId === null)
    return new StateConflict(`The network_ref has expired. ${again}`, 'expired', ['verified'], { reason: 'expired', terminal: true });
  const path = `/v1/cards/instructions/${printId('cardInstruction', instructionId)}`;
  return new StateConflict(`The network_ref was used by another authorization. ${again}`, 'used', ['verified'], {
    reason: 'used',
    next_actions: [{ rel: 'authorization', actor: 'any', method: 'GET', path }],
  });
}

/** The 409 for a processor whose connection the workspace has ended. */
export function processorDisconnected(processor: string): StateConflict {
  return new StateConflict(`The connection to the processor ${processor} was ended.`, 'disconnected', ['connected'], {
    next_actions: [
      { rel: 'connect', actor: 'api_key', method: 'GET', path: `/v1/payment-handlers/connect?processor=${encodeURIComponent(processor)}` },
    ],
  });
}

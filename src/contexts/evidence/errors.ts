// What a log of evidence refuses.
import { DependencyUnavailable, declareError } from '../../platform/errors.js';

/** 409: the log is halted, so there is no newer head than the last one. */
export class LogHalted extends declareError(409, 'state_conflict') {
  constructor() {
    super(
      'The log is halted: it signs no newer head until an operator has looked. Heads and proofs of before can be read with `tree_size`.',
      { details: { reason: 'log_halted', terminal: true } },
    );
  }
}

/** 503: no process that signs heads has signed the one that is needed. */
export class HeadNotSigned extends DependencyUnavailable {
  constructor() {
    super('The signing of heads');
  }
}

/** 422: the transfer was not paid by the protocol whose receipt is asked for. */
export class NoSuchReceipt extends declareError(422, 'validation_failed') {
  constructor(format: string, protocol: string) {
    super(
      `This transfer was paid by ${protocol}: it has no receipt of ${format}. Leave format out for the receipt that every transfer has.`,
      {
        details: { fields: [{ path: 'format', message: `is not how it was paid: ${protocol}`, rule: 'unsupported' }], terminal: true },
      },
    );
  }
}

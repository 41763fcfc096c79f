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

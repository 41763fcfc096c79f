// Errors that are settlement's own.
import { declareError } from '../../platform/errors.js';

/** 422: the destination is reached by another rail than the request names. */
export class WrongRail extends declareError(422, 'unsupported_rail') {
  constructor(asked: string, reached: readonly string[]) {
    super(`The destination is not reached by ${asked}, but by ${reached.join(' or ')}.`, {
      details: { rail: asked, rails: reached, retry: { safe: true, same_key: false } },
    });
  }
}

/** 401: what is posted to the callbacks of a rail is not signed by its provider, or was signed too long ago. */
export class CallbackUnsigned extends declareError(401, 'signature_invalid') {
  constructor() {
    super('The callback is not signed by the provider of the rail, or was signed more than five minutes ago.');
  }
}

// The codes that are the agents' own (CONTRACT.md 0 "Errors", 5). Those that a posting can answer with too are the ledger's.
import { declareError, type ErrorFacts } from '../../platform/errors.js';

/** A 401 of a credential or of a proof. */
function unauthorized(code: string) {
  return class extends declareError(401, code) {
    constructor(message: string, facts: ErrorFacts = {}) {
      super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, ...facts });
    }
  };
}

export class InvalidAgentToken extends unauthorized('invalid_agent_token') {}
export class InvalidSessionToken extends unauthorized('invalid_session_token') {}
export class SessionExpired extends unauthorized('session_expired') {}

export class SignatureInvalid extends unauthorized('signature_invalid') {}

/** One code for unknown, used and expired, so that it tells nothing. */
export class ChallengeInvalid extends unauthorized('challenge_invalid') {
  constructor() {
    super('This challenge is unknown, was used, or has expired. Ask for a new one.');
  }
}

/** 409: as many streams as an agent may have are open (CONTRACT.md 5). */
export class TooManyConnections extends declareError(409, 'state_conflict') {
  constructor(max: number, used: number) {
    super(`The agent has ${used} open connections of at most ${max}: close one, or connect with one of their sessions.`, {
      details: { current_status: 'connected', limit: { name: 'connections', max, used } },
    });
  }
}

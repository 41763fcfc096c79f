// The codes that are the agents' own (CONTRACT.md 0 "Errors", 5).
import { declareError, type ErrorFacts } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

/** A 401 of a credential or of a proof. */
function unauthorized(code: string) {
  return class extends declareError(401, code) {
    constructor(message: string, facts: ErrorFacts = {}) {
      super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, ...facts });
    }
  };
}

export class InvalidSessionToken extends unauthorized('invalid_session_token') {}
export class SessionExpired extends unauthorized('session_expired') {}
export class SessionRevoked extends unauthorized('session_revoked') {}
export class KeyRevoked extends unauthorized('key_revoked') {}

/** 403: it reads and does not spend. */
export class AgentFrozen extends declareError(403, 'agent_frozen') {}
/** 403: it is let in nowhere. */
export class AgentSuspended extends declareError(403, 'agent_suspended') {}

export class SignatureInvalid extends unauthorized('signature_invalid') {}

/** One code for unknown, used and expired, so that it tells nothing. */
export class ChallengeInvalid extends unauthorized('challenge_invalid') {
  constructor() {
    super('This challenge is unknown, was used, or has expired. Ask for a new one.');
  }
}

/** 403: a session, which lives an hour, asks for a credential that would outlive it (CONTRACT.md 29). */
export class SessionCredential extends declareError(403, 'forbidden') {
  constructor(agentId: string) {
    const path = `/v1/agents/${printId('agent', agentId)}/token/rotate`;
    super('A session cannot create an agent token: use the token itself, or an API key.', {
      details: { reason: 'session_credential', next_actions: [{ rel: 'rotate', actor: 'api_key', method: 'POST', path }] },
    });
  }
}

/** 409: as many streams as an agent may have are open (CONTRACT.md 5). */
export class TooManyConnections extends declareError(409, 'state_conflict') {
  constructor(agentId: string, max: number, used: number) {
    super(`The agent has ${used} open connections of at most ${max}: close one, or connect with one of their sessions.`, {
      details: {
        current_status: 'connected',
        limit: { name: 'connections', max, used },
        next_actions: [{ rel: 'sessions', actor: 'any', method: 'GET', path: `/v1/agents/${printId('agent', agentId)}/sessions` }],
      },
    });
  }
}

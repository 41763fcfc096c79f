// Refusals of the credentials that this context knows (SPEC.md "Authentication", CONTRACT.md 0 "Errors").
import { declareError } from '../../platform/errors.js';

const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

export class InvalidJwt extends declareError(401, 'invalid_jwt') {
  constructor(message = 'This JWT is not accepted. Get a new one with POST /v1/auth/session.', cause?: unknown) {
    super(message, { headers, cause });
  }
}

export class PortalTokenExpired extends declareError(401, 'portal_token_expired') {
  constructor() {
    super('This portal token is not valid any more. Ask the company that gave it to you for a new one.', { headers });
  }
}

// Refusals of the credentials that this context knows (SPEC.md "Authentication", CONTRACT.md 0 "Errors").
import { declareError } from '../../platform/errors.js';

const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

export class PortalTokenExpired extends declareError(401, 'portal_token_expired') {
  constructor() {
    super('This portal token is no longer valid. Ask the company that gave it to you for a new one.', { headers });
  }
}

// What the HTTP layer asks of those who know credentials. Each kind has one resolver, listed in a context.ts and chosen by how
// the credential begins (SPEC.md "Authentication").
import type { Trace } from './cell/directory.js';
import type { Actor, Environment, Platform, Workspace } from './ctx.js';
import { declareError, Forbidden } from './errors.js';

export class MalformedCredential extends declareError(401, 'malformed_credential') {
  constructor(message = 'The Authorization header must be `Bearer <credential>` with a credential that this platform issues.') {
    super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  }
}

export class EnvironmentMismatch extends declareError(401, 'environment_mismatch') {
  /** @param own the environment that the credential belongs to */
  constructor(own: Environment) {
    const [place, here] = own === 'test' ? ['the sandbox', 'production'] : ['production', 'the sandbox'];
    super(`This credential belongs to the ${own} environment and this is ${here}: send it to the address of ${place}.`, {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
}

/** Unknown, revoked or expired: one answer, so that it tells nothing about which keys there were. A posting answers with it too. */
export class InvalidApiKey extends declareError(401, 'invalid_api_key') {
  constructor() {
    super('This API key is not accepted: it is unknown, revoked or expired.', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
}

/** A key that is shown, itself or by a JWT of it, from an address that it may not be used from. */
export class AddressNotAllowed extends Forbidden {
  constructor() {
    super('This API key may not be used from your address: see its allowed_ips.', { reason: 'ip_not_allowed', terminal: true });
  }
}

/** An agent token that is unknown or was rotated. A posting answers with it too. */
export class InvalidAgentToken extends declareError(401, 'invalid_agent_token') {
  constructor(message: string) {
    super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  }
}

/** A token of a connection that is unknown, or has ended with its connection or before. A posting answers with it too. */
export class InvalidConnectionToken extends declareError(401, 'invalid_connection_token') {
  constructor(message = 'This token is not accepted: it has expired, or its connection has ended. Refresh it, or connect again.') {
    super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  }
}

/** A JWT that is none of ours, has expired, or was signed out. A posting answers with it too. */
export class InvalidJwt extends declareError(401, 'invalid_jwt') {
  constructor(message = 'This JWT is not accepted. Get a new one with POST /v1/auth/session.', cause?: unknown) {
    super(message, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, cause });
  }
}

/** The 401 of a session that was signed out. */
export function signedOut(): InvalidJwt {
  return new InvalidJwt('This session was signed out. Sign in again: POST /v1/auth/session.');
}

/** The browser session is unknown, was signed out or has expired, or its member is no longer active. A posting answers with it too. */
export class LoginExpired extends declareError(401, 'login_expired') {
  constructor() {
    super('This browser session has ended. Sign in again.', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

/** One code for whatever does not sign in: an unknown e-mail, a used link, a suspended member, a method that is off. So it tells nothing. */
export class SignInFailed extends declareError(401, 'sign_in_failed') {
  constructor(cause?: unknown) {
    super('That did not sign you in: it does not fit, is not good any more, or is not a way that this tenant lets people sign in.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
      cause,
    });
  }
}

/** Who a credential stands for, and where. */
export interface Identity {
  actor: Actor;
  workspace: Workspace;
}

/** The row behind a credential, and where it is. */
export interface CredentialOwner {
  workspaceId: string;
  kind: string;
  id: string;
}

/** Who a caller is, and the platform of the cell in which that was found. */
export interface Caller {
  identity: Identity;
  platform: Platform;
}

export interface CredentialResolver {
  /** How the credential begins; `jwt` for three base64url parts with dots between them. */
  readonly prefix: 'pk_' | 'agent_' | 'sess_' | 'portal_' | 'cnxt_' | 'jwt';
  /** Where alone it is good; everywhere by default. */
  readonly only?: 'mcp';
  /** What of a credential leads to its cell, where there are several; its SHA-256 by default. Undefined: it is of the first. */
  trace?(credential: string): Trace | undefined;
  /**
   * The identity behind `credential`, or an ApiError that says why there is none: 401 with its own code,
   * 401 `environment_mismatch` for a credential of the other environment, 403 `agent_suspended`. Keeps its own cache. `ip` is the address
   * of the caller; absent for work of ours.
   */
  resolve(platform: Platform, credential: string, environment: Environment, ip?: string): Promise<Identity>;
  /** Whose credential it is, also where it has ended or is shown in the wrong place; null for what is nobody's. For the audit log. */
  ownerOf?(platform: Platform, credential: string): Promise<CredentialOwner | null>;
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Nobody in particular: sees no workspace, calls what is public. */
export function anonymous(environment: Environment): Identity {
  return {
    actor: { type: 'anonymous', id: 'anonymous', name: 'anonymous', scopes: [], credential: { kind: 'none', id: '' } },
    workspace: { id: nilUuid, tenantId: nilUuid, environment, clockOffsetMs: 0 },
  };
}

/** How the tag begins that is dropped in a cell when a tenant has moved to another one. Its id follows. */
export const leftCell = 'left:';

/**
 * The cache tags of what an actor's credential rests on. When one is dropped, the credential may have ended: a stream that was opened
 * with it ends then, and its reader has to come again.
 */
export function tagsOf({ type, id, credential, agent, member, connection }: Actor, { tenantId }: Workspace): string[] {
  const tags = [`${credential.kind}:${credential.id}`, `${leftCell}${tenantId}`];
  // The rights of a user are those of the API key behind the JWT.
  if (type === 'user') tags.push(`api_key:${id}`);
  if (member !== undefined) tags.push(`member:${member.id}`);
  if (connection !== undefined) tags.push(`member:${connection.memberId}`);
  if (agent !== undefined) tags.push(`agent:${agent.id}`);
  return tags;
}

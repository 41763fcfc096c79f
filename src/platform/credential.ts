// What the HTTP layer asks of those who know credentials. Each kind has one resolver, listed in a context.ts and chosen by how
// the credential begins (SPEC.md "Authentication").
import type { Actor, Environment, Platform, Workspace } from './ctx.js';
import { declareError } from './errors.js';

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

/** An agent token that is unknown or was rotated. A posting answers with it too. */
export class InvalidAgentToken extends declareError(401, 'invalid_agent_token') {
  constructor(message: string) {
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

export interface CredentialResolver {
  /** How the credential begins; `jwt` for three base64url parts with dots between them. */
  readonly prefix: 'pk_' | 'agent_' | 'sess_' | 'portal_' | 'jwt';
  /**
   * The identity behind `credential`, or an ApiError that says why there is none: 401 with its own code,
   * 401 `environment_mismatch` for a credential of the other environment, 403 `agent_suspended`. Keeps its own cache.
   */
  resolve(platform: Platform, credential: string, environment: Environment): Promise<Identity>;
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

/**
 * The cache tags of what an actor's credential rests on. When one is dropped, the credential may have ended: a stream that was opened
 * with it ends then, and its reader has to come again.
 */
export function tagsOf({ type, id, credential, agent }: Actor): string[] {
  const tags = [`${credential.kind}:${credential.id}`];
  // The rights of a user are those of the API key behind the JWT.
  if (type === 'user') tags.push(`api_key:${id}`);
  if (agent !== undefined) tags.push(`agent:${agent.id}`);
  return tags;
}

// JWT sessions: an API key exchanged for an hour's token, so that no key sits in a browser (CONTRACT.md 18). A session carries its key's
// workspace and dies with the key.

import { auditLine, writeLines } from '../../platform/audit.js';
import { addSeconds } from '../../platform/clock.js';
import { InvalidApiKey, InvalidJwt, MalformedCredential, SignInFailed } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Environment } from '../../platform/ctx.js';
import { noteRefusedCredential } from '../../platform/denial.js';
import { commitAlone } from '../../platform/effect.js';
import { SessionRequired } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { keySignIn } from '../../platform/key-sign-in.js';
import { newId } from '../../platform/schema/id.js';
import { firstIdAt } from '../../platform/schema/page.js';
import { apiKeyCredential } from './credential.js';
import { signJwt } from './jwt.js';
import { jwtTtlSeconds } from './signing-key.js';

export interface AuthSession {
  token: string;
  /** Seconds. */
  expiresIn: number;
  tenantId: string;
  environment: Environment;
}

// Gap G-26: `POST /v1/auth/session` exchanges an API key for an ES256 token of one hour, which acts as `user` and ends with its key.
/**
 * Signs in with an API key. A line of the audit log is written, and nothing else: who has the key may sign in as often. 401 `invalid_api_key`, also for what
 * is no API key at all; 401 `environment_mismatch` for a key of the other environment.
 */
export async function createAuthSession(ctx: Ctx, { apiKey }: { apiKey: string }): Promise<AuthSession> {
  const { cells } = ctx.platform;
  const platform = cells.only ?? (await cells.find({ hash: sha256(apiKey) }));
  const { actor, workspace } = await identify({ ...ctx, platform }, apiKey);
  const { environment, tenantId } = workspace;
  await checkOpen({ ...ctx, platform }, tenantId);
  const id = newId(platform.clock.now());
  const token = await signJwt(platform, { id, apiKeyId: actor.id, workspaceId: workspace.id, environment });
  const act = { action: 'createAuthSession', resourceType: 'auth_session', resourceId: id };
  await commitAlone(ctx.effect, () => writeLines(platform.database, [auditLine({ ...ctx, actor, workspace, act }, null)]));
  return { token, expiresIn: jwtTtlSeconds, tenantId, environment };
}

// Gap G-509: Where `methods` has no `api_key`, a key is exchanged for no session and none is renewed; requests with the key itself go on.
/** 401 `sign_in_failed` where the tenant lets no key be exchanged for a session. */
async function checkOpen({ platform }: Ctx, tenantId: string): Promise<void> {
  if (!(await platform.extensions.of(keySignIn).isOpen(platform, tenantId))) throw new SignInFailed();
}

/** How long a session goes on by being renewed, in seconds: a working day. */
const longestSession = 43_200;

// Gap G-448: A JWT session renews itself for an hour at a time, outside of the auth limit, until twelve hours after sign-in.
/**
 * Another hour for the JWT session that asks, which stays the same session: signing it out ends each of its tokens. It needs no key, and
 * takes nothing of the budget of signing in. 403 `session_required` for an API key; 401 `invalid_jwt` twelve hours after it was signed in.
 */
export async function renewAuthSession(ctx: Ctx): Promise<AuthSession> {
  const { actor, platform, workspace } = ctx;
  const { kind, id } = actor.credential;
  if (kind !== 'jwt') throw new SessionRequired('Only a JWT session is renewed. An API key needs no renewal.');
  const oldest = addSeconds(platform.clock.now(), -longestSession);
  // Its id was made when it was signed in.
  if (id < firstIdAt(oldest)) throw new InvalidJwt('This session began 12 hours ago. Sign in again: POST /v1/auth/session.');
  await checkOpen(ctx, workspace.tenantId);
  const { environment, tenantId } = workspace;
  const token = await signJwt(platform, { id, apiKeyId: actor.id, workspaceId: workspace.id, environment });
  return { token, expiresIn: jwtTtlSeconds, tenantId, environment };
}

/** A session that was signed out. */
export interface EndedAuthSession {
  endedAt: Date;
}

// Gap G-420: Logout ends the JWT that asks and nothing else; an API key gets 403 `session_required`.
/**
 * Signs the session out, in every process: its JWT is refused from now on, and moves no money. What was begun with it goes on. 403
 * `session_required` for an API key, which is revoked instead.
 */
export async function endAuthSession(ctx: Ctx): Promise<EndedAuthSession> {
  const { actor, platform } = ctx;
  const { kind, id } = actor.credential;
  if (kind !== 'jwt') throw new SessionRequired('Only a JWT session can sign out. An API key ends with DELETE /v1/api-keys/{id}.');
  const endedAt = platform.clock.now();
  // A renewal that began before now may still give a token of an hour: it must not outlive this row, and be renewed.
  const data = { id, expiresAt: addSeconds(endedAt, longestSession + jwtTtlSeconds) };
  const act = { action: 'endAuthSession', resourceType: 'auth_session' };
  await transact({ ...ctx, act }, async (tx) => {
    await tx.endedJwt.createMany({ data: [data], skipDuplicates: true });
    return { id };
  });
  platform.cache.drop(`jwt:${id}`);
  return { endedAt };
}

async function identify(ctx: Ctx, apiKey: string) {
  const { platform, workspace } = ctx;
  try {
    return await apiKeyCredential.resolve(platform, apiKey, workspace.environment, ctx.ip);
  } catch (error) {
    noteRefusedCredential(platform, ctx, error, { resolver: apiKeyCredential, credential: apiKey });
    throw error instanceof MalformedCredential ? new InvalidApiKey() : error;
  }
}

// JWT sessions: an API key exchanged for an hour's token, so that no key sits in a browser (Gap G-26) (CONTRACT.md 18). A session carries
// its key's workspace and dies with the key.

import { auditLine, writeLines } from '../../platform/audit.js';
import { addSeconds } from '../../platform/clock.js';
import { InvalidApiKey, MalformedCredential } from '../../platform/credential.js';
import type { Ctx, Environment } from '../../platform/ctx.js';
import { noteRefusedCredential } from '../../platform/denial.js';
import { commitAlone } from '../../platform/effect.js';
import { SessionRequired } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId } from '../../platform/schema/id.js';
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

/**
 * Signs in with an API key. A line of the audit log is written, and nothing else: who has the key may sign in as often. 401 `invalid_api_key`, also for what
 * is no API key at all; 401 `environment_mismatch` for a key of the other environment.
 */
export async function createAuthSession(ctx: Ctx, { apiKey }: { apiKey: string }): Promise<AuthSession> {
  const { actor, workspace } = await identify(ctx, apiKey);
  const { environment, tenantId } = workspace;
  const id = newId(ctx.platform.clock.now());
  const token = await signJwt(ctx.platform, { id, apiKeyId: actor.id, workspaceId: workspace.id, environment });
  const act = { action: 'createAuthSession', resourceType: 'auth_session', resourceId: id };
  await commitAlone(ctx.effect, () => writeLines(ctx.platform.database, [auditLine({ ...ctx, actor, workspace, act }, null)]));
  return { token, expiresIn: jwtTtlSeconds, tenantId, environment };
}

/** A session that was signed out. */
export interface EndedAuthSession {
  endedAt: Date;
}

/**
 * Signs the session out, in every process: its JWT is refused from now on, and moves no money. What was begun with it goes on. 403
 * `session_required` for an API key, which is revoked instead. Gap G-420
 */
export async function endAuthSession(ctx: Ctx): Promise<EndedAuthSession> {
  const { actor, platform } = ctx;
  const { kind, id } = actor.credential;
  if (kind !== 'jwt') throw new SessionRequired('Only a JWT session is signed out. An API key ends with DELETE /v1/api-keys/{id}.');
  const endedAt = platform.clock.now();
  // Its hour began before now, so it is over by then.
  const data = { id, expiresAt: addSeconds(endedAt, jwtTtlSeconds) };
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
    return await apiKeyCredential.resolve(platform, apiKey, workspace.environment);
  } catch (error) {
    noteRefusedCredential(platform, ctx, error, { resolver: apiKeyCredential, credential: apiKey });
    throw error instanceof MalformedCredential ? new InvalidApiKey() : error;
  }
}

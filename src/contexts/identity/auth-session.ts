// JWT sessions: an API key exchanged for an hour's token, so that no key sits in a browser (Gap G-26) (CONTRACT.md 18). A session carries
// its key's workspace and dies with the key.
import { InvalidApiKey, MalformedCredential } from '../../platform/credential.js';
import type { Ctx, Environment } from '../../platform/ctx.js';
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
 * Signs in with an API key. Nothing is written: who has the key may sign in as often. 401 `invalid_api_key`, also for what
 * is no API key at all; 401 `environment_mismatch` for a key of the other environment.
 */
export async function createAuthSession(ctx: Ctx, { apiKey }: { apiKey: string }): Promise<AuthSession> {
  const { actor, workspace } = await identify(ctx, apiKey);
  const { environment, tenantId } = workspace;
  const token = await signJwt(ctx.platform, { apiKeyId: actor.id, workspaceId: workspace.id, environment });
  return { token, expiresIn: jwtTtlSeconds, tenantId, environment };
}

async function identify({ platform, workspace }: Ctx, apiKey: string) {
  if (!apiKey.startsWith(apiKeyCredential.prefix)) throw new InvalidApiKey();
  try {
    return await apiKeyCredential.resolve(platform, apiKey, workspace.environment);
  } catch (error) {
    throw error instanceof MalformedCredential ? new InvalidApiKey() : error;
  }
}

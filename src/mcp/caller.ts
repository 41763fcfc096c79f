// Who asks /mcp, as it stood when the request came and as it stands now.
import type { Identify } from '../http/authenticate.js';
import type { Handler, HttpContext } from '../http/state.js';
import { type Identity, tagsOf } from '../platform/credential.js';
import type { Actor, Ctx, Platform, Workspace } from '../platform/ctx.js';
import { createCtx } from '../platform/request.js';
import { anybody, authorize } from '../platform/schema/audience.js';
import type { Catalog } from './catalog.js';
import { offeredTools } from './offer.js';
import type { StreamParts } from './tool-stream.js';

export interface McpParts {
  platform: Platform;
  catalog: () => Catalog;
  /** The public address of this listener; null: none is configured. */
  baseUrl: string | null;
  identify: Identify;
  /** Who a connection stands for now, whatever has become of the token that it was shown by. 401 once it has ended. */
  hold: (ctx: Pick<Ctx, 'platform' | 'workspace'>, connectionId: string) => Promise<Identity>;
  /** What a request passes before it is read, in order. */
  guards: readonly Handler[];
  /** The cache tags that are dropped when what an agent may spend has changed. */
  spendableTags: (workspace: Workspace, agentId: string) => string[];
}

/** Who asks: everybody with a credential but portal tokens, which read what their scopes name. */
export function callerOf({ state }: HttpContext): Ctx {
  const ctx = state.ctx as Ctx;
  authorize(ctx.actor, anybody);
  return ctx;
}

/**
 * The ctx of a look at a stream, and of a call that waits: the credential is asked again, and stands for the same actor as long as it is
 * good.
 */
export async function freshCtx(identify: Identify, http: HttpContext, { type, id }: Actor): Promise<Ctx> {
  const { identity, platform } = await identify(http.req.headers.authorization, http.state);
  if (identity.actor.type !== type || identity.actor.id !== id) throw new Error('a credential stands for somebody else');
  return createCtx(platform, identity, { requestId: http.state.requestId, ip: http.state.ip });
}

/**
 * The ctx of a look at a stream that outlives its token: a program that is connected refreshes its token and keeps its stream, as long as its
 * connection lasts.
 */
export async function heldCtx({ identify, hold }: McpParts, http: HttpContext, ctx: Ctx): Promise<Ctx> {
  const { connection } = ctx.actor;
  if (connection === undefined) return freshCtx(identify, http, ctx.actor);
  return createCtx(ctx.platform, await hold(ctx, connection.id), { requestId: http.state.requestId, ip: http.state.ip });
}

/** A stream of the caller's tools, but for what it tells. `again` is the caller as it stands now. */
export function watchOf({ catalog, spendableTags }: McpParts, ctx: Ctx, again: () => Promise<Ctx>): Omit<StreamParts, 'changed' | 'end'> {
  const { actor, workspace, platform } = ctx;
  const agentId = actor.agent?.id;
  return {
    platform,
    agentId,
    tags: [...tagsOf(actor, workspace), ...(agentId === undefined ? [] : spendableTags(workspace, agentId))],
    look: async () => namesOf(catalog(), await again()),
  };
}

async function namesOf(catalog: Catalog, ctx: Ctx): Promise<string> {
  return (await offeredTools(catalog, ctx)).map(({ tool }) => tool.name).join(' ');
}

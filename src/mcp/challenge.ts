// What a client of MCP is told that may not do what it asks for: where it can get a token (401), or which scope its token lacks (403), as
// RFC 6750 and RFC 9728 spell it.
import type { Handler } from '../http/state.js';
import { agentScopes } from '../platform/agent-scope.js';
import { type ListenerAddress, originFor } from '../platform/authority.js';
import type { Ctx } from '../platform/ctx.js';
import { ApiError } from '../platform/errors.js';
import { requireScope } from '../platform/schema/audience.js';
import type { Catalog } from './catalog.js';

const required = agentScopes.join(' ');

/** Adds to refusals where a token is to be had. */
export function challenge(listener: ListenerAddress): Handler {
  return async (http, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 401 && error.code !== 'insufficient_scope')) throw error;
      const reason = error.status === 403 ? 'insufficient_scope' : http.get('Authorization') === '' ? undefined : 'invalid_token';
      const parts = [
        ...(reason === undefined ? [] : [`error="${reason}"`]),
        `resource_metadata="${originFor(listener, http.req)}/.well-known/oauth-protected-resource/mcp"`,
        `scope="${required}"`,
      ];
      const { status, code, message, details, fields, headers, cause } = error;
      const facts = { ...(details && { details }), ...(fields && { fields }), cause: cause ?? error };
      throw new ApiError(status, code, message, { ...facts, headers: { ...headers, 'WWW-Authenticate': `Bearer ${parts.join(', ')}` } });
    }
  };
}

/** 403 for a message that calls a tool beyond the scopes of its connection. */
export function refuseBeyondScope({ tools }: Catalog, { actor }: Ctx, { method, params }: Record<string, unknown>): void {
  if (actor.connection === undefined || method !== 'tools/call') return;
  const tool = tools.get(String((params as { name?: unknown } | null)?.name));
  if (tool !== undefined) requireScope(actor, tool.admission.scope);
}

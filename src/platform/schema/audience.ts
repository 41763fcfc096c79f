// Who may call what (Gap G-28). A field names its audience; REST asks before it reads the input, GraphQL through scope-auth.
import type { GraphQLField } from 'graphql';
import type { Actor, Audience, PortalScope } from '../ctx.js';
import { ApiKeyRequired, Forbidden, InsufficientScope, MissingCredential } from '../errors.js';

/**
 * True when `actor` belongs to `audience`, else the error that says why not: 401 `missing_credential`,
 * 403 `insufficient_scope` (portal), `api_key_required` or `forbidden`. `portal` is the scope with which a portal token may call it too.
 */
export function authorize(actor: Actor, audience: Audience, portal?: PortalScope): true {
  if (audience === 'public' || actor.type === 'system') return true;
  if (actor.type === 'anonymous') {
    throw new MissingCredential('This request needs a credential: send `Authorization: Bearer <credential>`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (actor.type === 'portal') {
    if (portal !== undefined && actor.scopes.includes(portal)) return true;
    throw new InsufficientScope('A portal token reads only what its scopes name.');
  }
  if (audience === 'api_key' && actor.type !== 'api_key') {
    throw new ApiKeyRequired('Only an API key (pk_test_... or pk_live_...) may do this.');
  }
  if (audience === 'operator' && actor.type === 'agent') throw new Forbidden('Agents may not do this: ask the company that runs you.');
  return true;
}

/** Whom the face lets call the root field: an audience (`any` where it says nothing), or also portal tokens. */
export function admissionOf(root: Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>): {
  audience: Audience;
  portal?: PortalScope;
} {
  const options = root.extensions['pothosOptions'] as { authScopes?: unknown } | undefined;
  const scopes = options?.authScopes;
  if (scopes === undefined) return { audience: 'any' };
  const { audience, portal } = (scopes ?? {}) as { audience?: unknown; portal?: unknown };
  if (typeof portal === 'string') return { audience: 'any', portal: portal as PortalScope };
  if (typeof audience !== 'string')
    throw new Error(`the audience of ${root.name} must be a constant: it is asked before any input is read`);
  return { audience: audience as Audience };
}

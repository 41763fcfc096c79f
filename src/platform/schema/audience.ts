// Who may call what (Gap G-28). A field names its audience; REST asks before it reads the input, GraphQL through scope-auth.
import type { Actor, Audience } from '../ctx.js';
import { ApiKeyRequired, Forbidden, InsufficientScope, MissingCredential } from '../errors.js';

/**
 * True when `actor` belongs to `audience`, else the error that says why not: 401 `missing_credential`,
 * 403 `insufficient_scope` (portal), `api_key_required` or `forbidden`.
 */
export function authorize(actor: Actor, audience: Audience): true {
  if (audience === 'public' || actor.type === 'system') return true;
  if (actor.type === 'anonymous') {
    throw new MissingCredential('This request needs a credential: send `Authorization: Bearer <credential>`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (actor.type === 'portal') throw new InsufficientScope('A portal token reads only what its scopes name.');
  if (audience === 'api_key' && actor.type !== 'api_key') {
    throw new ApiKeyRequired('Only an API key (pk_test_... or pk_live_...) may do this.');
  }
  if (audience === 'operator' && actor.type === 'agent') throw new Forbidden('Agents may not do this: ask the company that runs you.');
  return true;
}

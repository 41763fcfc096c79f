// Who may call, as openapi.json says it.
import { takesCookies } from '../platform/browser.js';
import type { Audience } from '../platform/ctx.js';
import type { Admission } from '../platform/schema/audience.js';

type Json = Record<string, unknown>;

/** Those that carry scopes. */
const scoped: ReadonlySet<string> = new Set(['apiKey', 'jwt', 'portalToken']);

/**
 * Whom an operation lets in as security requirements, with the scope that each has to carry: one of them is enough. The cookie of a browser
 * session is one on few paths; what changes something takes the token of the session beside it.
 */
export function securityOf({ audience, scope, portal }: Admission, { path, method }: { path: string; method: string }): Json[] {
  const schemes: Readonly<Record<Audience, readonly string[]>> = {
    public: [],
    any: ['apiKey', 'jwt', 'agentToken', 'agentSession'],
    operator: ['apiKey', 'jwt'],
    api_key: ['apiKey'],
  };
  const names = portal === undefined ? schemes[audience] : [...schemes[audience], 'portalToken'];
  const given: Json[] = names.map((name) => ({ [name]: scope !== 'self' && scoped.has(name) ? [scope] : [] }));
  if (audience === 'public' || !takesCookies(path)) return given;
  return [...given, { browserSession: [], ...(method !== 'GET' && { csrfToken: [] }) }];
}

/** The scope of an operation as a member of its own; none where no scope is asked for. */
export function scopeOf({ audience, scope }: Admission): Json {
  return audience === 'public' || scope === 'self' ? {} : { 'x-scope': scope };
}

const bearer = (bearerFormat: string, description: string): Json => ({ type: 'http', scheme: 'bearer', bearerFormat, description });

export const securitySchemes = {
  apiKey: bearer('pk_test_... or pk_live_...', 'An API key of the tenant; test keys work on the sandbox, live keys in production.'),
  jwt: bearer('JWT', 'A JWT session of a person.'),
  agentToken: bearer('agent_...', 'The long-lived token of an agent.'),
  portalToken: bearer('portal_...', 'A token that reads the data of one customer, as far as its scopes say.'),
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-ap_live',
    description:
      'The browser session of a person: `__Host-ap_test` in the sandbox, without `__Host-` on plain HTTP of this machine. It counts on few paths, never beside an Authorization header.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The token of the browser session, beside its cookie, from a page of the same origin.',
  },
  agentSession: bearer('sess_...', 'A session of an agent, got by signing a challenge with its Ed25519 key.'),
};

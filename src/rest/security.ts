// Who may call, as openapi.json says it.
import type { Audience, PortalScope } from '../platform/ctx.js';

type Json = Record<string, unknown>;

/** The audience as security requirements: one of them is enough. `portal` is the scope of portal tokens that may call too. */
export function securityOf(audience: Audience, portal?: PortalScope): Json[] {
  const schemes: Readonly<Record<Audience, readonly string[]>> = {
    public: [],
    any: ['apiKey', 'jwt', 'agentToken', 'agentSession'],
    operator: ['apiKey', 'jwt'],
    api_key: ['apiKey'],
  };
  const names = portal === undefined ? schemes[audience] : [...schemes[audience], 'portalToken'];
  return names.map((name) => ({ [name]: [] }));
}

const bearer = (bearerFormat: string, description: string): Json => ({ type: 'http', scheme: 'bearer', bearerFormat, description });

export const securitySchemes = {
  apiKey: bearer('pk_test_... or pk_live_...', 'An API key of the tenant; test keys work on the sandbox, live keys in production.'),
  jwt: bearer('JWT', 'A JWT session of a person.'),
  agentToken: bearer('agent_...', 'The long-lived token of an agent.'),
  portalToken: bearer('portal_...', 'A token that reads the data of one customer, as far as its scopes say.'),
  agentSession: bearer('sess_...', 'A session of an agent, got by signing a challenge with its Ed25519 key.'),
};

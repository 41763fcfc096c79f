// Who may call, as openapi.json says it.
import type { Audience } from '../platform/ctx.js';

type Json = Record<string, unknown>;

/** The audience as security requirements: one of them is enough. */
export function securityOf(audience: Audience): Json[] {
  const schemes: Readonly<Record<Audience, readonly string[]>> = {
    public: [],
    any: ['apiKey', 'jwt', 'agentToken', 'agentSession'],
    operator: ['apiKey', 'jwt'],
    api_key: ['apiKey'],
  };
  return schemes[audience].map((name) => ({ [name]: [] }));
}

const bearer = (bearerFormat: string, description: string): Json => ({ type: 'http', scheme: 'bearer', bearerFormat, description });

export const securitySchemes = {
  apiKey: bearer('pk_test_... or pk_live_...', 'An API key of the tenant; test keys work on the sandbox, live keys in production.'),
  jwt: bearer('JWT', 'A JWT session of a person.'),
  agentToken: bearer('agent_...', 'The long-lived token of an agent.'),
  agentSession: bearer('sess_...', 'A session of an agent, got by signing a challenge with its Ed25519 key.'),
};

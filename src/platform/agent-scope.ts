// The OAuth scopes of connections (CONTRACT.md 22 "Connections"): what the program behind one may do as its agent.

export const agentScopes = ['agent:read', 'agent:act'] as const;
export type AgentScope = (typeof agentScopes)[number];

/** The scope that acts: who has it reads too. */
export const actScope: AgentScope = 'agent:act';
export const readAgentScope: AgentScope = 'agent:read';

/** The scopes that were given, in their order; whoever acts reads too. */
export function withRead(given: readonly string[]): AgentScope[] {
  return agentScopes.filter((scope) => given.includes(scope) || (scope === readAgentScope && given.includes(actScope)));
}

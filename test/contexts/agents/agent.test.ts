// The life of an agent: the steps and the table say the same.
import { describe, expect, it } from 'vitest';
import { agentLifecycle, agentSteps } from '../../../src/contexts/agents/agent.js';
import { allowedFrom } from '../../../src/platform/lifecycle.js';

describe('agentSteps', () => {
  it('walks every edge of the lifecycle, and no other', () => {
    const edges = new Set(Object.values(agentSteps).flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)));
    const table = Object.entries(agentLifecycle.steps).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`));
    expect([...edges].sort()).toEqual(table.sort());
  });

  it('has one step for each edge, so that unfreezing is not activating', () => {
    const edges = Object.values(agentSteps).flatMap(({ from, to }) => from.map((status) => `${status} ${to}`));
    expect(new Set(edges).size).toBe(edges.length);
    expect(agentSteps.unfreeze.from).not.toContain('suspended');
  });

  it('leads nowhere from revoked', () => {
    expect(agentLifecycle.steps.revoked).toEqual([]);
    expect(allowedFrom(agentLifecycle, 'revoked')).toEqual(['active', 'frozen', 'suspended']);
  });
});

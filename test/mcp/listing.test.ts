// What the tools of MCP say of themselves over HTTP, to the clients of its SDK in both eras.
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { allTools } from '../../src/mcp/catalog.js';
import { sessionOf } from '../factories/approval.js';
import { spender } from '../factories/budget.js';
import { type Json, useHarness } from '../harness.js';
import { connect } from './client.js';
import { eras } from './era.js';

const harness = useHarness();

describe('initialize', () => {
  it('says who is there, and that the list of tools changes', async () => {
    await using agent = await connect(harness.test.url, (await spender(harness.test)).token);
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'agent-payments', title: 'Agent Payments' });
    expect(agent.client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
    expect(agent.client.getInstructions()).toContain('whoami');
    await agent.client.ping();
    await expect(agent.client.listPrompts()).rejects.toThrow();
  });
});

describe.each(eras)('tools/list, %s', (era, open) => {
  let agentTools: Tool[];
  let operatorTools: Tool[];
  beforeAll(async () => {
    await using agent = await open(harness.test.url, (await spender(harness.test)).token);
    await using operator = await open(harness.test.url, harness.test.key);
    [agentTools, operatorTools] = [await agent.list(), await operator.list()];
  });

  it('has everything that a model needs of each tool, without a reference that leads nowhere', () => {
    for (const { name, title, description, inputSchema, outputSchema, annotations } of [...agentTools, ...operatorTools]) {
      expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object']);
      expect(inputSchema['additionalProperties'], name).toBe(false);
      expect(title && description && annotations?.title, name).toBeTruthy();
      for (const schema of [inputSchema, outputSchema]) {
        const known = Object.keys((schema as Json).$defs ?? {}).map((definition) => `#/$defs/${definition}`);
        const referred = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference as string);
        expect(
          referred.filter((reference) => !known.includes(reference)),
          name,
        ).toEqual([]);
      }
    }
    expect(new Set([...agentTools, ...operatorTools].map(({ name }) => name))).toEqual(new Set(allTools.map(({ name }) => name)));
  });

  it('marks what reads, what commits, and what takes a key', () => {
    const byName = new Map(agentTools.map((tool) => [tool.name, tool]));
    expect(byName.get('whoami')?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(byName.get('pay')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: false });
    expect(Object.keys(byName.get('pay')?.inputSchema.properties ?? {})).toContain('idempotency_key');
    expect(Object.keys(byName.get('whoami')?.inputSchema.properties ?? {})).toEqual([]);
    const key = era === '2026-07-28' ? ['idempotency_key'] : [];
    expect(byName.get('pay')?.inputSchema.required).toEqual(['from_wallet_id', ...key]);
  });

  it('keeps the tools of operators and agents apart', async () => {
    const [names, operators] = [agentTools, operatorTools].map((tools) => tools.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(['whoami', 'pay', 'pay_x402', 'claim_task']));
    expect(names).not.toContain('create_agent');
    expect(operators).toEqual(expect.arrayContaining(['whoami', 'create_agent', 'approve_request', 'freeze_spending']));
    expect(operators).not.toContain('pay');
    // A user may what an API key may, but for what is the key's alone.
    await using user = await open(harness.test.url, await sessionOf(harness.test));
    const users = await user.names();
    expect(operators?.filter((name) => !users.includes(name))).toEqual(['create_agent', 'freeze_spending', 'unfreeze_spending']);
  });
});

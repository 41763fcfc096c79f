// What wait_for_approval says while people vote: how many of how many.
import { expect, it } from 'vitest';
import { spender } from '../factories/approval.js';
import { newVoters } from '../factories/voter.js';
import { type Json, useHarness } from '../harness.js';
import { eras } from './era.js';

const harness = useHarness();

it.each(eras)('an agent that waits hears `1 of 2`, and of nobody who it was: %s', async (_, open) => {
  const [ada, bob] = await newVoters(harness, 2);
  const agent = await spender(harness);
  const approval = { threshold: '1.00', currency: 'USD', approvers: { count: 2 } };
  await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  const { approval: asked } = await agent.wait('5.00');
  await using client = await open(harness.test.url, agent.token);
  const said = async () => {
    const { content, structuredContent } = await client.result('wait_for_approval', { id: asked.id, timeout_seconds: 0 });
    return { hint: (content as Json[])[1]?.text, missing: (structuredContent as Json).data.missing, all: JSON.stringify(content) };
  };
  expect(await said()).toMatchObject({ hint: expect.stringContaining('0 of 2 people'), missing: 2 });
  await ada?.approve(asked);
  const half = await said();
  expect(half).toMatchObject({ hint: expect.stringContaining('1 of 2 people'), missing: 1 });
  expect(half.all).not.toContain('mem_');
  const waiting = client.call('wait_for_approval', { id: asked.id });
  await bob?.approve(asked);
  expect((await waiting).data).toMatchObject({ status: 'approved', missing: 0 });
});

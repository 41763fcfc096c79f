// Votes on approvals whose policy has changed since they were asked for (CONTRACT.md 23, 29).
import { beforeEach, describe, expect, it } from 'vitest';
import { updatePolicy } from '../../../src/contexts/spending/policy/policy.js';
import { type Spender, spender } from '../../factories/approval.js';
import { newVoters, printed, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const read = async ({ id }: Json): Promise<Json> => (await harness.test.get(`/v1/approvals/${id}`)).body.data;

/** An agent whose spends a policy asks people about, beside the breaker. */
async function asking(approvers: object): Promise<Spender & { policy: Json }> {
  const agent = await spender(harness);
  const approval = { threshold: '10.00', currency: 'USD', approvers };
  const policy = await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  return { ...agent, policy };
}

let ada: Voter;
let bob: Voter;
let cleo: Voter;
beforeEach(async () => {
  [ada, bob, cleo] = (await newVoters(harness, 3)) as [Voter, Voter, Voter];
});

describe('a policy that changes while an approval waits', () => {
  const tell = (agent: { policy: Json }, approvers: object) =>
    updatePolicy(ada.ctx, {
      id: agent.policy.id.slice('pol_'.length),
      approval: { threshold: '10.00', currency: 'USD', approvers } as never,
    });

  it('binds it with a raised `count`, also after the first vote, and not with a lower one', async () => {
    const agent = await asking({ count: 1 });
    const { approval } = await agent.wait('30.00');
    await harness.test.patch(`/v1/policies/${agent.policy.id}`, {
      approval: { threshold: '10.00', currency: 'USD', approvers: { count: 2 } },
    });
    expect(await read(approval)).toMatchObject({ required: [{ count: 2, member_ids: null }], missing: 2 });
    expect(await ada.approve(approval)).toBe('pending');
    await tell(agent, { count: 3 });
    expect(await read(approval)).toMatchObject({ required: [{ count: 3 }], missing: 2 });
    expect(await bob.approve(approval)).toBe('pending');
    await tell(agent, { count: 1 });
    expect(await read(approval)).toMatchObject({ required: [{ count: 1 }], missing: 0 });
    expect(await cleo.approve(approval)).toBe('approved');
    const second = await asking({ count: 2 });
    const { approval: other } = await second.wait('30.00');
    await tell(second, { count: 1 });
    expect(await ada.approve(other)).toBe('pending');
    expect(await bob.approve(other)).toBe('approved');
  });

  it('binds it with another list: who was taken off votes no more, and a vote of his counts no more', async () => {
    const agent = await asking({ count: 2, member_ids: [ada, bob, cleo].map(printed) });
    const { approval } = await agent.wait('30.00');
    expect(await ada.approve(approval)).toBe('pending');
    await tell(agent, { count: 2, memberIds: [bob.id, cleo.id] });
    expect(await read(approval)).toMatchObject({ missing: 2, votes: [{ counts: false }] });
    expect(await ada.approve(approval)).toBe('not_an_approver');
    expect(await bob.approve(approval)).toBe('pending');
    expect(await cleo.approve(approval)).toBe('approved');
  });

  it('asks what it asked at first when it has ended', async () => {
    const agent = await asking({ count: 2 });
    const { approval } = await agent.wait('30.00');
    await updatePolicy(ada.ctx, { id: agent.policy.id.slice('pol_'.length), enabled: false });
    expect(await ada.approve(approval)).toBe('pending');
    expect(await bob.approve(approval)).toBe('approved');
  });
});

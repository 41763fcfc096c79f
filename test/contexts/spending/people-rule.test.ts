// Rules whose policy asks people: when they are asked, and what becomes of a spend that passed without them (CONTRACT.md 23).
import { beforeEach, describe, expect, it } from 'vitest';
import { type Spender, spender, transferOf } from '../../factories/approval.js';
import { newVoters, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const read = async ({ id }: Json): Promise<Json> => (await harness.test.get(`/v1/approvals/${id}`)).body.data;

async function asking(approvers: object): Promise<Spender & { policy: Json }> {
  const agent = await spender(harness);
  const approval = { threshold: '10.00', currency: 'USD', approvers };
  const policy = await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  return { ...agent, policy };
}

let ada: Voter;
let bob: Voter;
beforeEach(async () => {
  [ada, bob] = (await newVoters(harness, 2)) as [Voter, Voter];
});

describe('a rule that asks people', () => {
  const rules = [{ kind: 'max_amount', per: 'day', amount: '50.00', currency: 'USD', action: 'approve' }];
  const limit = (agent: Spender, extra: object = {}) => ({
    ...{ name: 'Above 50 a day', target: { type: 'agent', id: agent.id }, rules },
    approval: { threshold: '500.00', currency: 'USD', approvers: {}, ...extra },
  });

  it('asks them where it would be passed, also beside another that asks anybody', async () => {
    const agent = await spender(harness);
    await harness.test.make('/v1/policies', limit(agent));
    const within = await agent.wait('30.00');
    expect(within.approval.required).toEqual([]);
    const beyond = await agent.wait('30.00');
    expect(beyond.approval.required).toHaveLength(1);
    expectRefused(await harness.test.post(`/v1/approvals/${beyond.approval.id}/approve`, {}), 403, 'forbidden', {
      reason: 'person_required',
    });
  });

  it('refuses what is approved without them where it would be passed by then', async () => {
    const agent = await spender(harness);
    await harness.test.make('/v1/policies', limit(agent));
    const { approval, transfer } = await agent.wait('30.00');
    const other = await agent.wait('50.00');
    expect(await ada.approve(other.approval)).toBe('approved');
    const { body } = await harness.test.post(`/v1/approvals/${approval.id}/approve`, {});
    expect(body.data).toMatchObject({ status: 'approved', result_error: { code: 'policy_violation' } });
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'failed' });
  });

  it('and is satisfied by their votes, though it has another name by then', async () => {
    const agent = await asking({ count: 2 });
    const { approval } = await agent.wait('30.00');
    await ada.approve(approval);
    await harness.test.patch(`/v1/policies/${agent.policy.id}`, { name: 'Renamed' });
    expect(await bob.approve(approval)).toBe('approved');
    expect(await read(approval)).not.toHaveProperty('result_error');
  });

  it('also for a spend whose caller wanted an approval of what it refuses', async () => {
    const agent = await spender(harness);
    const deny = [{ ...rules[0], action: 'deny' }];
    await harness.test.make('/v1/policies', { ...limit(agent), rules: deny });
    const { body } = await agent.ask('60.00', { request_approval: true });
    expect((await read(body.approval)).required).toHaveLength(1);
    expect(await ada.approve(body.approval)).toBe('approved');
    expect(await transferOf(harness.test, body.data)).toMatchObject({ status: 'completed' });
  });
});

// Votes beside each other: whatever comes at once, a spend is carried out once, and never without the votes that it takes.
import { describe, expect, it } from 'vitest';
import { type Spender, spender, transferOf } from '../../factories/approval.js';
import { balanceOf } from '../../factories/payment.js';
import { newVoter, newVoters, printed, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const read = async ({ id }: Json): Promise<Json> => (await harness.test.get(`/v1/approvals/${id}`)).body.data;

async function asking(approvers: object): Promise<Spender> {
  const agent = await spender(harness);
  const approval = { threshold: '1.00', currency: 'USD', approvers };
  await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  return agent;
}

const countOf = (answers: readonly string[], what: string) => answers.filter((answer) => answer === what).length;

describe('of 20 parallel votes on 2 of 5', () => {
  it('exactly one executes, once', async () => {
    const voters = await newVoters(harness, 5);
    const agent = await asking({ count: 2, member_ids: voters.map(printed) });
    for (let round = 0; round < 3; round += 1) {
      const before = Number((await balanceOf(harness.test, agent.payee)).available);
      const { approval, transfer } = await agent.wait('7.00');
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (voters[n % 5] as Voter).approve(approval)));
      expect(countOf(answers, 'approved')).toBe(1);
      expect(countOf(answers, 'pending')).toBeGreaterThanOrEqual(1);
      expect(countOf(answers, 'approved') + countOf(answers, 'pending') + countOf(answers, 'state_conflict')).toBe(20);
      expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'completed' });
      expect(Number((await balanceOf(harness.test, agent.payee)).available) - before).toBe(7);
      const { votes, missing } = await read(approval);
      expect([missing, votes.filter(({ counts }: Json) => counts).length]).toEqual([0, 2]);
      await harness.runDue();
      const { body } = await harness.test.get(`/v1/events?type=approval.approved&object_id=${approval.id}`);
      expect(body.data).toHaveLength(1);
    }
  });

  it('none by who asked, by a member suspended a moment before, or above an authority lowered a moment before', async () => {
    const [asker, suspended, lowered, able] = (await newVoters(harness, 4)) as [Voter, Voter, Voter, Voter];
    const agent = await asking({ count: 2 });
    const { approval, transfer } = await agent.wait('7.00');
    const by = { requestedByType: 'member', requestedById: asker.id } as const;
    await harness.platform.database.unscoped.approval.updateMany({ where: { id: approval.id.slice('apr_'.length) }, data: by });
    await suspended.approve(approval);
    await Promise.all([suspended.set("status = 'suspended'"), lowered.set('authority_max = 699')]);
    const all = [asker, suspended, lowered, able];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (all[n % 4] as Voter).approve(approval)));
    const of = (voter: number) => new Set(answers.filter((_, n) => n % 4 === voter));
    expect([0, 1, 2, 3].map((n) => [...of(n)])).toEqual([['own_request'], ['not_an_approver'], ['authority_exceeded'], ['pending']]);
    expect(await read(approval)).toMatchObject({ status: 'pending', missing: 1 });
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'pending' });
  });

  it('a suspension that is not committed yet is waited for', async () => {
    const [one, two] = (await newVoters(harness, 2)) as [Voter, Voter];
    const agent = await asking({ count: 2, member_ids: [printed(one), printed(two)] });
    const { approval, transfer } = await agent.wait('7.00');
    expect(await one.approve(approval)).toBe('pending');
    const { pool } = harness.platform.database;
    const other = await pool.connect();
    let answer: string | undefined;
    try {
      await other.query('BEGIN');
      await other.query("UPDATE member SET status = 'suspended' WHERE tenant_id = $1 AND id = $2", [harness.tenantId, one.id]);
      const voting = two.approve(approval).then((said) => (answer = said));
      const blocked = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(async () => answer ?? (await pool.query(blocked)).rows[0].n, { timeout: 20_000 }).toBe(1);
      await other.query('COMMIT');
      await voting;
    } finally {
      other.release();
    }
    expect([answer, (await read(approval)).missing, (await transferOf(harness.test, transfer)).status]).toEqual(['pending', 1, 'pending']);
  });

  it('beside rejections, withdrawals and the end of its time one thing happens', async () => {
    const voters = await newVoters(harness, 3);
    const [one, two, three] = voters as [Voter, Voter, Voter];
    const agent = await asking({ count: 2 });
    for (let round = 0; round < 4; round += 1) {
      const { approval, transfer } = await agent.wait('7.00');
      const withdraw = async () => (await harness.test.post(`/v1/approvals/${approval.id}/cancel`, {})).status;
      const steps = [() => one.approve(approval), () => two.approve(approval), () => three.reject(approval), withdraw];
      await Promise.all([...steps.slice(round), ...steps.slice(0, round)].map((step) => step()));
      const { status } = await read(approval);
      const paid = (await transferOf(harness.test, transfer)).status;
      expect(['approved', 'rejected', 'cancelled']).toContain(status);
      expect(paid).toBe(status === 'approved' ? 'completed' : 'cancelled');
    }
  });
});

describe('a member of another tenant', () => {
  it('sees no approval to vote on', async () => {
    const { unscoped } = harness.elsewhere.database;
    const other = await unscoped.tenant.findFirstOrThrow({ where: { id: { not: harness.tenantId } } });
    const stranger = await newVoter(harness, { tenantId: other.id });
    const { approval } = await (await asking({})).wait('7.00');
    expect(await stranger.approve(approval)).toBe('not_found');
  });
});

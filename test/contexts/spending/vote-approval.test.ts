// POST /v1/approvals/{id}/approve and /reject by people: votes (CONTRACT.md 23, 29).
import { beforeEach, describe, expect, it } from 'vitest';
import { setRates } from '../../../src/contexts/rates/rate-setting.js';
import { ownersKey, type Spender, sessionOf, spender, transferOf } from '../../factories/approval.js';
import { balanceOf, transferBody } from '../../factories/payment.js';
import { newVoter, newVoters, printed, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const read = async ({ id }: Json, as = harness.test.key): Promise<Json> =>
  (await harness.test.get(`/v1/approvals/${id}`, { as })).body.data;
const votesOf = async (approval: Json) => (await read(approval)).votes.map(({ vote, counts }: Json) => [vote, counts]);
const eventsOf = async ({ id }: Json) => {
  const { body } = await harness.test.get(`/v1/events?type=approval.*&object_id=${id}`);
  return body.data.map(({ type, data }: Json) => [type, data.missing]).reverse();
};

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

describe('a vote', () => {
  it('that is not the last leaves the approval pending, and the last one pays', async () => {
    const agent = await asking({ count: 2 });
    const { approval, transfer } = await agent.wait('30.00');
    const required = [{ policy_id: agent.policy.id, count: 2, member_ids: null }];
    expect(approval).toMatchObject({ required, votes: [], missing: 2 });
    harness.clock.advance(5);
    expect(await ada.approve(approval, 'Fine.')).toBe('pending');
    const at = harness.clock.now().toISOString();
    const vote = { member: { id: printed(ada), name: ada.name }, vote: 'approve', via: 'console', comment: 'Fine.', at, counts: true };
    expect(await read(approval)).toEqual({ ...approval, votes: [vote], missing: 1 });
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'pending' });
    expect(await bob.approve(approval)).toBe('approved');
    const decided = await read(approval);
    expect(decided).toMatchObject({
      status: 'approved',
      missing: 0,
      decided_by: { type: 'user', id: printed(bob), name: bob.name },
      votes: [vote, { member: { id: printed(bob), name: bob.name }, counts: true }],
    });
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'completed' });
    expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '30.00' });
    await harness.runDue();
    expect(await eventsOf(approval)).toEqual([
      ['approval.requested', 2],
      ['approval.voted', 1],
      ['approval.voted', 0],
      ['approval.approved', 0],
    ]);
    const { data } = (await harness.test.get('/v1/events?type=approval.*', { as: agent.token })).body;
    expect(data.map(({ type }: Json) => type)).toEqual(['approval.approved', 'approval.requested']);
  });

  it('the same again changes nothing, and one rejection ends it', async () => {
    const agent = await asking({ count: 2 });
    const { approval, transfer } = await agent.wait('30.00');
    expect(await ada.approve(approval, 'Fine.')).toBe('pending');
    const once = await read(approval);
    harness.clock.advance(5);
    expect(await ada.approve(approval, 'Twice.')).toBe('pending');
    expect(await read(approval)).toEqual(once);
    expect(await bob.reject(approval, 'No.')).toBe('rejected');
    expect(await read(approval)).toMatchObject({ status: 'rejected', comment: 'No.', missing: 0, decided_by: { id: printed(bob) } });
    expect(await votesOf(approval)).toEqual([
      ['approve', false],
      ['reject', true],
    ]);
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'cancelled' });
    expect(await cleo.approve(approval)).toBe('state_conflict');
  });

  it('who approved may still reject', async () => {
    const { approval } = await (await asking({ count: 2 })).wait('30.00');
    expect(await ada.approve(approval)).toBe('pending');
    expect(await ada.reject(approval)).toBe('rejected');
    expect(await votesOf(approval)).toEqual([['reject', true]]);
  });

  it('counts for each policy that asks, which must all be satisfied', async () => {
    const agent = await asking({ count: 2 });
    const named = { threshold: '20.00', currency: 'USD', approvers: { member_ids: [printed(cleo)] } };
    await harness.test.make('/v1/policies', { name: 'Cleo', target: { type: 'agent', id: agent.id }, rules: [], approval: named });
    const { approval } = await agent.wait('30.00');
    expect(approval.required).toMatchObject([{ count: 2 }, { count: 1, member_ids: [printed(cleo)] }]);
    expect([await ada.approve(approval), await bob.approve(approval)]).toEqual(['pending', 'pending']);
    expect(await read(approval)).toMatchObject({ missing: 1 });
    expect(await cleo.approve(approval)).toBe('approved');
  });

  it('where no policy asks people one decides, as a key does', async () => {
    const agent = await spender(harness);
    const first = await agent.wait('30.00');
    expect(first.approval).toMatchObject({ required: [], missing: 1 });
    expect(await ada.approve(first.approval)).toBe('approved');
    expect(await read(first.approval)).toMatchObject({ decided_by: { type: 'user', id: printed(ada), name: ada.name }, missing: 0 });
    expect(await votesOf(first.approval)).toEqual([['approve', true]]);
    const second = await agent.wait('30.00');
    expect(await ada.reject(second.approval)).toBe('rejected');
    const third = await agent.wait('30.00');
    await ada.set('authority_max = 2999');
    expect(await ada.approve(third.approval)).toBe('authority_exceeded');
  });

  it('an agent sees how many are missing, and of nobody who they are', async () => {
    const agent = await asking({ count: 2, member_ids: [printed(ada), printed(bob)] });
    const { approval } = await agent.wait('30.00');
    await ada.approve(approval);
    const shown = await read(approval, agent.token);
    expect(shown).toMatchObject({ missing: 1, required: [{ count: 2, member_ids: null }], votes: [{ vote: 'approve', counts: true }] });
    expect(JSON.stringify(shown)).not.toContain('mem_');
  });
});

describe('a vote does not count', () => {
  it('of a member no longer active, or whose authority no longer suffices, when it is counted', async () => {
    const agent = await asking({ count: 3 });
    const dora = await newVoter(harness);
    const eve = await newVoter(harness);
    const { approval } = await agent.wait('30.00');
    expect([await ada.approve(approval), await bob.approve(approval)]).toEqual(['pending', 'pending']);
    await ada.set("status = 'suspended'");
    await bob.set('authority_max = 2999');
    expect(await read(approval)).toMatchObject({ missing: 3, votes: [{ counts: false }, { counts: false }] });
    expect([await cleo.approve(approval), await dora.approve(approval), await eve.approve(approval)]).toEqual([
      'pending',
      'pending',
      'approved',
    ]);
    expect((await votesOf(approval)).map(([, counts]: Json) => counts)).toEqual([false, false, true, true, true]);
  });

  it('beside the one of whoever was shown the link by which its member came, for a day', async () => {
    const agent = await asking({ count: 2 });
    const puppet = await newVoter(harness, { linkShownTo: ada });
    const { approval } = await agent.wait('30.00');
    expect([await ada.approve(approval), await puppet.approve(approval)]).toEqual(['pending', 'pending']);
    expect(await read(approval)).toMatchObject({ missing: 1, votes: [{ counts: true }, { counts: false }] });
    const expiresAt = new Date(harness.clock.now().getTime() + 172_800_000);
    const where = { id: approval.id.slice('apr_'.length) };
    await harness.platform.database.unscoped.approval.updateMany({ where, data: { expiresAt, dueAt: expiresAt } });
    harness.clock.advance(86_400);
    expect(await read(approval)).toMatchObject({ missing: 0, votes: [{ counts: true }, { counts: true }] });
    expect(await puppet.approve(approval)).toBe('approved');
  });

  it('beside another one who came by such a link, also by one of a puppet, and not for who asked', async () => {
    const agent = await asking({ count: 2 });
    const puppet = await newVoter(harness, { linkShownTo: ada });
    const second = await newVoter(harness, { linkShownTo: puppet });
    const { approval } = await agent.wait('30.00');
    expect([await second.approve(approval), await ada.approve(approval)]).toEqual(['pending', 'pending']);
    expect(await puppet.approve(approval)).toBe('pending');
    expect(await read(approval)).toMatchObject({ missing: 1 });
    expect(await bob.approve(approval)).toBe('approved');
    const { approval: own } = await agent.wait('30.00');
    const where = { id: own.id.slice('apr_'.length) };
    await harness.platform.database.unscoped.approval.updateMany({
      where,
      data: { requestedByType: 'member', requestedById: ada.id },
    });
    expect([await puppet.approve(own), await bob.approve(own), await second.approve(own)]).toEqual(['pending', 'pending', 'pending']);
    expect(await cleo.approve(own)).toBe('approved');
  });
});

describe('403', () => {
  it('`person_required` for a key and its JWT, who may withdraw', async () => {
    const { approval } = await (await asking({})).wait('30.00');
    for (const as of [harness.test.key, await ownersKey(harness), await sessionOf(harness.test)]) {
      for (const word of ['approve', 'reject']) {
        const refused = await harness.test.post(`/v1/approvals/${approval.id}/${word}`, {}, { as });
        expectRefused(refused, 403, 'forbidden', { reason: 'person_required' });
      }
    }
    expect(await read(approval)).toMatchObject({ status: 'pending', votes: [] });
    expect((await harness.test.post(`/v1/approvals/${approval.id}/cancel`, {})).status).toBe(200);
  });

  it('`not_an_approver` for who is on no list, and for who is no active member any more', async () => {
    const { approval } = await (await asking({ member_ids: [printed(ada)] })).wait('30.00');
    expect(await bob.approve(approval)).toBe('not_an_approver');
    expect(await bob.reject(approval)).toBe('not_an_approver');
    await ada.set("status = 'suspended'");
    expect(await ada.approve(approval)).toBe('not_an_approver');
    await ada.set("status = 'active'");
    expect(await ada.approve(approval)).toBe('approved');
  });

  it('`authority_exceeded` with the limit, converted and rounded up', async () => {
    const { approval } = await (await asking({})).wait('30.00');
    const limit = (voter: Voter) => voter.vote(approval).catch(({ status, details }) => [status, details.reason, details.limit]);
    const few = await newVoter(harness, { authority: { maxAmount: 2_999n, currency: 'USD' } });
    const figures = { kind: 'authority', per: 'tx', currency: 'USD', max: '29.99', used: '0.00', requested: '30.00', remaining: '29.99' };
    expect(await limit(few)).toEqual([403, 'authority_exceeded', figures]);
    const none = await newVoter(harness, { authority: null });
    expect(await limit(none)).toEqual([403, 'authority_exceeded', { ...figures, max: '0.00', remaining: '0.00' }]);
    await setRates(ada.ctx, { rates: [{ from: 'USD', to: 'EUR', rate: '0.90001' }] });
    const european = await newVoter(harness, { authority: { maxAmount: 2_700n, currency: 'EUR' } });
    expect(await limit(european)).toMatchObject([403, 'authority_exceeded', { currency: 'EUR', max: '27.00', requested: '27.01' }]);
    await european.set('authority_max = 2701');
    expect(await european.approve(approval)).toBe('approved');
  });

  it('`own_request` for who asked, by session or by a key that he made', async () => {
    const agent = await asking({});
    const asked = async (by: object) => {
      const { approval } = await agent.wait('30.00');
      await harness.platform.database.unscoped.approval.updateMany({ where: { id: approval.id.slice(4) }, data: by });
      return approval;
    };
    const bySession = await asked({ requestedByType: 'member', requestedById: ada.id });
    expect([await ada.approve(bySession), await ada.reject(bySession), await bob.approve(bySession)]).toEqual([
      'own_request',
      'own_request',
      'approved',
    ]);
  });

  it('`own_request` for who made the key that asked, or one that made it, or whose place it took; and for a key of who asked', async () => {
    const { unscoped } = harness.platform.database;
    const made = async (as: string): Promise<Json> => harness.test.make('/v1/api-keys', { name: 'Key' }, { as });
    const owner = await ownersKey(harness);
    const first = await made(owner);
    await unscoped.apiKey.updateMany({
      where: { id: first.id.slice('key_'.length) },
      data: { createdById: null, createdByMemberId: ada.id },
    });
    const child = await made(first.key);
    const rolled = await harness.test.make(`/v1/api-keys/${child.id}/roll`, { overlap_seconds: 600 }, { as: owner });
    const agent = await asking({});
    for (const { key } of [first, child, rolled]) {
      const body = transferBody(agent.wallet, agent.payee, '30.00', { agent_id: agent.uuid });
      const { approval } = (await harness.test.post('/v1/transfers', body, { as: key })).body;
      expect(await ada.approve(approval)).toBe('own_request');
      expect(await bob.approve(approval)).toBe('approved');
    }
    const plainly = await spender(harness);
    const { approval } = await plainly.wait('30.00');
    const by = { requestedByType: 'member', requestedById: ada.id } as const;
    await unscoped.approval.updateMany({ where: { id: approval.id.slice('apr_'.length) }, data: by });
    for (const { key } of [first, child, rolled]) {
      const refused = await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}, { as: key });
      expectRefused(refused, 403, 'forbidden', { reason: 'own_request' });
    }
    expect((await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}, { as: owner })).status).toBe(200);
  });

  it('`own_request` for the person behind the connection that asked, where two have to vote', async () => {
    const [one, two] = [await asking({ count: 1 }), await asking({ count: 2 })];
    for (const [agent, status] of [
      [one, 'approved'],
      [two, 'own_request'],
    ] as const) {
      const { approval } = await agent.wait('30.00');
      await harness.platform.database.unscoped.approval.updateMany({
        where: { id: approval.id.slice(4) },
        data: { behindMemberId: ada.id },
      });
      expect(await ada.approve(approval)).toBe(status);
    }
  });
});

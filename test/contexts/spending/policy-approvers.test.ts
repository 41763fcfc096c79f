// POST, PATCH and DELETE /v1/policies with `approvers`: who is asked, and who may ask less of them (CONTRACT.md 23, 29).
import { beforeEach, describe, expect, it } from 'vitest';
import { deletePolicy, updatePolicy } from '../../../src/contexts/spending/policy/policy.js';
import { sessionOf } from '../../factories/approval.js';
import { newVoter, newVoters, printed, type Voter } from '../../factories/voter.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const rule = { kind: 'max_count', per: 'day', count: 100 };
const approvalOf = (approvers?: object, more: object = {}) => ({
  threshold: '10.00',
  currency: 'USD',
  ...(approvers && { approvers }),
  ...more,
});
const create = (approvers: object, more: object = {}) =>
  harness.test.post('/v1/policies', {
    name: 'People',
    target: { type: 'tenant' },
    rules: [rule],
    approval: approvalOf(approvers),
    ...more,
  });
const made = async (approvers: object, more: object = {}): Promise<Json> => {
  const { status, body } = await create(approvers, more);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
};
const change = ({ id }: Json, body: object, as = harness.test.key) => harness.test.patch(`/v1/policies/${id}`, body, { as });
const bare = ({ id }: Json) => id.slice('pol_'.length);

let ada: Voter;
let bob: Voter;
beforeEach(async () => {
  await harness.platform.database.unscoped.$executeRawUnsafe("UPDATE member SET status = 'removed'");
  [ada, bob] = (await newVoters(harness, 2)) as [Voter, Voter];
});

describe('201 and 200', () => {
  it('keep whom to ask, with the defaults', async () => {
    expect((await made({})).approval).toEqual({ ...approvalOf({ count: 1, member_ids: null }), timeout_seconds: 3_600 });
    const list = [printed(ada), bob.id];
    const policy = await made({ count: 2, member_ids: list });
    expect(policy.approval.approvers).toEqual({ count: 2, member_ids: [printed(ada), printed(bob)] });
    expect((await harness.test.get(`/v1/policies/${policy.id}`)).body.data).toEqual(policy);
  });

  it('of a change that is no loosening, for a key', async () => {
    const policy = await made({ count: 1 });
    for (const body of [
      { name: 'Another' },
      { approval: approvalOf({ count: 2 }) },
      { approval: approvalOf({ count: 2 }, { threshold: '5.00' }) },
      { rules: [rule, { kind: 'protocols', allow: ['internal'] }] },
      { enabled: true },
    ])
      expect((await change(policy, body)).status, JSON.stringify(body)).toBe(200);
  });

  it('of a loosening, for a person and for the command line', async () => {
    const policy = await made({ count: 2 });
    expect(await updatePolicy(ada.ctx, { id: bare(policy), approval: { threshold: '99.00', currency: 'USD' } })).toMatchObject({
      version: 2,
    });
    const other = await made({ count: 2 });
    await deletePolicy(ada.ctx, bare(other));
    expect((await harness.test.get(`/v1/policies/${other.id}`)).status).toBe(404);
  });
});

describe('400', () => {
  it('`count` out of its range, or more than the members that could vote', async () => {
    for (const count of [0, 6]) expectInvalid(await create({ count }), 'approval.approvers.count');
    expectInvalid(await create({ count: 3 }), 'approval.approvers.count');
    expectInvalid(await create({ count: 2, member_ids: [printed(ada)] }), 'approval.approvers.count');
    const [idle, away] = [await newVoter(harness, { authority: null }), await newVoter(harness)];
    await away.set("status = 'suspended'");
    expectInvalid(await create({ count: 3, member_ids: [ada, bob, idle, away].map(printed) }), 'approval.approvers.count');
    expect((await create({ count: 2, member_ids: [ada, bob, idle, away].map(printed) })).status).toBe(201);
  });

  it('the same member twice, more than 20, none, and what is no id of a member', async () => {
    expectInvalid(await create({ member_ids: [printed(ada), printed(bob), ada.id] }), 'approval.approvers.member_ids.2');
    const many = Array.from({ length: 21 }, (_, n) => nowhere.replace(/.{2}$/, String(10 + n)));
    expectInvalid(await create({ member_ids: many }), 'approval.approvers.member_ids');
    expectInvalid(await create({ member_ids: [] }), 'approval.approvers.member_ids');
    expectInvalid(await create({ member_ids: [`key_${ada.id}`] }), 'approval.approvers.member_ids.0');
    expectInvalid(await create({ counts: 2 }), 'approval.approvers.counts');
    const policy = await made({});
    expectInvalid(await change(policy, { approval: approvalOf({ count: 3 }) }), 'approval.approvers.count');
  });
});

describe('403 `person_required`', () => {
  it('for a key or JWT that loosens or ends it', async () => {
    const policy = await made({ count: 2, member_ids: [printed(ada), printed(bob)] });
    const list = { count: 2, member_ids: [printed(ada), printed(bob)] };
    const looser = [
      { approval: null },
      { approval: approvalOf() },
      { approval: approvalOf({ ...list, count: 1 }) },
      { approval: approvalOf({ count: 2 }) },
      { approval: approvalOf(list, { threshold: '10.01' }) },
      { approval: approvalOf(list, { currency: 'JPY', threshold: '10' }) },
      { rules: [] },
      { rules: [{ ...rule, count: 101 }] },
      { rules: [{ ...rule, action: 'approve' }] },
      { enabled: false },
    ];
    for (const as of [harness.test.key, await sessionOf(harness.test)]) {
      for (const body of looser) {
        const answer = await change(policy, body, as);
        expectRefused(answer, 403, 'forbidden', { reason: 'person_required' });
      }
      expectRefused(await harness.test.delete(`/v1/policies/${policy.id}`, { as }), 403, 'forbidden', { reason: 'person_required' });
    }
    expect((await harness.test.get(`/v1/policies/${policy.id}`)).body.data).toEqual(policy);
  });
});

describe('404', () => {
  it('a member of another tenant, one who was removed, and nobody', async () => {
    const other = await harness.platform.database.unscoped.tenant.findFirstOrThrow({ where: { id: { not: harness.tenantId } } });
    const stranger = await newVoter(harness, { tenantId: other.id });
    const removed = await newVoter(harness);
    await removed.set("status = 'removed'");
    for (const id of [printed(stranger), printed(removed), nowhere]) {
      const answer = await create({ member_ids: [printed(ada), id] });
      expectRefused(answer, 404, 'not_found');
      expect(answer.body.details.fields).toMatchObject([{ path: 'approval.approvers.member_ids.1' }]);
    }
  });
});

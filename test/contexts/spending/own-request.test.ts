// POST /v1/approvals/{id}/approve by whoever asked: nobody decides what his own credential asked for (CONTRACT.md 29).
import { describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { ownersKey, type Spender, sessionOf, spender } from '../../factories/approval.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const approve = ({ id }: Json, as = harness.test.key) => harness.test.post(`/v1/approvals/${id}/approve`, {}, { as });
const bodyOf = ({ wallet, payee, uuid }: Spender) => transferBody(wallet, payee, '5.00', { agent_id: uuid });

/** A spend that a key asks for, and what it says when others decide. */
async function askedBy(as: string) {
  const agent = await spender(harness);
  const { approval } = (await harness.test.post('/v1/transfers', bodyOf(agent), { as })).body;
  const decidedBy = async (key: string) => {
    const { status, body } = await approve(approval, key);
    return status === 200 ? 200 : body.details.reason;
  };
  return { approval, decidedBy };
}
const made = (as = harness.test.key): Promise<Json> => harness.test.make('/v1/api-keys', { name: 'Another' }, { as });
const rolled = ({ id }: Json, as: string): Promise<Json> => harness.test.make(`/v1/api-keys/${id}/roll`, { overlap_seconds: 600 }, { as });
const session = async (api_key: string): Promise<string> => (await harness.test.make('/v1/auth/session', { api_key }, { as: null })).token;

describe('an approval is not given', () => {
  it('by whoever asked, who may withdraw it', async () => {
    await ownersKey(harness);
    const { approval, decidedBy } = await askedBy(harness.test.key);
    const actions = [{ rel: 'cancel', actor: 'any', method: 'POST', path: `/v1/approvals/${approval.id}/cancel` }];
    expectRefused(await approve(approval), 403, 'forbidden', { reason: 'own_request', next_actions: actions });
    expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data).toMatchObject({ status: 'pending' });
    expect(await decidedBy(await sessionOf(harness.test))).toBe('own_request');
    const text = 'mutation ($id: ApprovalId!) { approveApproval(id: $id, input: {}) { approval { status } } }';
    const { body } = await harness.test.graphql(text, { id: approval.id }, { as: await sessionOf(harness.test) });
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden' });
    const rejected = await harness.test.post(`/v1/approvals/${approval.id}/reject`, {});
    expectRefused(rejected, 403, 'forbidden', { reason: 'own_request' });
    expect((await harness.test.post(`/v1/approvals/${approval.id}/cancel`, {})).status).toBe(200);
  });

  it('by the key of a JWT that asked', async () => {
    const { decidedBy } = await askedBy(await sessionOf(harness.test));
    expect(await decidedBy(harness.test.key)).toBe('own_request');
    expect(await decidedBy(await ownersKey(harness))).toBe(200);
  });

  it('by keys that it made, those that they made, and their JWTs; the one that made it decides', async () => {
    const asker = await made();
    const { decidedBy } = await askedBy(asker.key);
    const child = await made(asker.key);
    const grandchild = await made(child.key);
    for (const key of [asker.key, child.key, grandchild.key, await session(grandchild.key)])
      expect(await decidedBy(key)).toBe('own_request');
    expect(await decidedBy(harness.test.key)).toBe(200);
  });

  it('by the key that took its place, the one whose place it took, and those that either of them made', async () => {
    const first = await made();
    const early = await made(first.key);
    const second = await rolled(first, first.key);
    const { decidedBy } = await askedBy(second.key);
    const third = await rolled(second, harness.test.key);
    const late = await made(third.key);
    for (const { key } of [first, second, third, early, late]) expect(await decidedBy(key)).toBe('own_request');
    expect(await decidedBy(harness.test.key)).toBe(200);
  });

  it('where no other key is left: the refusal says that the owner makes one, and he approves with it', async () => {
    const { testKey: as, tenantId } = await createTenant(harness.platform, { name: 'Alone' });
    const make = (path: string, body: object): Promise<Json> => harness.test.make(path, body, { as });
    const purse = async (name: string) => {
      const { id: owner_id } = await make('/v1/accounts', { type: 'business', name });
      return make('/v1/wallets', { owner_type: 'account', owner_id, currency: 'USD' });
    };
    const [from, to] = [await purse('Ada'), await purse('Bob')];
    await make(`/v1/wallets/${from.id}/fund`, { amount: '10.00' });
    const approval = { threshold: '1.00', currency: 'USD' };
    await make('/v1/policies', { name: 'Ask', target: { type: 'tenant' }, rules: [], approval });
    const { body } = await harness.test.post('/v1/transfers', transferBody(from, to, '5.00'), { as });
    const child = await made(as);
    const path = `/v1/approvals/${body.approval.id}`;
    for (const key of [as, child.key]) {
      const refused = await approve(body.approval, key);
      const actions = [
        { rel: 'cancel', actor: 'any', method: 'POST', path: `${path}/cancel` },
        { rel: 'approve', actor: 'owner', method: 'POST', path: `${path}/approve` },
      ];
      expectRefused(refused, 403, 'forbidden', { reason: 'own_request', next_actions: actions });
      expect(refused.body.error).toContain('cli key create');
    }
    expect((await approve(body.approval, await ownersKey(harness, tenantId))).body.transfer).toMatchObject({ status: 'completed' });
  });
});

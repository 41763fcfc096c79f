// POST /v1/accounts/{id}/erase, and reading erasures.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, newAccount, pay } from '../../factories/payment.js';
import { disputeBody } from '../../factories/refund.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const erase = ({ id }: Json, body: object = {}, options = {}) => harness.test.post(`/v1/accounts/${id}/erase`, body, options);
const close = async ({ id }: Json) => expect((await harness.test.patch(`/v1/accounts/${id}`, { status: 'closed' })).status).toBe(200);
const verify = async () => (await harness.test.get('/v1/audit-log/verify')).body.data;

async function closedAccount(extra: object = {}): Promise<Json> {
  const account = await newAccount(harness.test, extra);
  await close(account);
  return account;
}

describe('POST /v1/accounts/{id}/erase', () => {
  describe('202', () => {
    it('the account loses what says who it was, its agents too; ids, amounts and times stay', async () => {
      const about = { name: 'Ada Byron', email: 'ada@example.com', country: 'GB', metadata: { street: 'St James’s Square' } };
      const { account, wallet } = await openWallet(harness.test, { funded: '5.00' });
      await harness.test.patch(`/v1/accounts/${account.id}`, { name: about.name, email: about.email, metadata: about.metadata });
      const agent = await enrol(harness.test, { parent_account_id: account.id, name: 'Ada’s agent', description: 'Buys for Ada.' });
      const payee = await openWallet(harness.test, { name: 'Payee' });
      const paid = await pay(harness.test, wallet, payee.wallet, '5.00', { description: 'For Ada', metadata: { note: 'Ada' } });
      await close(account);
      const before = await verify();

      const { status, body } = await erase(account, { reason: 'Request 4711' });
      expect(status).toBe(202);
      const { id } = body.data;
      expect(body.data).toEqual({
        id: expect.stringMatching(/^era_/),
        account_id: account.id,
        reason: 'Request 4711',
        status: 'pending',
        fields: 0,
        rows: 0,
        created_at: harness.clock.now().toISOString(),
      });
      await harness.runDue();
      const done = (await harness.test.get(`/v1/erasures/${id}`)).body.data;
      expect(done).toMatchObject({ status: 'done', completed_at: harness.clock.now().toISOString() });
      expect(done.rows).toBeGreaterThan(4);
      expect(done.fields).toBeGreaterThan(done.rows);
      const erased = (await harness.test.get(`/v1/accounts/${account.id}`)).body.data;
      expect(erased).toMatchObject({ id: account.id, name: 'erased', metadata: {}, status: 'closed', created_at: account.created_at });
      expect(erased).not.toHaveProperty('email');
      expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data).toMatchObject({ id: agent.id, name: 'erased' });
      const transfer = (await harness.test.get(`/v1/transfers/${paid.id}`)).body.data;
      expect(transfer).toMatchObject({ id: paid.id, amount: '5.00', status: 'completed', created_at: paid.created_at, metadata: {} });
      expect(transfer).not.toHaveProperty('description');
      // The payee is still known.
      expect((await harness.test.get(`/v1/accounts/${payee.account.id}`)).body.data.name).toBe('Payee');

      const told = await eventsOf(harness, account.id);
      expect(told.at(-1)).toEqual({
        type: 'account.erased',
        data: { account_id: `acc_${account.id}`, erased_at: harness.clock.now().toISOString() },
      });
      for (const { type, data } of told) if (type !== 'account.erased') expect(data.name).toBe('erased');

      const after = await verify();
      expect(after).toMatchObject({ valid: true, first_invalid_id: null });
      expect(after.erased).toBeGreaterThan(4);
      expect(after.tree.size).toBeGreaterThan(before.tree.size);
      const lines = (await harness.test.get('/v1/audit-log?action=account.erase')).body.data;
      expect(lines).toEqual([expect.objectContaining({ actor: { type: 'system' }, resource_type: 'account', resource_id: account.id })]);
      const own = (await harness.test.get(`/v1/audit-log?resource_id=${account.id}&action=createAccount`)).body.data;
      expect(own).toHaveLength(1);
      for (const member of ['changes', 'ip', 'request_id']) expect(own[0]).not.toHaveProperty(member);
    });

    it('again: the erasure that there is', async () => {
      const account = await closedAccount();
      const first = (await erase(account)).body.data;
      expect((await erase(account)).body.data.id).toBe(first.id);
      await harness.runDue();
      const again = await erase(account, { reason: 'Once more' });
      expect(again.status).toBe(202);
      expect(again.body.data).toMatchObject({ id: first.id, status: 'done' });
      const list = (await harness.test.get(`/v1/erasures?account_id=${account.id}`)).body;
      expect(list.data.map(({ id }: Json) => id)).toEqual([first.id]);
    });

    it('an answer that was kept shows what is left when its request is repeated', async () => {
      const headers = { 'Idempotency-Key': 'kept-answer-of-ada' };
      const body = { type: 'person', name: 'Ada Byron' };
      const account = (await harness.test.post('/v1/accounts', body, { headers })).body.data;
      await close(account);
      await erase(account);
      await harness.runDue();
      const again = await harness.test.post('/v1/accounts', body, { headers });
      expect(again.status).toBe(201);
      expect(again.body.data).toMatchObject({ id: account.id, name: 'erased' });
    });

    it('over GraphQL', async () => {
      const account = await closedAccount();
      const mutation =
        'mutation ($id: AccountId!) { eraseAccount(id: $id, input: {}) { id accountId memberId status fields rows completedAt } }';
      const { body } = await harness.test.graphql(mutation, { id: account.id });
      expect(body.data.eraseAccount).toMatchObject({ accountId: account.id, memberId: null, status: 'pending', completedAt: null });
      const query = 'query ($id: ErasureId!) { erasure(id: $id) { id } erasures(status: pending) { nodes { id } } }';
      const read = await harness.test.graphql(query, { id: body.data.eraseAccount.id });
      expect(read.body.data.erasures.nodes).toEqual([read.body.data.erasure]);
      await harness.runDue();
    });
  });

  it('400: an empty reason, one that is too long, and what it does not know', async () => {
    const account = await closedAccount();
    expectInvalid(await erase(account, { reason: ' ' }), 'reason');
    expectInvalid(await erase(account, { reason: 'a'.repeat(501) }), 'reason');
    expectInvalid(await erase(account, { force: true }), 'force');
  });

  it('403: an agent, and a key that may only read', async () => {
    const account = await newAccount(harness.test);
    const agent = await enrol(harness.test, { parent_account_id: account.id });
    expectRefused(await erase(account, {}, { as: agent.token }), 403, 'forbidden');
    const { key } = await harness.test.make('/v1/api-keys', { name: 'Reader', scopes: ['accounts:read'] });
    expectRefused(await erase(account, {}, { as: key }), 403, 'insufficient_scope', { required_scope: 'accounts:write' });
  });

  it('404: an account that is not there, or a stranger’s; and such an erasure', async () => {
    expectRefused(await erase({ id: nowhere }), 404, 'not_found');
    const account = await closedAccount();
    expectRefused(await harness.other.post(`/v1/accounts/${account.id}/erase`, {}), 404, 'not_found');
    const { id } = (await erase(account)).body.data;
    expectRefused(await harness.other.get(`/v1/erasures/${id}`), 404, 'not_found');
    expectRefused(await harness.test.get(`/v1/erasures/era_${nowhere}`), 404, 'not_found');
    await harness.runDue();
  });

  describe('409', () => {
    let paid: Awaited<ReturnType<typeof openWallet>>;
    beforeAll(async () => {
      paid = await openWallet(harness.test, { funded: '10.00' });
    });

    it('an account that is open: closing it helps', async () => {
      for (const status of ['active', 'suspended']) {
        if (status === 'suspended') await harness.test.patch(`/v1/accounts/${paid.account.id}`, { status });
        const refused = await erase(paid.account);
        expectRefused(refused, 409, 'state_conflict', { current_status: status, allowed_from: ['closed'] });
        expect(refused.body.details.next_actions).toContainEqual(expect.objectContaining({ rel: 'close', body: { status: 'closed' } }));
      }
      await harness.test.patch(`/v1/accounts/${paid.account.id}`, { status: 'active' });
    });

    it('an account with an open dispute, on either side: resolving it helps', async () => {
      const payee = await openWallet(harness.test);
      const transfer = await pay(harness.test, paid.wallet, payee.wallet, '10.00');
      const dispute = await harness.test.make('/v1/disputes', disputeBody(transfer));
      await close(paid.account);
      const refused = await erase(paid.account);
      expectRefused(refused, 409, 'state_conflict', { current_status: 'closed', open: [{ type: 'dispute', id: dispute.id }] });
      expect(refused.body.details.next_actions).toEqual([
        { rel: 'dispute', actor: 'any', method: 'GET', path: `/v1/disputes/${dispute.id}` },
      ]);
      await harness.test.post(`/v1/disputes/${dispute.id}/resolve`, { resolution: 'rejected' });
      expect((await erase(paid.account)).status).toBe(202);
      await harness.runDue();
    });
  });
});

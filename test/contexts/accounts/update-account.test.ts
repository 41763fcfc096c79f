// PATCH /v1/accounts/{id}
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf, newAccount, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const update = ({ id }: Json, body: unknown) => harness.test.patch(`/v1/accounts/${id}`, body);

describe('PATCH /v1/accounts/{id}', () => {
  describe('200', () => {
    it('changes what it is given and tells which', async () => {
      const account = await newAccount(harness.test, { email: 'old@example.com', customer_reference: 'kept' });
      harness.clock.advance(5);
      const { body } = await update(account, { name: 'Grace', email: 'new@example.com', metadata: { a: 1 } });
      expect(body.data).toEqual({
        ...account,
        name: 'Grace',
        email: 'new@example.com',
        metadata: { a: 1 },
        updated_at: harness.clock.now().toISOString(),
      });
      const [, told] = await eventsOf(harness, account.id);
      expect(told).toEqual({
        type: 'account.updated',
        data: {
          account_id: `acc_${account.id}`,
          type: 'business',
          status: 'active',
          name: 'Grace',
          changed_fields: ['name', 'email', 'metadata'],
        },
      });
    });

    it('sets a customer reference once: portal tokens with it see the account from then on', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '5.00' });
      const { token } = await harness.test.make('/v1/portal-tokens', { customer_reference: 'late', scopes: ['transfers:read'] });
      const seen = async () => (await harness.test.get('/v1/transfers', { as: token })).body.data.map(({ to_wallet_id: id }: Json) => id);
      expect(await seen()).toEqual([]);
      const { body } = await update(account, { customer_reference: 'late' });
      expect(body.data.customer_reference).toBe('late');
      await expect.poll(seen).toEqual([wallet.id]);
      expect((await update(account, { customer_reference: 'late' })).status).toBe(200);
      const told = (await eventsOf(harness, account.id)).filter(({ type }) => type === 'account.updated');
      expect(told.map(({ data }) => data.changed_fields)).toEqual([['customer_reference']]);
      const { data } = (await harness.test.get(`/v1/audit-log?action=updateAccount&resource_id=${account.id}`)).body;
      expect(data.map(({ changes }: Json) => changes)).toContainEqual({ customer_reference: 'late' });
    });

    it('clears an e-mail with null, and leaves what is not named', async () => {
      const account = await newAccount(harness.test, { email: 'old@example.com' });
      const { body } = await update(account, { email: null });
      expect(body.data).not.toHaveProperty('email');
      expect(body.data.name).toBe(account.name);
    });

    it('tells nothing when nothing changes', async () => {
      const account = await newAccount(harness.test);
      for (const body of [{}, { name: account.name }, { status: 'active' }]) expect((await update(account, body)).status).toBe(200);
      expect(await eventsOf(harness, account.id)).toHaveLength(1);
    });

    it('suspended, its wallets take money and do not spend; active again, they do, but for the frozen one', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const frozen = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${frozen.id}/fund`, { amount: '10.00' });
      await harness.test.post(`/v1/wallets/${frozen.id}/freeze`, {});
      const { wallet: payee } = await openWallet(harness.test, { funded: '5.00' });
      expect((await update(account, { status: 'suspended' })).body.data.status).toBe('suspended');
      expectRefused(await harness.test.post('/v1/transfers', transferBody(wallet, payee, '1.00')), 403, 'wallet_frozen');
      await pay(harness.test, payee, wallet, '2.00');
      expect((await balanceOf(harness.test, wallet)).available).toBe('12.00');
      await update(account, { status: 'active' });
      await pay(harness.test, wallet, payee, '1.00');
      expectRefused(await harness.test.post('/v1/transfers', transferBody(frozen, payee, '1.00')), 403, 'wallet_frozen');
    });

    it('closed when its wallets are empty, it takes nothing any more', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const { wallet: payer } = await openWallet(harness.test, { funded: '5.00' });
      expect((await update(account, { status: 'closed' })).body.data.status).toBe('closed');
      expectRefused(await harness.test.post('/v1/transfers', transferBody(payer, wallet, '1.00')), 403, 'wallet_frozen', {
        wallet_id: wallet.id,
      });
    });
  });

  describe('400', () => {
    for (const [name, body, path] of [
      ['an unknown status', { status: 'gone' }, 'status'],
      ['an empty name', { name: '' }, 'name'],
      ['an e-mail that is none', { email: '@' }, 'email'],
      ['a type, which never changes', { type: 'person' }, 'type'],
    ] as const) {
      it(name, async () => expectInvalid(await update({ id: nowhere }, body), path));
    }
  });

  describe('403', () => {
    it('suspending without freeze:write, and lifting that without policies:write', async () => {
      const account = await newAccount(harness.test);
      const keyWith = async (...scopes: string[]) => (await harness.test.make('/v1/api-keys', { name: 'Narrow', scopes })).key as string;
      const set = async (status: string, key: string) => harness.test.patch(`/v1/accounts/${account.id}`, { status }, { as: key });
      const [plain, freezer] = [await keyWith('accounts:write'), await keyWith('accounts:write', 'freeze:write')];
      expect((await set('suspended', plain)).body).toMatchObject({
        code: 'insufficient_scope',
        details: { required_scope: 'freeze:write' },
      });
      expect((await set('suspended', freezer)).status).toBe(200);
      expect((await set('active', freezer)).body).toMatchObject({
        code: 'insufficient_scope',
        details: { required_scope: 'policies:write' },
      });
      expect((await set('active', await keyWith('accounts:write', 'policies:write'))).status).toBe(200);
    });
  });

  describe('409', () => {
    it('another customer reference than the account has, and none', async () => {
      const account = await newAccount(harness.test, { customer_reference: 'first' });
      for (const customer_reference of ['second', null]) {
        expectRefused(await update(account, { customer_reference, name: 'Not this' }), 409, 'already_exists', {
          reason: 'customer_reference_set',
          customer_reference: 'first',
        });
      }
      expect((await update(account, {})).body.data).toMatchObject({ customer_reference: 'first', name: account.name });
    });

    it('an account that is closed stays closed', async () => {
      const account = await newAccount(harness.test);
      await update(account, { status: 'closed' });
      for (const status of ['active', 'suspended']) {
        expectRefused(await update(account, { status }), 409, 'state_conflict', {
          current_status: 'closed',
          allowed_from: status === 'active' ? ['suspended'] : ['active'],
        });
      }
    });

    it('an account with money is not closed: available, held or wrapped', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
      const account = { id: from.account_id };
      const refused = async () =>
        expectRefused(await update(account, { status: 'closed' }), 409, 'state_conflict', { current_status: 'active' });
      await refused();
      const held = await pay(harness.test, from, to, '10.00', { capture: 'manual' });
      await refused();
      await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '10.00' });
      await refused();
      await harness.test.make(`/v1/wallets/${from.id}/unwrap`, { amount: '10.00' });
      await pay(harness.test, from, to, '10.00');
      expect((await update(account, { status: 'closed' })).status).toBe(200);
      expect((await harness.test.get(`/v1/wallets/${from.id}`)).body.data.status).toBe('closed');
    });

    it('an account is not closed while a hold waits for one of its wallets, or for one of its agents', async () => {
      const { wallet: payer } = await openWallet(harness.test, { funded: '10.00' });
      const account = await newAccount(harness.test);
      const agent = await harness.test.make('/v1/agents', {
        parent_account_id: account.id,
        name: 'Payee',
        wallet: { currency: 'USD' },
      });
      const [paid] = (await harness.test.get(`/v1/wallets?owner_id=${agent.id}`)).body.data;
      const held = await pay(harness.test, payer, paid, '10.00', { capture: 'manual' });
      expectRefused(await update(account, { status: 'closed' }), 409, 'state_conflict', {
        current_status: 'active',
        open: [{ type: 'transfer', id: `tx_${held.id}` }],
        next_actions: [{ rel: 'cancel', path: `/v1/transfers/${held.id}/cancel` }],
      });
      await harness.test.make(`/v1/transfers/${held.id}/capture`, {});
      await pay(harness.test, paid, payer, '10.00');
      expect((await update(account, { status: 'closed' })).status).toBe(200);
    });
  });
});

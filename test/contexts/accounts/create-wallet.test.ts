// POST /v1/wallets
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { type Client, type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const create = (body: object, client: Client = harness.test) =>
  client.post('/v1/wallets', { owner_type: 'account', currency: 'USD', ...body });

describe('POST /v1/wallets', () => {
  describe('201', () => {
    it('opens an empty wallet of an account', async () => {
      const account = await newAccount(harness.test);
      const { status, body } = await create({ owner_id: account.id });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.any(String),
        owner_type: 'account',
        owner_id: account.id,
        account_id: account.id,
        currency: 'USD',
        status: 'active',
        balance: { available: '0.00', held: '0.00', wrapped: '0.00', pending_in: '0.00', total: '0.00' },
        metadata: {},
        created_at: at,
        updated_at: at,
      });
      expect((await harness.test.get(`/v1/wallets/${body.data.id}`)).body).toEqual(body);
    });

    it('of an agent, which belongs to the account of its agent', async () => {
      const { id, uuid, account } = await enrol(harness.test);
      const { body } = await create({
        owner_type: 'agent',
        owner_id: id,
        currency: 'USDC',
        name: ' WalletRef ',
        low_balance_threshold: '5',
        metadata: { a: 1 },
      });
      expect(body.data).toMatchObject({
        owner_type: 'agent',
        owner_id: uuid,
        account_id: account.id,
        currency: 'USDC',
        name: 'WalletRef',
        low_balance_threshold: '5.00',
        metadata: { a: 1 },
      });
    });

    it('in every currency, several in one', async () => {
      const account = await newAccount(harness.test);
      for (const currency of ['USD', 'EUR', 'BRL', 'MXN', 'JPY', 'USDC', 'EURC', 'USDT', 'USD']) {
        const { status, body } = await create({ owner_id: `acc_${account.id}`, currency });
        expect(status).toBe(201);
        expect(body.data.balance.total).toBe(currency === 'JPY' ? '0' : '0.00');
      }
    });
  });

  describe('400', () => {
    const cases: [string, object, string[]][] = [
      ['an unknown currency', { currency: 'XAU' }, ['currency']],
      ['a currency in small letters', { currency: 'usd' }, ['currency']],
      ['an unknown kind of owner', { owner_type: 'merchant' }, ['owner_type']],
      ['an owner that can be no id', { owner_id: 'me' }, ['owner_id']],
      ['a blank name', { name: ' ' }, ['name']],
      ['a threshold that is a number', { low_balance_threshold: 5 }, ['low_balance_threshold']],
      ['a threshold of more digits than the currency has', { low_balance_threshold: '0.001' }, ['low_balance_threshold']],
      ['a threshold below zero', { low_balance_threshold: '-1.00' }, ['low_balance_threshold']],
      ['an unknown member', { ownerid: nowhere }, ['ownerid']],
    ];
    for (const [name, body, paths] of cases) it(name, async () => expectInvalid(await create({ owner_id: nowhere, ...body }), ...paths));
  });

  describe('404', () => {
    it('one body for an owner who is nobody, another tenant’s, production’s, or of the other kind', async () => {
      const missing = await create({ owner_id: nowhere });
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'owner_id' }] });
      const agent = await enrol(harness.test);
      const accounts = await Promise.all([newAccount(harness.other), newAccount(harness.live)]);
      for (const { id } of [...accounts, { id: agent.uuid }] as Json[])
        expect(plain(await create({ owner_id: id }))).toEqual(plain(missing));
      const foreign = await enrol(harness.other);
      for (const id of [nowhere, foreign.id, foreign.uuid, agent.account.id]) {
        expect(plain(await create({ owner_type: 'agent', owner_id: id }))).toEqual(plain(missing));
      }
      expect((await harness.other.get('/v1/wallets')).body.pagination.total).toBe(0);
    });
  });

  describe('409', () => {
    for (const status of ['suspended', 'closed']) {
      it(`of an account that is ${status}`, async () => {
        const account = await newAccount(harness.test);
        await harness.test.patch(`/v1/accounts/${account.id}`, { status });
        expectRefused(await create({ owner_id: account.id }), 409, 'state_conflict', { current_status: status, allowed_from: ['active'] });
      });
    }

    it('none is open in an account that was suspended at the same moment', async () => {
      const account = await newAccount(harness.test);
      const creating = Array.from({ length: 12 }, () => create({ owner_id: account.id }));
      const suspending = harness.test.patch(`/v1/accounts/${account.id}`, { status: 'suspended' });
      const answers = await Promise.all([...creating, suspending]);
      for (const { status } of answers) expect([200, 201, 409]).toContain(status);
      const { rows } = await harness.platform.database.pool.query(
        `SELECT count(*)::int AS open FROM wallet w JOIN ledger_account a ON a.owner_id = w.id
         WHERE w.account_id = $1 AND a.status = 'open' AND a.kind <> 'wallet.held'`,
        [account.id],
      );
      expect(rows).toEqual([{ open: 0 }]);
    });
  });
});

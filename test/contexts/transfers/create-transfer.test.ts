// POST /v1/transfers
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const create = (body: object, as?: string) => harness.test.post('/v1/transfers', body, as === undefined ? {} : { as });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;

describe('POST /v1/transfers', () => {
  describe('201', () => {
    it('moves money at once, and tells of it twice', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { status, body } = await create(transferBody(from, to, '42.5', { description: 'Rent', reference: 'r-1', metadata: { a: 1 } }));
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'internal',
        status: 'completed',
        amount: '42.50',
        currency: 'USD',
        fee: { amount: '0.00', currency: 'USD' },
        from_account_id: from.account_id,
        to_account_id: to.account_id,
        from_wallet_id: from.id,
        to_wallet_id: to.id,
        protocol: 'internal',
        description: 'Rent',
        reference: 'r-1',
        capture: 'automatic',
        refunded_amount: '0.00',
        initiated_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
        metadata: { a: 1 },
        created_at: at,
        updated_at: at,
        completed_at: at,
      });
      expect([await available(from), await available(to)]).toEqual(['57.50', '42.50']);
      const data = {
        transfer_id: `tx_${body.data.id}`,
        type: 'internal',
        status: 'completed',
        amount: '42.50',
        currency: 'USD',
        from_account_id: `acc_${from.account_id}`,
        to_account_id: `acc_${to.account_id}`,
        protocol: 'internal',
        completed_at: at,
      };
      expect(await eventsOf(harness, body.data.id)).toEqual([
        { type: 'transfer.created', data },
        { type: 'transfer.completed', data },
      ]);
      expect((await harness.test.get(`/v1/transfers/${body.data.id}`)).body).toEqual(body);
    });

    for (const [currency, funded, amount, left] of [
      ['JPY', '100', '7', '93'],
      ['USDC', '1.00', '0.000001', '0.999999'],
      ['EUR', '1.00', '1.000', '0.00'],
      ['BRL', '1000000.00', '999999.99', '0.01'],
    ] as const) {
      it(`${amount} ${currency} of ${funded}`, async () => {
        const { from, to } = await twoWallets(harness.test, { currency, funded });
        await pay(harness.test, from, to, amount);
        expect(await available(from)).toBe(left);
      });
    }

    it('between accounts: the oldest active wallet in the currency', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const { account: payee, wallet: oldest } = await openWallet(harness.test);
      await harness.test.post(`/v1/wallets/${oldest.id}/freeze`, {});
      const open = (currency: string) => harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: payee.id, currency });
      const [, second] = [await open('EUR'), await open('USD'), await open('USD')];
      const { body } = await create({
        type: 'internal',
        from_account_id: `acc_${account.id}`,
        to_account_id: payee.id,
        amount: '1.00',
        currency: 'USD',
      });
      expect(body.data).toMatchObject({ from_wallet_id: wallet.id, to_wallet_id: second.id });
    });

    it('into an account whose only wallet is frozen', async () => {
      const { from, to } = await twoWallets(harness.test);
      await harness.test.post(`/v1/wallets/${to.id}/freeze`, {});
      const body = { type: 'internal', from_wallet_id: from.id, to_account_id: to.account_id, amount: '1.00', currency: 'USD' };
      expect((await create(body)).body.data).toMatchObject({ status: 'completed', to_wallet_id: to.id });
      const back = { type: 'internal', from_account_id: to.account_id, to_wallet_id: from.id, amount: '1.00', currency: 'USD' };
      expectRefused(await create(back), 403, 'wallet_frozen', { wallet_id: to.id });
    });

    it('wrap and unwrap, inside one wallet', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      const within = (type: string, amount: string) => create({ type, from_wallet_id: wallet.id, amount, currency: 'USD' });
      expect((await within('wrap', '4.00')).body.data).toMatchObject({ type: 'wrap', to_wallet_id: wallet.id, status: 'completed' });
      await within('unwrap', '1.00');
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '7.00', wrapped: '3.00', total: '10.00' });
    });

    it('with manual capture: held, pending, on its way to the payee', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { body } = await create(transferBody(from, to, '30.00', { capture: 'manual', hold_expires_in: 3_600 }));
      const expires_at = new Date(harness.clock.now().getTime() + 3_600_000).toISOString();
      expect(body.data).toMatchObject({
        status: 'pending',
        capture: 'manual',
        hold: { amount: '30.00', captured_amount: '0.00', expires_at },
      });
      expect(body.data).not.toHaveProperty('completed_at');
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '70.00', held: '30.00', total: '100.00' });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00', pending_in: '30.00', total: '0.00' });
      expect((await eventsOf(harness, body.data.id)).map(({ type }) => type)).toEqual(['transfer.created']);
      const { data } = (await create(transferBody(from, to, '1.00', { capture: 'manual' }))).body;
      expect(data.hold.expires_at).toBe(new Date(harness.clock.now().getTime() + 86_400_000).toISOString());
    });

    it('at a set time: pending, without touching any money; then carried out', async () => {
      const { from, to } = await twoWallets(harness.test);
      const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
      const { body } = await create(transferBody(from, to, '10.00', { scheduled_for: at, reference: 'later' }));
      expect(body.data).toMatchObject({ status: 'pending', scheduled_for: at });
      await harness.advance(59);
      expect(await available(from)).toBe('100.00');
      await harness.advance(1);
      expect(await available(to)).toBe('10.00');
      const done = (await harness.test.get(`/v1/transfers/${body.data.id}`)).body.data;
      expect(done).toEqual({ ...body.data, status: 'completed', completed_at: at, updated_at: at });
      expect((await eventsOf(harness, done.id)).map(({ type, data }) => `${type} ${data.status}`)).toEqual([
        'transfer.created pending',
        'transfer.completed completed',
      ]);
    });

    it('at a set time, without the money by then: failed, and why', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
      const transfer = await pay(harness.test, from, to, '10.00', { scheduled_for: '2027-01-01T00:00:00Z' });
      harness.clock.set('2027-01-01T00:00:00Z');
      await harness.runDue();
      const { body } = await harness.test.get(`/v1/transfers/${transfer.id}`);
      expect(body.data).toMatchObject({ status: 'failed', failure: { code: 'insufficient_balance' } });
      expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.failed']);
      expect(await available(from)).toBe('1.00');
    });

    it('at a time that has come already: at once', async () => {
      const { from, to } = await twoWallets(harness.test);
      expect((await create(transferBody(from, to, '1.00', { scheduled_for: '2020-01-01T00:00:00Z' }))).body.data).toMatchObject({
        status: 'completed',
      });
    });

    it('by an agent, from its own wallet; and by its tenant on its behalf', async () => {
      const { account } = await openWallet(harness.test);
      const { id, uuid, token } = await enrol(harness.test, { parent_account_id: account.id });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '10.00' });
      const { wallet: payee } = await openWallet(harness.test);
      const own = await create(transferBody(agentWallet, payee, '1.00'), token);
      expect(own).toMatchObject({ status: 201, body: { data: { agent_id: uuid, initiated_by: { type: 'agent', id } } } });
      const behalf = await create(transferBody(agentWallet, payee, '1.00', { agent_id: id }));
      expect(behalf).toMatchObject({ status: 201, body: { data: { agent_id: uuid, initiated_by: { type: 'api_key' } } } });
    });
  });

  describe('400', () => {
    const good = { type: 'internal', from_wallet_id: nowhere, to_wallet_id: nowhere, amount: '1.00', currency: 'USD' };
    const { from_wallet_id, to_wallet_id, ...bare } = good;
    const cases: [string, object, string[]][] = [
      ['nothing', {}, ['type']],
      ['neither an amount nor a currency', { ...good, amount: undefined, currency: undefined }, ['amount', 'currency']],
      ['an unknown type', { ...good, type: 'gift' }, ['type']],
      ['a stream, which has its own endpoints', { ...good, type: 'stream_start' }, ['type']],
      ['no payer', { ...bare, to_wallet_id }, ['from_wallet_id']],
      ['two payers', { ...good, from_account_id: nowhere }, ['from_wallet_id']],
      ['no payee', { ...bare, from_wallet_id }, ['to_wallet_id']],
      ['two payees', { ...good, to_account_id: nowhere }, ['to_wallet_id']],
      ['a wrap to somebody', { ...good, type: 'wrap' }, ['to_wallet_id']],
      ['a wrap on capture', { ...bare, from_wallet_id, type: 'wrap', capture: 'manual' }, ['capture']],
      ['an amount that is a number', { ...good, amount: 1 }, ['amount']],
      ['an amount below zero', { ...good, amount: '-1.00' }, ['amount']],
      ['an amount of zero', { ...good, amount: '0.00' }, ['amount']],
      ['an amount with an exponent', { ...good, amount: '1e3' }, ['amount']],
      ['an amount with a comma', { ...good, amount: '1,00' }, ['amount']],
      ['an amount without a digit before the point', { ...good, amount: '.5' }, ['amount']],
      ['an amount in Arabic digits', { ...good, amount: '١' }, ['amount']],
      ['an empty amount', { ...good, amount: '' }, ['amount']],
      ['half a cent', { ...good, amount: '0.005' }, ['amount']],
      ['half a yen', { ...good, amount: '0.5', currency: 'JPY' }, ['amount']],
      ['more than anybody has', { ...good, amount: '999999999999999999' }, ['amount']],
      ['an unknown currency', { ...good, currency: 'XAU' }, ['currency']],
      ['a wallet that can be no id', { ...good, from_wallet_id: 'mine' }, ['from_wallet_id']],
      ['an account where a wallet goes', { ...good, from_wallet_id: `acc_${nowhere}` }, ['from_wallet_id']],
      ['an unknown mode of capture', { ...good, capture: 'later' }, ['capture']],
      ['a hold of 59 seconds', { ...good, capture: 'manual', hold_expires_in: 59 }, ['hold_expires_in']],
      ['a hold of more than a week', { ...good, capture: 'manual', hold_expires_in: 604_801 }, ['hold_expires_in']],
      ['an expiry without a hold', { ...good, hold_expires_in: 60 }, ['hold_expires_in']],
      ['a scheduled hold', { ...good, capture: 'manual', scheduled_for: '2030-01-01T00:00:00Z' }, ['scheduled_for']],
      [
        'an approval of what is checked later',
        { ...good, request_approval: true, scheduled_for: '2030-01-01T00:00:00Z' },
        ['request_approval'],
      ],
      ['a time that is none', { ...good, scheduled_for: 'tomorrow' }, ['scheduled_for']],
      ['a description of 501 characters', { ...good, description: 'x'.repeat(501) }, ['description']],
      ['a reference of 129 characters', { ...good, reference: 'x'.repeat(129) }, ['reference']],
      ['an empty reference', { ...good, reference: '' }, ['reference']],
      ['metadata that are text', { ...good, metadata: '{}' }, ['metadata']],
      ['a misspelt member', { ...good, ammount: '1.00' }, ['ammount']],
    ];
    for (const [name, body, paths] of cases) it(name, async () => expectInvalid(await create(body), ...paths));
  });
});

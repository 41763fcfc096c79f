// GET /v1/transfers
import { describe, expect, it } from 'vitest';
import { idsOf, pay, twoWallets } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const list = (query: string, as?: string) => harness.test.get(`/v1/transfers?${query}`, as === undefined ? {} : { as });
const found = async (query: string) => idsOf(await list(query));

describe('GET /v1/transfers', () => {
  describe('200', () => {
    it('filters by everything that a transfer is', async () => {
      const { from, to } = await twoWallets(harness.test, { currency: 'EURC' });
      const small = await pay(harness.test, from, to, '1.00', { reference: 'small' });
      const large = await pay(harness.test, from, to, '50.000001');
      const back = await pay(harness.test, to, from, '2.00');
      const held = await pay(harness.test, from, to, '3.00', { capture: 'manual' });
      const wrap = await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '1.00' });
      const mine = 'currency=EURC';
      expect(await found(`wallet_id=${to.id}`)).toEqual([held.id, back.id, large.id, small.id]);
      expect(await found(`from_account_id=${to.account_id}`)).toEqual([back.id]);
      expect(await found(`to_account_id=acc_${to.account_id}&type=internal`)).toEqual([held.id, large.id, small.id]);
      expect(await found(`${mine}&status=pending`)).toEqual([held.id]);
      expect(await found(`${mine}&type=wrap`)).toEqual([wrap.id]);
      expect(await found(`${mine}&min_amount=2.00&max_amount=50&type=internal`)).toEqual([held.id, back.id]);
      expect(await found(`${mine}&min_amount=50.000001&from_account_id=${from.account_id}`)).toEqual([large.id]);
      expect(await found('reference=small')).toEqual([small.id]);
      expect(await found(`wallet_id=${to.id}&protocol=internal&limit=2`)).toEqual([held.id, back.id]);
      expect(await found(`wallet_id=${to.id}&protocol=x402`)).toEqual([]);
    });

    it('between two times', async () => {
      const { from, to } = await twoWallets(harness.test);
      const made = [];
      for (let n = 0; n < 3; n += 1) {
        harness.clock.advance(10);
        made.push(await pay(harness.test, from, to, '1.00'));
      }
      const [first, second, third] = made;
      expect(await found(`wallet_id=${to.id}&since=${second.created_at}`)).toEqual([third.id, second.id]);
      expect(await found(`wallet_id=${to.id}&until=${second.created_at}`)).toEqual([first.id]);
    });

    it('pages by number and by cursor, each transfer once, also within one millisecond', async () => {
      const { from, to } = await twoWallets(harness.test);
      const made: string[] = [];
      for (let n = 0; n < 5; n += 1) made.unshift((await pay(harness.test, from, to, '1.00')).id);
      const query = `wallet_id=${to.id}&limit=2`;
      const first = await list(query);
      expect(first.body.pagination).toEqual({
        page: 1,
        limit: 2,
        total: 5,
        totalPages: 3,
        has_more: true,
        next_cursor: expect.stringMatching(/^cur_/),
      });
      expect([...idsOf(first), ...(await found(`${query}&page=2`)), ...(await found(`${query}&page=3`))]).toEqual(made);
      expect(await found(`${query}&starting_after=tx_${made[1]}`)).toEqual(made.slice(2, 4));
    });

    it('shows nothing of another tenant', async () => {
      const theirs = await twoWallets(harness.other);
      const transfer = await pay(harness.other, theirs.from, theirs.to, '1.00', { reference: 'theirs' });
      for (const query of ['reference=theirs', `wallet_id=${theirs.to.id}`, `from_account_id=${transfer.from_account_id}`]) {
        expect(await found(query)).toEqual([]);
      }
      expect(idsOf(await harness.other.get('/v1/transfers?reference=theirs'))).toEqual([transfer.id]);
    });

    it('shows an agent what it or its wallets took part in', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const { id, uuid, token } = await enrol(harness.test, { parent_account_id: account.id });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      const { wallet: payee } = await openWallet(harness.test);
      await pay(harness.test, wallet, payee, '1.00');
      const paid = await pay(harness.test, wallet, agentWallet, '2.00');
      const spent = await pay(harness.test, agentWallet, payee, '1.00', { agent_id: id });
      expect(idsOf(await list('', token))).toEqual([spent.id, paid.id]);
      expect(await found(`agent_id=${uuid}`)).toEqual([spent.id]);
    });
  });

  describe('400', () => {
    for (const [query, path] of [
      ['status=done', 'status'],
      ['type=gift', 'type'],
      ['protocol=swift', 'protocol'],
      ['currency=XAU', 'currency'],
      ['wallet_id=mine', 'wallet_id'],
      ['currency=USD&min_amount=-1', 'min_amount'],
      ['currency=USD&max_amount=0.001', 'max_amount'],
      ['min_amount=1.00', 'currency'],
      ['since=1700000000', 'since'],
      ['limit=0', 'limit'],
      ['stauts=pending', 'stauts'],
    ] as const) {
      it(query, async () => expectInvalid(await list(query), path));
    }
  });
});

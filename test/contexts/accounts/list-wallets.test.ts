// GET /v1/wallets
import { describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const list = (query: string) => harness.test.get(`/v1/wallets?${query}`);

describe('GET /v1/wallets', () => {
  describe('200', () => {
    it('filters by owner, kind of owner, currency and status, newest first, with balances', async () => {
      const { account, wallet: usd } = await openWallet(harness.test, { funded: '7.00' });
      const agent = await enrol(harness.test, { parent_account_id: account.id });
      const eur = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'EUR' });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: agent.id, currency: 'USD' });
      await harness.test.post(`/v1/wallets/${eur.id}/freeze`, {});
      const found = async (query: string) => idsOf(await list(query));
      expect(await found(`owner_id=${account.id}`)).toEqual([eur.id, usd.id]);
      expect(await found(`owner_id=acc_${account.id}&currency=USD`)).toEqual([usd.id]);
      expect(await found(`owner_id=${agent.id}`)).toEqual([agentWallet.id]);
      expect(await found('owner_type=agent')).toEqual([agentWallet.id]);
      expect(await found(`owner_id=${account.id}&status=frozen`)).toEqual([eur.id]);
      const { body } = await list(`owner_id=${account.id}&currency=USD`);
      expect(body.data[0].balance).toEqual({ available: '7.00', held: '0.00', wrapped: '0.00', pending_in: '0.00', total: '7.00' });
    });

    it('pages by number and by cursor', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const more = [];
      for (let n = 0; n < 2; n += 1)
        more.unshift(await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'JPY' }));
      const owner = `owner_id=${account.id}&limit=2`;
      const first = await list(owner);
      expect(idsOf(first)).toEqual(more.map(({ id }) => id));
      expect(first.body.pagination).toMatchObject({ total: 3, totalPages: 2, has_more: true });
      expect(idsOf(await list(`${owner}&page=2`))).toEqual([wallet.id]);
      expect(idsOf(await list(`${owner}&starting_after=${first.body.pagination.next_cursor}`))).toEqual([wallet.id]);
    });

    it('shows nothing of another tenant or environment, whomever one asks for', async () => {
      const [foreign, live] = await Promise.all([openWallet(harness.other), openWallet(harness.live)]);
      for (const { account } of [foreign, live]) expect(idsOf(await list(`owner_id=${account.id}`))).toEqual([]);
    });

    it('shows an agent its own wallets and those of its account', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const [agent, sibling] = [
        await enrol(harness.test, { parent_account_id: account.id }),
        await enrol(harness.test, { parent_account_id: account.id }),
      ];
      const agentWalletOf = (owner: string) => harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: owner, currency: 'USD' });
      const agentWallet = await agentWalletOf(agent.id);
      await agentWalletOf(sibling.id);
      await openWallet(harness.test);
      expect(idsOf(await harness.test.get('/v1/wallets', { as: agent.token }))).toEqual([agentWallet.id, wallet.id]);
    });
  });

  describe('400', () => {
    for (const [query, path] of [
      ['currency=XAU', 'currency'],
      ['status=thawed', 'status'],
      ['owner_type=merchant', 'owner_type'],
      ['owner_id=me', 'owner_id'],
      ['owner=me', 'owner'],
      ['limit=1000', 'limit'],
    ] as const) {
      it(query, async () => expectInvalid(await list(query), path));
    }
  });
});

// GET /v1/transfers/{id}
import { describe, expect, it } from 'vitest';
import { pay, twoWallets } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/transfers/{id}', () => {
  describe('200', () => {
    it('the transfer, with and without the prefix of its id', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '1.00', { metadata: { deep: { er: [1, 2] } } });
      for (const id of [transfer.id, `tx_${transfer.id}`]) {
        expect((await harness.test.get(`/v1/transfers/${id}`)).body).toEqual({ data: transfer });
      }
    });

    it('the same over GraphQL', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '1.00', { capture: 'manual' });
      const query = 'query ($id: TransferId!) { transfer(id: $id) { id amount status hold { amount expiresAt } initiatedBy { type id } } }';
      expect((await harness.test.graphql(query, { id: transfer.id })).body.data.transfer).toEqual({
        id: transfer.id,
        amount: '1.00',
        status: 'pending',
        hold: { amount: '1.00', expiresAt: transfer.hold.expires_at },
        initiatedBy: transfer.initiated_by,
      });
    });
  });

  describe('404', () => {
    it('for an agent that has no part in it', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '1.00');
      const { token } = await enrol(harness.test, { parent_account_id: from.account_id });
      expectRefused(await harness.test.get(`/v1/transfers/${transfer.id}`, { as: token }), 404, 'not_found');
    });
  });
});

// DELETE /v1/bank-accounts/{id}
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { newBankAccount, newPayer, newPayout, readPayout } from '../../factories/payout.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/bank-accounts/${id}`;

describe('DELETE /v1/bank-accounts/{id}', () => {
  it('200: its details are gone for good, and the oldest that is left is the default', async () => {
    const account = await newAccount(harness.test);
    const [first, second] = [await newBankAccount(harness.test, account.id), await newBankAccount(harness.test, account.id)];
    const { status, body } = await harness.test.delete(pathOf(first.id));
    expect([status, body]).toEqual([200, { data: { id: first.id, deleted: true } }]);
    expect((await harness.test.get(pathOf(first.id))).status).toBe(404);
    expect((await harness.test.get(pathOf(second.id))).body.data.is_default).toBe(true);
    const row = await harness.platform.database.unscoped.bankAccount.findFirstOrThrow({ where: { id: first.id.slice(3) } });
    expect(row.sealedDetails).toBeNull();
  });

  it('200: a payout that slipped in fails, and its money comes back', async () => {
    const payer = await newPayer(harness.test);
    const payout = await newPayout(harness.test, payer);
    // As if the two had crossed.
    await harness.platform.database.pool.query('UPDATE bank_account SET sealed_details = NULL, deleted_at = now() WHERE id = $1', [
      payer.bank?.id.slice(3),
    ]);
    await harness.runDue();
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'failed', error_code: 'destination_gone' });
  });

  describe('409', () => {
    it('while a payout is on its way to it', async () => {
      const payer = await newPayer(harness.test, 'pix');
      const payout = await newPayout(harness.test, payer);
      expectRefused(await harness.test.delete(pathOf(payer.bank?.id)), 409, 'state_conflict', {
        open: [{ type: 'payout', id: payout.id }],
      });
      await harness.runDue();
      await harness.advance(10);
      expect((await harness.test.delete(pathOf(payer.bank?.id))).status).toBe(200);
    });
  });
});

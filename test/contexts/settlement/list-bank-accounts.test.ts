// GET /v1/bank-accounts
import { describe, expect, it } from 'vitest';
import { idsOf, newAccount } from '../../factories/payment.js';
import { newBankAccount } from '../../factories/payout.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const path = '/v1/bank-accounts';

describe('GET /v1/bank-accounts', () => {
  it('200: newest first, by account and rail, without those that were deleted', async () => {
    const account = await newAccount(harness.test);
    const [ach, wire, gone] = [
      await newBankAccount(harness.test, account.id),
      await newBankAccount(harness.test, account.id, 'wire'),
      await newBankAccount(harness.test, account.id),
    ];
    await newBankAccount(harness.test, (await newAccount(harness.test)).id);
    await harness.test.delete(`${path}/${gone.id}`);
    expect(idsOf(await harness.test.get(`${path}?account_id=${account.id}`))).toEqual([wire.id, ach.id]);
    expect(idsOf(await harness.test.get(`${path}?account_id=${account.id}&rail=ach`))).toEqual([ach.id]);
    expect(idsOf(await harness.other.get(path))).toEqual([]);
  });
});

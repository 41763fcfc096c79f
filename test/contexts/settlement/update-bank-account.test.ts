// PATCH /v1/bank-accounts/{id}
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { newBankAccount } from '../../factories/payout.js';
import { type Client, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/bank-accounts/${id}`;
const make = async (client: Client) => newBankAccount(client, (await newAccount(client)).id);
const body = { holder_name: 'Grace Hopper' };

describe('PATCH /v1/bank-accounts/{id}', () => {
  it('200: the name of its holder, and the default of its account', async () => {
    const account = await newAccount(harness.test);
    const [first, second] = [await newBankAccount(harness.test, account.id), await newBankAccount(harness.test, account.id)];
    const { status, body: changed } = await harness.test.patch(pathOf(second.id), { ...body, is_default: true });
    expect([status, changed.data]).toEqual([200, { ...second, holder_name: 'Grace Hopper', is_default: true }]);
    expect((await harness.test.get(pathOf(first.id))).body.data.is_default).toBe(false);
  });

  it('400: the default ends by another one, and details never change', async () => {
    const bank = await make(harness.test);
    expectInvalid(await harness.test.patch(pathOf(bank.id), { is_default: false }), 'is_default');
    expectInvalid(await harness.test.patch(pathOf(bank.id), { details: {} }), 'details');
  });
});

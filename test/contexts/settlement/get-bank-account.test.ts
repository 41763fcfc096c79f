// GET /v1/bank-accounts/{id}
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { newBankAccount } from '../../factories/payout.js';
import { type Client, useHarness } from '../../harness.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/bank-accounts/${id}`;
const make = async (client: Client) => newBankAccount(client, (await newAccount(client)).id);

describe('GET /v1/bank-accounts/{id}', () => {
  it('200: what was registered, by either form of its id', async () => {
    const bank = await make(harness.test);
    for (const id of [bank.id, bank.id.slice(3)]) expect((await harness.test.get(pathOf(id))).body.data).toEqual(bank);
  });
});

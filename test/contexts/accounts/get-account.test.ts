// GET /v1/accounts/{id}
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/accounts/{id}', () => {
  describe('200', () => {
    it('the account, with and without the prefix of its id, and in capitals', async () => {
      const account = await newAccount(harness.test);
      for (const id of [account.id, `acc_${account.id}`, account.id.toUpperCase()]) {
        expect((await harness.test.get(`/v1/accounts/${id}`)).body).toEqual({ data: account });
      }
    });

    it('to an agent, the account that it acts for', async () => {
      const { token, account } = await enrol(harness.test);
      expect((await harness.test.get(`/v1/accounts/${account.id}`, { as: token })).body).toEqual({ data: account });
      const foreign = await newAccount(harness.test);
      expectRefused(await harness.test.get(`/v1/accounts/${foreign.id}`, { as: token }), 404, 'not_found');
    });
  });
});

// GET /v1/merchants/{id}
import { describe, expect, it } from 'vitest';
import { newMerchant } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();

describe('GET /v1/merchants/{id}', () => {
  describe('200', () => {
    it('with and without the prefix of its id', async () => {
      const merchant = await newMerchant(harness.test);
      for (const id of [merchant.id, merchant.id.slice('mer_'.length)]) {
        expect((await harness.test.get(`/v1/merchants/${id}`)).body).toEqual({ data: merchant });
      }
    });
  });
});

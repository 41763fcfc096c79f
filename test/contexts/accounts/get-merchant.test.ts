// GET /v1/merchants/{id}
import { describe, expect, it } from 'vitest';
import { newMerchant } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { describeUnauthenticated, itKnowsNothingOf } from '../../refusal.js';

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

  describeUnauthenticated(harness, { method: 'GET', path: `/v1/merchants/${nowhere}` });

  describe('404', () => itKnowsNothingOf(harness, (id) => ({ method: 'GET', path: `/v1/merchants/${id}` }), newMerchant));
});

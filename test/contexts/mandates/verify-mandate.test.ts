// POST /v1/ap2/mandates/verify, for everybody who holds a JWT
import { describe, expect, it } from 'vitest';
import { newHolder, newSeller } from '../../factories/mandate.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const verify = (body: object, client = harness.test) => client.post('/v1/ap2/mandates/verify', body, { as: null });

describe('POST /v1/ap2/mandates/verify', () => {
  describe('200', () => {
    it('says that it is good, and what is left', async () => {
      const holder = await newHolder(harness.test);
      await holder.spend('10.00');
      const { status, body } = await verify({ mandate_jwt: holder.mandate.mandate_jwt });
      expect([status, body.data]).toEqual([
        200,
        { valid: true, mandate_id: holder.mandate.id, status: 'active', remaining_daily: '90.00', remaining_monthly: '990.00' },
      ]);
    });

    it.each([
      ['more than it lets be spent at a time', { amount: '50.01' }, 'mandate_limit_exceeded'],
      ['more than is left of the day', { amount: '41.00' }, 'mandate_limit_exceeded'],
      ['as much as fits', { amount: '40.00' }, undefined],
    ])('for %s', async (_what, body, reason) => {
      const holder = await newHolder(harness.test);
      await holder.spend('30.00');
      await holder.spend('30.00');
      const answer = await verify({ mandate_jwt: holder.mandate.mandate_jwt, ...body });
      expect(answer.body.data).toMatchObject({ valid: reason === undefined });
      expect(answer.body.data.reason).toBe(reason);
    });

    it('for a merchant that it blocks', async () => {
      const seller = await newSeller(harness.test);
      const { mandate } = await newHolder(harness.test, { blocked_merchants: [seller.id] });
      const { body } = await verify({ mandate_jwt: mandate.mandate_jwt, merchant_id: seller.id });
      expect(body.data).toMatchObject({ valid: false, reason: 'merchant_blocked', status: 'active' });
      const sister = await harness.test.make('/v1/merchants', { name: 'Front', category: 'books', account_id: seller.account_id });
      expect((await verify({ mandate_jwt: mandate.mandate_jwt, merchant_id: sister.id })).body.data).toMatchObject(body.data);
    });

    it('for a merchant that is not active', async () => {
      const { mandate, merchant } = await newHolder(harness.test);
      await harness.test.patch(`/v1/merchants/${merchant.id}`, { status: 'inactive' });
      const { body } = await verify({ mandate_jwt: mandate.mandate_jwt, merchant_id: merchant.id });
      expect(body.data).toMatchObject({ valid: false, reason: 'merchant_blocked' });
    });

    it('for one that has another version, without what is left of that', async () => {
      const { mandate } = await newHolder(harness.test);
      await harness.test.patch(`/v1/ap2/mandates/${mandate.id}`, { scope: { max_per_day: '7.00' } });
      const { body } = await verify({ mandate_jwt: mandate.mandate_jwt });
      expect(body.data).toEqual({ valid: false, reason: 'invalid_mandate_jwt', mandate_id: mandate.id, status: 'active' });
    });

    it('for one that is suspended, expired or revoked, and for its last version', async () => {
      const holder = await newHolder(harness.test);
      const jwt = { mandate_jwt: holder.mandate.mandate_jwt };
      const reason = async () => (await verify(jwt)).body.data.reason;
      await harness.test.make(`/v1/agents/${holder.id}/freeze`, {});
      expect(await reason()).toBe('mandate_suspended');
      await harness.test.make(`/v1/agents/${holder.id}/unfreeze`, {});
      const at = harness.clock.now().toISOString();
      harness.clock.set('2026-04-01T10:00:00.000Z');
      expect(await reason()).toBe('mandate_expired');
      harness.clock.set(at);
      await harness.test.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { scope: { max_per_tx: '1.00' } });
      expect(await reason()).toBe('invalid_mandate_jwt');
      await harness.test.make(`/v1/ap2/mandates/${holder.mandate.id}/revoke`, {});
      expect(await reason()).toBe('mandate_revoked');
    });

    it('for what is no mandate of this environment', async () => {
      const { mandate } = await newHolder(harness.test);
      const unknown = { valid: false, reason: 'invalid_mandate_jwt' };
      expect((await verify({ mandate_jwt: 'x' })).body.data).toEqual(unknown);
      expect((await verify({ mandate_jwt: mandate.mandate_jwt }, harness.live)).body.data).toEqual(unknown);
      expect((await verify({ mandate_jwt: `${mandate.mandate_jwt}x` })).body.data).toEqual(unknown);
    });
  });

  it('400 without a JWT, and for an amount that is none', async () => {
    const { mandate } = await newHolder(harness.test);
    expectInvalid(await verify({}), 'mandate_jwt');
    expectInvalid(await verify({ mandate_jwt: mandate.mandate_jwt, amount: '-1.00' }), 'amount');
  });

  it('404 for a merchant of another tenant', async () => {
    const [{ mandate }, foreign] = [await newHolder(harness.test), await newSeller(harness.other)];
    expectRefused(await verify({ mandate_jwt: mandate.mandate_jwt, merchant_id: foreign.id }), 404, 'not_found');
  });
});

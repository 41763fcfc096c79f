// PATCH /v1/ap2/mandates/{id}
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { claimsIn, newHolder, readMandate } from '../../factories/mandate.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/ap2/mandates/${id}`;
const change = ({ id }: { id: string }, body: object) => harness.test.patch(pathOf(id), body);

describe('PATCH /v1/ap2/mandates/{id}', () => {
  describe('200', () => {
    it('a new scope is a version with a JWT of its own; what was used stays, and the JWT before counts no more', async () => {
      const holder = await newHolder(harness.test);
      expect((await holder.spend('40.00')).status).toBe(201);
      const { status, body } = await change(holder.mandate, { scope: { max_per_day: '50.00' } });
      expect([status, body.data]).toMatchObject([200, { version: 2, status: 'active', scope: { max_per_day: '50.00', currency: 'USD' } }]);
      expect(body.data.scope).not.toHaveProperty('max_per_tx');
      expect(body.data.usage).toMatchObject({ today: '40.00', remaining_daily: '10.00' });
      expect(claimsIn(body.data.mandate_jwt)).toMatchObject({ ver: 2, jti: holder.mandate.id, scope: body.data.scope });
      expectRefused(await holder.spend('1.00'), 422, 'invalid_mandate_jwt');
      const jwt = { mandate_jwt: body.data.mandate_jwt };
      expectRefused(await holder.spend('10.01', jwt), 403, 'mandate_limit_exceeded', { limit: { remaining: '10.00' } });
      expect((await holder.spend('10.00', jwt)).status).toBe(201);
    });

    it('a new end too', async () => {
      const { mandate } = await newHolder(harness.test);
      const { body } = await change(mandate, { expires_at: '2026-05-01T00:00:00Z' });
      expect(body.data).toMatchObject({ version: 2, expires_at: '2026-05-01T00:00:00.000Z', scope: mandate.scope });
      expect(claimsIn(body.data.mandate_jwt).exp).toBe(Date.UTC(2026, 4, 1) / 1000);
    });

    it('metadata alone makes no version', async () => {
      const { mandate } = await newHolder(harness.test);
      const { body } = await change(mandate, { metadata: { note: 'x' } });
      expect(body.data).toMatchObject({ version: 1, metadata: { note: 'x' }, mandate_jwt: mandate.mandate_jwt });
    });

    it('a lower limit binds what waits for an approval', async () => {
      const holder = await newHolder(harness.test);
      await trip(harness, holder.uuid);
      const { body } = await holder.spend('30.00');
      await change(holder.mandate, { scope: { max_per_tx: '20.00' } });
      const given = await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {});
      expect(given.body.data.result_error?.code).toBe('mandate_limit_exceeded');
      expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '0.00', executions: 0 });
    });
  });

  describe('400', () => {
    it.each([
      ['another currency', { scope: { max_per_tx: '1.00', currency: 'EUR' } }, 'scope.currency'],
      ['a scope without a limit', { scope: {} }, 'scope'],
      ['an end that is over', { expires_at: '2026-03-01T00:00:00Z' }, 'expires_at'],
    ])('for %s', async (_what, body, field) => {
      const { mandate } = await newHolder(harness.test);
      expectInvalid(await change(mandate, body), field);
    });
  });

  it('409 for one that is revoked, and one that has expired', async () => {
    const { mandate } = await newHolder(harness.test);
    const at = harness.clock.now().toISOString();
    harness.clock.set('2026-04-01T10:00:00.000Z');
    expectRefused(await change(mandate, { metadata: {} }), 409, 'mandate_expired');
    harness.clock.set(at);
    await harness.test.make(`${pathOf(mandate.id)}/revoke`, {});
    expectRefused(await change(mandate, { metadata: {} }), 409, 'mandate_revoked');
  });
});

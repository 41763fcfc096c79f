// POST /v1/ap2/mandates
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { claimsIn, inAMonth, mandateBody } from '../../factories/mandate.js';
import { eventsOf, newAccount, newMerchant } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/ap2/mandates';
const create = (body: Json) => harness.test.post(path, body);

describe('POST /v1/ap2/mandates', () => {
  describe('201', () => {
    it('with every member of its resource', async () => {
      const agent = await enrol(harness.test);
      const merchant = await newMerchant(harness.test);
      const scope = { allowed_merchants: [merchant.id], allowed_merchant_categories: ['retail', '5411'], blocked_merchants: [merchant.id] };
      const { status, body } = await create(mandateBody(agent, scope, { metadata: { trip: 'Rome' } }));
      const at = harness.clock.now().toISOString();
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^ap2_mnd_/),
            account_id: agent.account.id,
            agent_id: agent.uuid,
            status: 'active',
            version: 1,
            mandate_jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
            scope: { max_per_tx: '50.00', max_per_day: '100.00', max_per_month: '1000.00', currency: 'USD', ...scope },
            usage: {
              today: '0.00',
              month: '0.00',
              remaining_daily: '100.00',
              remaining_monthly: '1000.00',
              executions: 0,
              resets_at: { day: '2026-03-03T00:00:00.000Z', month: '2026-04-01T00:00:00.000Z' },
            },
            expires_at: inAMonth,
            metadata: { trip: 'Rome' },
            created_at: at,
            updated_at: at,
          },
        },
      ]);
    });

    it('signed with ES256 by a key of /.well-known/jwks.json', async () => {
      const agent = await enrol(harness.test);
      const { data: mandate } = (await create(mandateBody(agent))).body;
      const keys = createLocalJWKSet((await harness.test.get('/.well-known/jwks.json', { as: null })).body);
      expect(decodeProtectedHeader(mandate.mandate_jwt)).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
      const { payload } = await jwtVerify(mandate.mandate_jwt, keys, { currentDate: harness.clock.now(), audience: 'ap2' });
      expect(payload).toEqual({
        iss: expect.any(String),
        sub: agent.id,
        aud: 'ap2',
        jti: mandate.id,
        iat: Math.floor(harness.clock.now().getTime() / 1000),
        exp: new Date(inAMonth).getTime() / 1000,
        ver: 1,
        scope: mandate.scope,
        cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^[\w-]{43}$/) } },
      });
    });

    it('no longer than it is good: exp is expires_at rounded down, also as AP2 has it', async () => {
      const agent = await enrol(harness.test);
      const expires_at = '2026-04-01T10:00:00.999Z';
      const { data: mandate } = (await create(mandateBody(agent, {}, { expires_at }))).body;
      const exp = Date.parse('2026-04-01T10:00:00Z') / 1000;
      expect([mandate.expires_at, claimsIn(mandate.mandate_jwt).exp]).toEqual([expires_at, exp]);
      const sayable = { max_per_tx: '50.00', max_per_day: null, max_per_month: null };
      const { data: plain } = (await create(mandateBody(agent, sayable, { expires_at }))).body;
      const { body } = await harness.test.get(`/v1/ap2/mandates/${plain.id}?format=ap2`);
      expect(JSON.stringify(body)).toContain(`"exp":${exp}`);
    });

    it('tells it', async () => {
      const agent = await enrol(harness.test);
      const { data: mandate } = (await create(mandateBody(agent))).body;
      expect(await eventsOf(harness, mandate.id.slice('ap2_mnd_'.length))).toEqual([
        {
          type: 'ap2.mandate.created',
          data: {
            mandate_id: mandate.id,
            account_id: `acc_${agent.account.id}`,
            agent_id: agent.id,
            status: 'active',
            scope: mandate.scope,
            expires_at: inAMonth,
          },
        },
      ]);
    });

    it('in the currency of the account, where the scope says none', async () => {
      const account = await newAccount(harness.test, { default_currency: 'EUR' });
      const agent = await enrol(harness.test, { parent_account_id: account.id });
      const { data } = (await create(mandateBody(agent, { currency: undefined }))).body;
      expect(data.scope.currency).toBe('EUR');
    });

    it('without cnf for an agent without a key', async () => {
      const agent = await enrol(harness.test, { generate_keypair: false });
      expect(claimsIn((await create(mandateBody(agent))).body.data.mandate_jwt)).not.toHaveProperty('cnf');
    });

    it('once for a key; the JWT is not among what is kept', async () => {
      const agent = await enrol(harness.test);
      const headers = { 'Idempotency-Key': `mandate-${agent.uuid}` };
      const first = await harness.test.post(path, mandateBody(agent), { headers });
      const again = await harness.test.post(path, mandateBody(agent), { headers });
      const { mandate_jwt: jwt, ...rest } = first.body.data;
      expect(jwt).toBeDefined();
      expect([again.body.data, again.headers.get('idempotent-replayed')]).toEqual([rest, 'true']);
    });
  });

  describe('400', () => {
    it.each([
      ['no limit', { max_per_tx: undefined, max_per_day: undefined, max_per_month: undefined }, ['scope']],
      ['a day below a transaction', { max_per_day: '49.99' }, ['scope.max_per_day']],
      ['a month below a transaction', { max_per_day: undefined, max_per_month: '1.00' }, ['scope.max_per_month']],
      ['a limit of nothing', { max_per_tx: '0.00' }, ['scope.max_per_tx']],
      ['a negative limit', { max_per_tx: '-1.00' }, ['scope.max_per_tx']],
      ['no currency', { currency: undefined }, ['scope.currency']],
      ['a list that allows nobody', { allowed_merchants: [] }, ['scope.allowed_merchants']],
      ['a category that is none', { allowed_merchant_categories: ['Not One'] }, ['scope.allowed_merchant_categories.0']],
      ['too many merchants', { blocked_merchants: Array.from({ length: 101 }, () => `mer_${nowhere}`) }, ['scope.blocked_merchants']],
      ['a misspelt limit', { max_per_txn: '1.00' }, ['scope.max_per_txn']],
    ])('for %s', async (_what, scope, fields) => {
      expectInvalid(await create(mandateBody(await enrol(harness.test), scope)), ...fields);
    });

    it.each([['2026-03-02T10:00:00.000Z'], ['2027-03-02T10:00:00.001Z']])('for the end %s', async (end) => {
      const body = mandateBody(await enrol(harness.test), {}, { expires_at: end });
      expectInvalid(await create(body), 'expires_at');
    });

    it('for an agent of another account', async () => {
      const [agent, other] = [await enrol(harness.test), await newAccount(harness.test)];
      expectInvalid(await create(mandateBody({ ...agent, account: other })), 'agent_id');
    });
  });

  it('404 for an account, an agent or a merchant of another tenant', async () => {
    const [agent, foreign] = [await enrol(harness.test), await enrol(harness.other)];
    const merchant = await newMerchant(harness.other);
    expectRefused(await create(mandateBody({ ...agent, account: foreign.account })), 404, 'not_found');
    expectRefused(await create(mandateBody({ ...agent, id: foreign.id })), 404, 'not_found');
    expectRefused(await create(mandateBody(agent, { allowed_merchants: [merchant.id] })), 404, 'not_found');
  });

  it('409 for an account that is closed', async () => {
    const agent = await enrol(harness.test);
    await harness.test.patch(`/v1/accounts/${agent.account.id}`, { status: 'closed' });
    expectRefused(await create(mandateBody(agent)), 409, 'state_conflict', { current_status: 'closed' });
  });

  it('409 for an agent that is revoked', async () => {
    const agent = await enrol(harness.test);
    await harness.test.make(`/v1/agents/${agent.id}/revoke`, {});
    expectRefused(await create(mandateBody(agent)), 409, 'state_conflict');
  });
});

// GET /v1/ap2/mandates, GET /v1/ap2/mandates/{id} and GET /v1/ap2/mandates/{id}/executions
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { mandateBody, newHolder, newSeller } from '../../factories/mandate.js';
import { idsOf, newMerchant } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import openSchema from '../../vectors/ap2/open_payment_mandate.json' with { type: 'json' };
import amount from '../../vectors/ap2/types/amount.json' with { type: 'json' };
import merchant from '../../vectors/ap2/types/merchant.json' with { type: 'json' };
import instrument from '../../vectors/ap2/types/payment_instrument.json' with { type: 'json' };
import pisp from '../../vectors/ap2/types/pisp.json' with { type: 'json' };
import { countQueries, enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/ap2/mandates';
const pathOf = (id: string) => `${path}/${id}`;

describe('GET /v1/ap2/mandates', () => {
  it('200: by status, agent and account; an agent sees its own', async () => {
    const holder = await newHolder(harness.test);
    const [frozen, revoked, expired] = [await newHolder(harness.test), await newHolder(harness.test), await newHolder(harness.test)];
    await harness.test.make(`/v1/agents/${frozen.id}/freeze`, {});
    await harness.test.make(`${pathOf(revoked.mandate.id)}/revoke`, {});
    await harness.test.patch(pathOf(expired.mandate.id), { expires_at: '2026-03-02T10:00:01Z' });
    const at = harness.clock.now().toISOString();
    harness.clock.advance(1);
    const list = async (query: string, as?: string) => idsOf(await harness.test.get(`${path}?${query}`, as === undefined ? {} : { as }));
    expect(await list('status=active')).toEqual([holder.mandate.id]);
    expect(await list('status=suspended')).toEqual([frozen.mandate.id]);
    expect(await list('status=revoked')).toEqual([revoked.mandate.id]);
    expect(await list('status=expired')).toEqual([expired.mandate.id]);
    expect(await list(`agent_id=${frozen.uuid}`)).toEqual([frozen.mandate.id]);
    expect(await list(`account_id=${holder.account.id}`)).toEqual([holder.mandate.id]);
    expect(await list('', holder.token)).toEqual([holder.mandate.id]);
    expect(await list('limit=2')).toEqual([expired.mandate.id, revoked.mandate.id]);
    harness.clock.set(at);
  });

  it('400 for a status that is none', async () => {
    expectInvalid(await harness.test.get(`${path}?status=gone`), 'status');
  });
});

describe('GET /v1/ap2/mandates/{id}', () => {
  it('200: as it was made, for its agent too', async () => {
    const { mandate, token } = await newHolder(harness.test);
    for (const as of [harness.test.key, token]) expect((await harness.test.get(pathOf(mandate.id), { as })).body.data).toEqual(mandate);
  });

  describe('?format=ap2', () => {
    const ajv = new Ajv.default({ strict: false });
    const base = 'https://ap2-protocol.org/schemas/';
    for (const [name, type] of Object.entries({ amount, merchant, payment_instrument: instrument, pisp }))
      ajv.addSchema(type, `${base}types/${name}.json`);
    const isOpenMandate = ajv.compile(openSchema);
    const asAp2 = (id: string) => harness.test.get(`${pathOf(id)}?format=ap2`);

    it('200: an open payment mandate that the published schema takes', async () => {
      const agent = await enrol(harness.test);
      const seller = await newMerchant(harness.test, { url: 'https://shop.example.com' });
      const scope = { max_per_day: undefined, allowed_merchants: [seller.id] };
      const mandate = await harness.test.make(path, mandateBody(agent, scope));
      const { body } = await asAp2(mandate.id);
      const { open_payment_mandate: open, ...rest } = body.data;
      expect(rest).toEqual(mandate);
      expect(isOpenMandate(open), JSON.stringify(isOpenMandate.errors)).toBe(true);
      expect(open).toMatchObject({
        vct: 'mandate.payment.open.1',
        constraints: [
          { type: 'payment.amount_range', currency: 'USD', max: 5_000 },
          { type: 'payment.budget', currency: 'USD', max: 1_000 },
          { type: 'payment.agent_recurrence', frequency: 'MONTHLY' },
          { type: 'payment.allowed_payees', allowed: [{ id: seller.id, name: 'Shop', website: 'https://shop.example.com' }] },
          { type: 'payment.reference', conditional_transaction_id: expect.stringMatching(/^[\w-]{43}$/) },
        ],
        cnf: { jwk: { kty: 'OKP' } },
      });
    });

    it.each([
      ['a limit of a day', {}, 'scope.max_per_day'],
      ['categories', { max_per_day: undefined, allowed_merchant_categories: ['retail'] }, 'scope.allowed_merchant_categories'],
      ['amounts of more than 15 digits', { max_per_day: undefined, max_per_month: '10000000000000.00' }, 'scope.max_per_month'],
      ['USDC', { max_per_day: undefined, currency: 'USDC' }, 'scope.currency'],
    ])('422: AP2 cannot say %s', async (_what, scope, field) => {
      const mandate = await harness.test.make(path, mandateBody(await enrol(harness.test), scope));
      const answer = await asAp2(mandate.id);
      expectRefused(answer, 422, 'validation_failed');
      expect(answer.body.details.fields.map((one: { path: string }) => one.path)).toEqual([field]);
    });

    it('reads those of a list together', async () => {
      const list = (limit: number) =>
        harness.test.graphql(`{ mandates(limit: ${limit}, agentId: "${agent.uuid}") { nodes { openPaymentMandate(format: ap2) } } }`);
      const [agent, seller] = [await enrol(harness.test), await newMerchant(harness.test)];
      const scope = { max_per_day: undefined, allowed_merchants: [seller.id] };
      for (let n = 0; n < 5; n += 1) await harness.test.make(path, mandateBody(agent, scope));
      const asked = (limit: number) =>
        countQueries(harness.platform, async () => expect((await list(limit)).body.data.mandates.nodes).toHaveLength(limit));
      const one = await asked(1);
      expect(await asked(5)).toBe(one);
    });

    it('422: AP2 blocks no merchants', async () => {
      const seller = await newSeller(harness.test);
      const scope = { max_per_day: undefined, blocked_merchants: [seller.id] };
      const mandate = await harness.test.make(path, mandateBody(await enrol(harness.test), scope));
      expectRefused(await asAp2(mandate.id), 422, 'validation_failed');
    });
  });

  describe('404', () => {
    it('for the mandate of another agent', async () => {
      const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
      expectRefused(await harness.test.get(pathOf(holder.mandate.id), { as: other.token }), 404, 'not_found');
    });
  });
});

describe('GET /v1/ap2/mandates/{id}/executions', () => {
  it('200: newest first', async () => {
    const holder = await newHolder(harness.test);
    const made = [];
    for (const amount of ['1.00', '2.00', '3.00']) made.push((await holder.spend(amount)).body.data.id);
    const answer = await harness.test.get(`${pathOf(holder.mandate.id)}/executions?limit=2`);
    expect(idsOf(answer)).toEqual([made[2], made[1]]);
    expect(answer.body.data[0]).toMatchObject({ amount: '3.00', status: 'completed', remaining_daily: '94.00' });
    expect(answer.body.pagination).toMatchObject({ total: 3, has_more: true });
    expect(idsOf(await harness.test.get(`/v1/transfers?mandate_id=${holder.mandate.id}`))).toHaveLength(3);
  });

  it('404 for a mandate of another agent, and for none', async () => {
    const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
    const list = (id: string) => harness.test.get(`${pathOf(id)}/executions`, { as: other.token });
    for (const id of [holder.mandate.id, nowhere]) expectRefused(await list(id), 404, 'not_found');
  });
});

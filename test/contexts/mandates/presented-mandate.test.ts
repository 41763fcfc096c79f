// A mandate is presented by its id and its JWT together, on every way to spend (CONTRACT.md 29): one without the other is 400.
import { isInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { allTools } from '../../../src/mcp/catalog.js';
import { schema } from '../../../src/schema.js';
import { callAgent, textMessage } from '../../factories/a2a.js';
import { checkoutBody } from '../../factories/checkout.js';
import { type Holder, newHolder, readMandate } from '../../factories/mandate.js';
import { balanceOf, eventsOf, idsOf, transferBody } from '../../factories/payment.js';
import { newHand, taskBody, tenDollars } from '../../factories/task.js';
import { newEndpoint, payBody } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { eras } from '../../mcp/era.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const halves = (of: Readonly<Record<string, unknown>>) => ['mandateId', 'mandateJwt'].filter((member) => member in of);

describe('inputs with a mandate', () => {
  it('take both of its members, but for those whose mandate is in the path, or which spend nothing', () => {
    const inputs = Object.values(schema.getTypeMap())
      .filter(isInputObjectType)
      .flatMap((type) => (halves(type.getFields()).length === 0 ? [] : [[type.name, halves(type.getFields()).length]]));
    expect(Object.fromEntries(inputs)).toEqual({
      CompleteCheckoutInput: 2,
      CreateTransferInput: 2,
      PayX402Input: 2,
      TaskPaymentInput: 2,
      ExecuteMandateInput: 1,
      VerifyMandateInput: 1,
    });
  });

  it('are tools with both of them', () => {
    const taken = allTools.map(({ takes }) => ['mandate_id', 'mandate_jwt'].map((member) => takes.includes(member)));
    expect(taken.filter(([id]) => id)).not.toEqual([]);
    expect(taken.filter(([id, jwt]) => id !== jwt)).toEqual([]);
  });
});

/** Pays in a way, with one half of a mandate, and answers what comes back. */
type Way = (holder: Holder, half: Json) => Promise<Json>;

const checkout =
  (protocol: 'acp' | 'ucp'): Way =>
  async ({ merchant, token }, half) => {
    const begun = await harness.test.make(`/v1/${protocol}/checkouts`, checkoutBody(merchant), { as: token });
    return harness.test.post(`/v1/${protocol}/checkouts/${begun.id}/complete`, half, { as: token });
  };
const transfer = (query: string, extra: object = {}): Way => {
  return ({ wallet, merchant, token }, half) => {
    const body = transferBody(wallet, { id: merchant.settlement_wallet_id }, '1.00', { ...half, ...extra });
    return harness.test.post(`/v1/transfers${query}`, body, { as: token });
  };
};
const payX402 = (query: string): Way => {
  return async (holder, half) =>
    harness.test.post(`/v1/x402/pay${query}`, payBody(holder, await newEndpoint(harness.test, { currency: 'USD' }), half), {
      as: holder.token,
    });
};
const tool =
  (name: string, given: (holder: Holder) => Promise<object> | object): Way =>
  async (holder, half) => {
    const bodies: Json[] = [];
    for (const [, open] of eras) {
      await using client = await open(harness.test.url, holder.token);
      bodies.push(await client.refused(name, { ...(await given(holder)), ...half }));
    }
    const [body, other] = bodies;
    expect({ ...other, request_id: body?.request_id }).toEqual(body);
    return { status: 400, body };
  };

const ways: Readonly<Record<string, Way>> = {
  'a transfer': transfer(''),
  'a transfer’s dry run': transfer('?dry_run=true'),
  'a hold': transfer('', { capture: 'manual' }),
  'a scheduled transfer': transfer('', { scheduled_for: '2026-03-02T10:00:00.000Z' }),
  'a checkout of ACP': checkout('acp'),
  'a checkout of UCP': checkout('ucp'),
  x402: payX402(''),
  'x402’s dry run': payX402('?dry_run=true'),
  'the tool pay': tool('pay', ({ wallet, merchant }) => {
    return { from_wallet_id: wallet.id, to_wallet_id: merchant.settlement_wallet_id, amount: '1.00', currency: 'USD' };
  }),
  'the tool hold': tool('hold', ({ wallet, merchant }) => {
    return { from_wallet_id: wallet.id, to_wallet_id: merchant.settlement_wallet_id, amount: '1.00', currency: 'USD' };
  }),
  'the tool pay_x402': tool('pay_x402', async (holder) => payBody(holder, await newEndpoint(harness.test, { currency: 'USD' }))),
};

describe('one half of a mandate', () => {
  let holder: Holder;
  beforeAll(async () => {
    holder = await newHolder(harness.test, { max_per_tx: '0.01' });
  });
  const presented = () => [
    { half: { mandate_id: holder.mandate.id }, missing: 'mandate_jwt' },
    { half: { mandate_jwt: holder.mandate.mandate_jwt }, missing: 'mandate_id' },
  ];

  it.each(Object.entries(ways))('pays nothing by %s: 400', async (_name, way) => {
    for (const { half, missing } of presented()) expectInvalid((await way(holder, half)) as never, missing);
    expect((await balanceOf(harness.test, holder.wallet)).total).toBe('1000.00');
  });

  it('pays no item of a batch: 400', async () => {
    for (const { half, missing } of presented()) {
      const item = transferBody(holder.wallet, { id: holder.merchant.settlement_wallet_id }, '1.00', half);
      const answer = await harness.test.post('/v1/transfers/batch', { transfers: [item] }, { as: holder.token });
      expectInvalid(answer, `transfers.0.${missing}`, 'transfers.0.mandate_id');
    }
  });

  it('pays for no task, over A2A neither: 400', async () => {
    const worker = await newHand(harness.test, undefined, { skills: ['translate'] });
    const method = { ...tenDollars, method: 'ap2' };
    for (const { half, missing } of presented()) {
      const payment = { ...method, ...half };
      const given = await harness.test.post('/v1/a2a/tasks', taskBody({ worker }, { payment }), { as: holder.token });
      expectInvalid(given, `payment.${missing}`);
      const message = textMessage('Guten Tag', { metadata: { payment } });
      const { body } = await callAgent(harness.test, worker, 'SendMessage', { message }, { as: holder.token });
      expect(body.error, JSON.stringify(body)).toMatchObject({ code: -32602 });
      expect(JSON.stringify(body.error)).toContain(`params.message.metadata.payment.${missing}`);
    }
  });

  it('pays nothing over GraphQL: 400', async () => {
    const endpoint = await newEndpoint(harness.test, { currency: 'USD' });
    const text = 'mutation ($input: PayX402Input!) { payX402(input: $input) { payment { id } } }';
    for (const [member, value] of [
      ['mandateId', holder.mandate.id],
      ['mandateJwt', holder.mandate.mandate_jwt],
    ] as const) {
      const input = { fromWalletId: holder.wallet.id, endpointId: endpoint.id, [member]: value };
      const { body } = await harness.test.graphql(text, { input }, { as: holder.token });
      expect(body.errors[0].extensions).toMatchObject({ code: 'validation_failed' });
    }
    expect((await balanceOf(harness.test, holder.wallet)).total).toBe('1000.00');
  });
});

describe('POST /v1/x402/pay by a mandate', () => {
  const byMandate = ({ mandate }: Holder) => ({ mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt });

  it('201: is an execution of it, with its merchant', async () => {
    const holder = await newHolder(harness.test);
    const { settlement_wallet_id: receiver_wallet_id, account_id } = holder.merchant;
    const endpoint = await newEndpoint(harness.test, { currency: 'USD', receiver_wallet_id, account_id, base_price: '10.00' });
    const payment = await harness.test.make('/v1/x402/pay', payBody(holder, endpoint, byMandate(holder)), { as: holder.token });
    const told = (await eventsOf(harness, payment.transfer_id)).find(({ type }) => type === 'ap2.mandate.executed');
    expect(told?.data).toMatchObject({
      mandate_id: holder.mandate.id,
      merchant_id: holder.merchant.id,
      amount: '10.00',
      remaining_daily: '90.00',
    });
    expect((await readMandate(harness.test, holder.mandate)).usage).toMatchObject({ today: '10.00', executions: 1 });
    expect(idsOf(await harness.test.get(`/v1/ap2/mandates/${holder.mandate.id}/executions`))).toEqual([`ap2_exec_${payment.transfer_id}`]);
  });

  it('400 for another agent than the mandate’s', async () => {
    const [holder, other] = [await newHolder(harness.test), await newHolder(harness.test)];
    const endpoint = await newEndpoint(harness.test, { currency: 'USD' });
    expectInvalid(
      await harness.test.post('/v1/x402/pay', payBody(holder, endpoint, { ...byMandate(holder), agent_id: other.uuid })),
      'agent_id',
    );
  });

  it('403 above its limit', async () => {
    const holder = await newHolder(harness.test, { max_per_tx: '0.05' });
    const endpoint = await newEndpoint(harness.test, { currency: 'USD' });
    const answer = await harness.test.post('/v1/x402/pay', payBody(holder, endpoint, byMandate(holder)), { as: holder.token });
    expectRefused(answer, 403, 'mandate_limit_exceeded');
  });
});

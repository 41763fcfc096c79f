// GET /v1/analytics/*: what moved by each protocol, over time and in figures, and what became of checkouts (SPEC.md "Analytics"); and
// the GraphQL root `insight`, which answers the same for any period in one request.
import { beforeEach, describe, expect, it } from 'vitest';
import { readDemand } from '../../../src/contexts/analytics/demand.sql.js';
import { writeRefusals } from '../../../src/contexts/spending/pipeline/refusal-writer.js';
import { ctxAs } from '../../factories/card.js';
import { newCardShop, newShop } from '../../factories/checkout.js';
import { newSpender } from '../../factories/decision.js';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { isSlow } from '../../slow.js';

const harness = useHarness();
const protocols = ['ucp', 'acp', 'ap2', 'x402', 'mpp', 'internal', 'cross_border'];
const get = (path: string, as?: string) => harness.test.get(`/v1/analytics/${path}`, as === undefined ? {} : { as });
const read = async (path: string): Promise<Json> => {
  const answer = await get(path);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const of = (rows: Json[], protocol: string) => rows.find((row) => row.protocol === protocol);

let from: Json;
let to: Json;
/** Each test has days of its own, and begins at noon with 2.00 that were moved an hour and three days ago. */
beforeEach(async () => {
  harness.clock.advance(40 * 86_400);
  harness.clock.set(`${harness.clock.now().toISOString().slice(0, 10)}T12:00:00.000Z`);
  ({ from, to } = await twoWallets(harness.test));
  harness.clock.advance(86_400);
  await pay(harness.test, from, to, '2.00');
  harness.clock.advance(3 * 86_400 - 3_600);
  await pay(harness.test, from, to, '2.00');
  harness.clock.advance(3_600);
});

describe('GET /v1/analytics/protocol-*', () => {
  it('200: shares, figures and series of the same whole, every protocol listed', async () => {
    const shop = await newShop(harness.test, { funded: '500.00' });
    await shop.complete(await shop.begin());
    const held = await harness.test.make('/v1/transfers', transferBody(from, to, '3.00', { capture: 'manual' }));
    await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
    await harness.runDue();

    const volume = await read('protocol-distribution?timeRange=24h');
    expect(volume).toMatchObject({ metric: 'volume', timeRange: '24h', total: '29.50', as_of: harness.clock.now().toISOString() });
    expect(volume.data.map(({ protocol }: Json) => protocol).sort()).toEqual([...protocols].sort());
    expect(of(volume.data, 'acp')).toEqual({ protocol: 'acp', value: '27.50', share: 0.932203 });
    expect(of(volume.data, 'x402')).toEqual({ protocol: 'x402', value: '0.00', share: 0 });
    const count = await read('protocol-distribution?time_range=7d&metric=count');
    expect(count).toMatchObject({ metric: 'count', timeRange: '7d', total: 6 });
    expect(of(count.data, 'internal')).toEqual({ protocol: 'internal', value: 5, share: 0.833333 });

    const { data: stats } = await read('protocol-stats?timeRange=7d');
    const figures = { total_volume_usd: '4.00', transaction_count: 5, average_amount_usd: '2.00', success_rate: 0.666667 };
    expect(of(stats, 'internal')).toEqual({ protocol: 'internal', ...figures });
    expect(stats).toHaveLength(7);

    const hours = await read('protocol-activity?timeRange=24h&metric=count');
    expect([hours.bucket, hours.data.length]).toEqual(['hour', 24]);
    expect(hours.data.slice(-3).map(({ total }: Json) => total)).toEqual([0, 1, 3]);
    expect(hours.data.at(-1)).toEqual({
      timestamp: harness.clock.now().toISOString(),
      total: 3,
      by_protocol: { ...Object.fromEntries(protocols.map((protocol) => [protocol, 0])), acp: 1, internal: 2 },
    });
    for (const [range, days] of [
      ['7d', 7],
      ['30d', 30],
    ] as const) {
      const series = await read(`protocol-activity?timeRange=${range}`);
      expect([series.bucket, series.data.length]).toEqual(['day', days]);
      expect(series.data.slice(-4).map(({ total }: Json) => total)).toEqual(['2.00', '0.00', '0.00', '29.50']);
    }
  });

  it('200: recent activity, with what it was and who was paid', async () => {
    const { data } = await read('recent-activity?limit=2');
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({
      amount: '2.00',
      description: 'Transfer of 2.00 USD (transfer.internal)',
      counterparty: { account_id: to.account_id, name: 'Payee' },
    });
    expect(data[0].time > data[1].time).toBe(true);
  });

  it('400: an unknown range or metric, two ranges, a limit beyond its bounds', async () => {
    const refused = async (path: string, field: string) => {
      const answer = await get(path);
      expectRefused(answer, 400, 'validation_failed');
      expect(answer.body.details.fields.map(({ path: at }: Json) => at)).toEqual([field]);
    };
    await refused('protocol-distribution?timeRange=1y', 'timeRange');
    await refused('protocol-activity?metric=joy', 'metric');
    await refused('protocol-stats?timeRange=24h&time_range=7d', 'time_range');
    await refused('recent-activity?limit=101', 'limit');
    await refused('recent-activity?limit=0', 'limit');
    await refused('checkout-demand?timeRange=', 'timeRange');
  });

  it('401 without a credential, 403 for an agent', async () => {
    const { token } = await newSpender(harness.test);
    for (const path of ['protocol-distribution', 'protocol-activity', 'protocol-stats', 'recent-activity', 'checkout-demand']) {
      expectRefused(await harness.test.get(`/v1/analytics/${path}`, { as: null }), 401, 'missing_credential');
      expectRefused(await get(path, token), 403, 'forbidden');
    }
  });
});

describe('GET /v1/analytics/checkout-demand', () => {
  it('200: the funnel, its times and its reasons; an attempt that failed counts once with what came of it', async () => {
    const shop = await newShop(harness.test);
    const other = await newCardShop(harness.test, { protocol: 'ucp', token: 'tok_declined' });
    const begin = () => shop.begin();
    const [quick, slow, left, gone, silent] = [await begin(), await begin(), await begin(), await begin(), await begin()];
    const declined = await other.begin();
    await other.pay(declined);
    harness.clock.advance(60);
    await shop.complete(quick);
    await harness.test.post(`${shop.path}/${left.id}/cancel`, { intent_trace: { reason_code: 'price_sensitivity' } });
    await harness.test.post(`${shop.path}/${gone.id}/cancel`, { reason: 'changed my mind' });
    harness.clock.advance(540);
    await shop.complete(slow);
    await harness.runDue();
    const open = (await read('checkout-demand')).data;
    expect(open).toMatchObject({ sessions_opened: 6, sessions_completed: 2, completion_rate: 0.333333 });
    expect(open).toMatchObject({ average_time_to_complete_seconds: 330, top_cancel_reasons: [{ count: 1 }, { count: 1 }] });
    expect(Math.abs(open.median_time_to_complete_seconds - 60)).toBeLessThanOrEqual(1);
    expect(open.top_cancel_reasons.map(({ reason }: Json) => reason)).toEqual(['changed my mind', 'price_sensitivity']);
    const stages = (data: Json) => Object.fromEntries(data.drop_off.map(({ stage, count }: Json) => [stage, count]));
    expect(stages(open)).toEqual({ created: 1, pending_payment: 0, failed: 1, expired: 0, cancelled: 2 });
    expect(open.by_merchant.map(({ sessions_opened: opened }: Json) => opened)).toEqual([5, 1]);

    // What failed is paid by another card, and what nobody paid expires.
    const good = await other.addCard('tok_ok');
    await other.complete(declined, { from_wallet_id: undefined, payment_method_id: good.id });
    for (let n = 0; n < 3; n += 1) await harness.advance(10);
    expect((await shop.read(silent)).status).toBe('created');
    for (let hour = 0; hour < 12; hour += 1) await harness.advance(3_600);
    const { data } = await read('checkout-demand?timeRange=24h');
    expect((await shop.read(silent)).status).toBe('expired');
    expect(data).toMatchObject({ sessions_opened: 6, sessions_completed: 3 });
    expect(stages(data)).toEqual({ created: 0, pending_payment: 0, failed: 0, expired: 1, cancelled: 2 });
    expect(data.by_merchant[0]).toMatchObject({ sessions_opened: 5, sessions_completed: 2, completion_rate: 0.4 });
  });

  it('200: of as many merchants, and reasons in as many words, as there may be, those that come up most', async () => {
    const { elsewhere: platform } = harness;
    const { pool } = platform.database;
    const { id } = (await ctxAs({ platform }, harness.other.key)).workspace;
    const start = new Date(harness.clock.now().getTime() - 7_200_000);
    const add = (dimension: string, key: string, outcome: string, rows: number) =>
      pool.query(
        `INSERT INTO checkout_rollup SELECT $1::uuid, 3600, $2::timestamptz, $3, ${key}, $4, 1 + n / $5, 0 FROM generate_series(1, $5::int) n`,
        [id, start, dimension, outcome, rows],
      );
    const [merchants, reasons] = isSlow ? [80_000, 30_000] : [8_000, 3_000];
    await add('merchant', 'gen_random_uuid()::text', 'cancelled', merchants);
    await add('reason', "'because of ' || n", 'cancelled', reasons);
    const { data } = (await harness.other.get('/v1/analytics/checkout-demand')).body;
    expect([data.sessions_opened, data.by_merchant.length, data.top_cancel_reasons.length]).toEqual([merchants + 1, 20, 10]);
    expect([data.by_merchant[0].sessions_opened, data.top_cancel_reasons[0]]).toEqual([2, { reason: `because of ${reasons}`, count: 2 }]);
    const rows = await readDemand(await ctxAs({ platform }, harness.other.key), { start, end: harness.clock.now() }, 10);
    expect(rows.filter(({ dimension }) => dimension === 'reason')).toHaveLength(10);
  });
});

describe('query insight', () => {
  const ask = (start: string, end: string, selection: string) =>
    harness.test.graphql(`query ($start: Moment, $end: Moment) { insight(start: $start, end: $end) { ${selection} } }`, { start, end });

  it('200: every report of any period in one request', async () => {
    await harness.runDue();
    const end = harness.clock.now().toISOString();
    const start = new Date(harness.clock.now().getTime() - 2 * 3_600_000 - 1).toISOString();
    const { body } = await ask(
      start,
      end,
      `period { start end } summary { totalOperations byProtocol } costs { totalUsd byProvider }
       operations(limit: 1) { nodes { amount } pagination { total hasMore } }
       distribution { total data { protocol value } } activity(metric: count) { bucket data { timestamp total } }
       stats { data { protocol transactionCount } } demand { data { sessionsOpened medianTimeToCompleteSeconds } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.insight).toMatchObject({
      period: { start, end },
      summary: { totalOperations: 1 },
      costs: { totalUsd: '0.00', byProvider: {} },
      operations: { nodes: [{ amount: '2.00' }], pagination: { total: 1, hasMore: false } },
      distribution: { total: '2.00' },
      activity: { bucket: 'hour' },
      demand: { data: { sessionsOpened: 0, medianTimeToCompleteSeconds: null } },
    });
    expect(body.data.insight.activity.data.map(({ total }: Json) => total)).toEqual([0, 0, 1]);
  });

  it('200: what was refused stands beside it, every refusal counted; fundings and moves within an account are no volume', async () => {
    const spender = await newSpender(harness.test);
    const ofAgent = { target: { type: 'agent', id: spender.id } };
    const limit = { kind: 'max_amount', per: 'tx', amount: '50.00', currency: 'USD' };
    await harness.test.make('/v1/policies', { name: 'At most 50', ...ofAgent, rules: [limit] });
    const own = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: from.account_id, currency: 'USD' });
    await pay(harness.test, from, own, '3.00');
    await spender.pay('1.00');
    for (let count = 0; count < 14; count += 1) expect((await spender.pay('60.00')).status).toBe(403);
    await pay(harness.test, from, to, '1.00');
    const poor = await harness.test.post('/v1/transfers', transferBody(from, to, '9000.00'));
    expect(poor.body.code).toBe('insufficient_balance');
    await writeRefusals(harness.platform);
    await harness.runDue();
    const start = new Date(harness.clock.now().getTime() - 1_000).toISOString();
    const end = new Date(harness.clock.now().getTime() + 1).toISOString();
    const selection =
      'volumeUsd summary { successRate } refusals { policy budget mandate balance frozen } stats { data { protocol totalVolumeUsd } }';
    const { insight } = (await ask(start, end, selection)).body.data;
    expect(insight).toMatchObject({ volumeUsd: '2.00', summary: { successRate: 1 } });
    expect(insight.refusals).toEqual({ policy: 14, budget: 0, mandate: 0, balance: 1, frozen: 0 });
    expect((await ask('2026-01-01', '2026-01-02', selection)).body.data.insight.refusals.policy).toBe(0);
  });

  it('400 for a period of more than 400 days, 403 for an agent', async () => {
    const long = await ask('2020-01-01', '2022-01-01', 'summary { totalOperations }');
    expect(long.body.errors[0].extensions).toMatchObject({ code: 'validation_failed', http: { status: 400 } });
    const { token } = await newSpender(harness.test);
    const { body } = await harness.test.graphql('{ insight { asOf } }', {}, { as: token });
    expect(body.errors[0].extensions.code).toBe('forbidden');
  });
});

// GET /v1/usage/summary, /operations, /costs and /traces/{trace_id}: what happened, in sums and row by row (SPEC.md "Usage").
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { newSpender } from '../../factories/decision.js';
import { idsOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { newPayer, newPayout } from '../../factories/payout.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const get = async (path: string, as?: string) => harness.test.get(`/v1/usage/${path}`, as === undefined ? {} : { as });
const body = async (path: string, as?: string): Promise<Json> => {
  const answer = await get(path, as);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

let trace: string;
let traced: { headers: { traceparent: string } };
let from: Json;
let to: Json;
/** Each test has days of its own, and a trace. */
beforeEach(async () => {
  harness.clock.advance(40 * 86_400);
  harness.clock.set(`${harness.clock.now().toISOString().slice(0, 10)}T10:00:00.000Z`);
  trace = randomBytes(16).toString('hex');
  traced = { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } };
  ({ from, to } = await twoWallets(harness.test));
});

describe('GET /v1/usage/summary', () => {
  it('200: counts everything, to the millisecond at the edges of the window', async () => {
    const [day = ''] = harness.clock.now().toISOString().split('T');
    harness.clock.set(`${day}T10:02:30.500Z`);
    await pay(harness.test, from, to, '1.00');
    harness.clock.advance(32 * 3_600 + 27 * 60 + 29.5);
    const [next = ''] = harness.clock.now().toISOString().split('T');
    expect(harness.clock.now().toISOString()).toBe(`${next}T18:30:00.000Z`);
    await pay(harness.test, from, to, '2.00');
    const held = await harness.test.make('/v1/transfers', transferBody(from, to, '3.00', { capture: 'manual' }));
    await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
    await harness.runDue();
    const all = await body('summary');
    expect(all).toMatchObject({ total_operations: 4, success_rate: 0.666667, total_external_cost_usd: '0.00' });
    expect(all.by_protocol).toEqual({ ucp: 0, acp: 0, ap2: 0, x402: 0, mpp: 0, internal: 4, cross_border: 0 });
    expect(all.by_category).toMatchObject({ transfer: 3, funding: 1, checkout: 0, card_instruction: 0 });
    const count = async (query: string) => (await body(`summary?${query}`)).total_operations;
    expect(await count(`start=${day}T10:02:30.500Z&end=${next}T18:30:00.001Z`)).toBe(3);
    expect(await count(`start=${day}T10:02:30.501Z&end=${next}T18:30:00.001Z`)).toBe(2);
    expect(await count(`start=${day}T10:02:30.500Z&end=${next}T18:30:00.000Z`)).toBe(1);
    expect(await body(`summary?start=${day}&end=${day}`)).toMatchObject({
      period: { start: `${day}T00:00:00.000Z`, end: `${next}T00:00:00.000Z` },
      total_operations: 2,
    });
  });

  it('200: what is older than 400 days is rounded to whole hours', async () => {
    const { period } = await body('summary?start=2020-03-02T10:20:00Z&end=2026-03-01T10:20:30Z');
    expect(period).toEqual({ start: '2020-03-02T10:00:00.000Z', end: '2026-03-01T10:20:30.000Z' });
  });

  it('200: a window that begins or ends between two milliseconds, and one up to the last day of the calendar', async () => {
    const at = harness.clock.now().toISOString().slice(0, -1);
    await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    const count = async (start: string, end: string) => (await body(`summary?start=${start}&end=${end}`)).total_operations;
    const day = at.slice(0, 10);
    expect(await count(day, `${at}001Z`)).toBe(2);
    expect(await count(day, `${at}000Z`)).toBe(0);
    expect(await count(`${at}000Z`, '9999-12-31')).toBe(2);
    expect(await count(`${at}001Z`, '9999-12-31')).toBe(0);
    const { data } = (await harness.test.graphql('{ insight(start: "9999-12-02", end: "9999-12-31") { summary { totalOperations } } }'))
      .body;
    expect(data.insight.summary.totalOperations).toBe(0);
  });

  it('200: a customer counts what its accounts have paid, and what they got from nobody: as a sum, by the hour and row by row', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Bo', customer_reference: trace });
    const own = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
    await harness.test.make(`/v1/wallets/${own.id}/fund`, { amount: '9.00' });
    await harness.test.make('/v1/transfers', transferBody(own, to, '2.00'), traced);
    await harness.test.make('/v1/transfers', transferBody(from, own, '1.00'), traced);
    await harness.runDue();
    const token = { customer_reference: trace, scopes: ['usage:read'] };
    const { token: as } = await harness.test.make('/v1/portal-tokens', token);
    const at = harness.clock.now().toISOString();
    // Whole buckets, and raw rows at the edge.
    expect((await body('summary', as)).total_operations).toBe(2);
    expect((await body(`summary?start=${at}&end=${at.replace('.000Z', '.001Z')}`, as)).total_operations).toBe(2);
    for (const query of ['', '?success=true&protocol=internal', '?page=1&limit=1']) {
      const { data, pagination } = await body(`operations${query}`, as);
      expect([data[0].amount, pagination.total]).toEqual(['2.00', 2]);
    }
    expect((await body('operations', as)).data.map(({ operation }: Json) => operation)).toEqual(['transfer.internal', 'transfer.funding']);
    expect((await body('operations?success=false', as)).data).toEqual([]);
    expect((await body(`traces/${trace}`, as)).data).toMatchObject({ operations: [{ amount: '2.00' }], totals: [{ amount: '2.00' }] });
  });

  it('200: an agent counts what it has spent or asked for', async () => {
    const spender = await newSpender(harness.test);
    await spender.pay('5.00');
    await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    expect(await body('summary', spender.token)).toMatchObject({ total_operations: 1, by_category: { transfer: 1 } });
    const { data, pagination } = await body('operations', spender.token);
    expect([data.length, pagination.total, data[0].agent_id]).toEqual([1, 1, spender.uuid]);
  });

  it('400: windows that end before they begin, dates that do not exist, members that are unknown', async () => {
    const refused = async (query: string, field: string) => {
      const answer = await get(query);
      expectRefused(answer, 400, 'validation_failed');
      expect(answer.body.details.fields.map(({ path }: Json) => path)).toEqual([field]);
    };
    await refused('summary?start=2026-03-02&end=2026-03-01', 'end');
    await refused('summary?start=2026-03-01T00:00:00Z&end=2026-03-01T00:00:00Z', 'end');
    await refused('summary?start=2099-03-02', 'start');
    await refused('summary?start=2026-02-30', 'start');
    await refused('costs?end=yesterday', 'end');
    await refused('summary?from=2026-03-01', 'from');
    await refused('operations?start=2024-01-01', 'start');
    await refused('operations?limit=201', 'limit');
    await refused('operations?category=gift', 'category');
    await refused('operations?trace_id=xyz', 'trace_id');
    await refused('operations?actor_id=nobody', 'actor_id');
  });

  it('401: without a credential', async () => {
    expectRefused(await harness.test.get('/v1/usage/summary', { as: null }), 401, 'missing_credential');
  });
});

describe('GET /v1/usage/operations', () => {
  it('200: by category, protocol, success, actor and trace, by both pagings, with the total of the rollups', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '50.00' });
    const spender = await newSpender(harness.test);
    for (const amount of ['1.00', '2.00', '3.00']) {
      harness.clock.advance(400);
      await spender.pay(amount);
    }
    const { id: last } = await harness.test.make('/v1/transfers', transferBody(wallet, to, '4.00'), traced);
    const held = await harness.test.make('/v1/transfers', transferBody(wallet, to, '3.00', { capture: 'manual' }));
    await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
    await harness.runDue();
    const first = await body('operations?limit=2');
    expect(first.pagination).toMatchObject({ page: 1, total: 8, totalPages: 4, has_more: true });
    const pages = [first, await body(`operations?limit=2&starting_after=${first.pagination.next_cursor}`)];
    expect(pages.flatMap((page) => idsOf({ body: page } as never))).toEqual(idsOf(await get('operations?limit=4')));
    expect(pages[1].pagination).toMatchObject({ page: 1, total: 8 });
    expect(idsOf(await get('operations?limit=2&page=2'))).toEqual(idsOf({ body: pages[1] } as never));

    const found = async (query: string) => {
      const { data, pagination } = await body(`operations?${query}`);
      expect(pagination.total).toBe(data.length);
      return data.map(({ amount }: Json) => amount);
    };
    expect(await found('success=false')).toEqual(['0.00']);
    expect(await found(`actor_id=${spender.id}`)).toEqual(['3.00', '2.00', '1.00']);
    expect(await found(`actor_id=${spender.uuid}&success=false`)).toEqual([]);
    expect(await found(`trace_id=${trace.toUpperCase()}`)).toEqual(['4.00']);
    expect(await found('category=payout')).toEqual([]);
    expect((await found('category=transfer&protocol=internal')).length).toBe(5);
    const [traced4] = (await body(`operations?trace_id=${trace}`)).data;
    expect(traced4).toMatchObject({ operation: 'transfer.internal', amount_usd: '4.00', external_cost_usd: '0.00', subject_id: last });
    expect(traced4.id).toMatch(/^op_/);
  });

  it('400: a cursor of other filters', async () => {
    await pay(harness.test, from, to, '1.00');
    await pay(harness.test, from, to, '1.00');
    const { pagination } = await body('operations?limit=1');
    expectRefused(await get(`operations?success=true&starting_after=${pagination.next_cursor}`), 400, 'validation_failed');
  });
});

describe('GET /v1/usage/costs', () => {
  it('200: what each rail took', async () => {
    await newPayout(harness.test, await newPayer(harness.test));
    for (let day = 0; day < 3; day += 1) await harness.advance(86_400);
    const { total_usd: total, by_provider: byProvider } = await body('costs');
    expect([total, byProvider]).toEqual(['0.25', { ach: '0.25' }]);
    expect((await body('summary')).total_external_cost_usd).toBe(total);
  });
});

describe('GET /v1/usage/traces/{trace_id}', () => {
  it('200: what the trace did, across agents; an agent sees its part', async () => {
    const [one, two] = [await newSpender(harness.test), await newSpender(harness.test)];
    await one.pay('1.00');
    for (const { wallet, payee, token } of [one, two])
      await harness.test.make('/v1/transfers', transferBody(wallet, payee, '2.50'), { as: token, ...traced });
    const { data } = await body(`traces/${trace}`);
    expect(data).toMatchObject({ trace_id: trace, has_more: false, totals: [{ currency: 'USD', amount: '5.00' }] });
    expect(data.operations.map(({ agent_id: id }: Json) => id)).toEqual([one.uuid, two.uuid]);
    expect(data.agents.sort()).toEqual([one.uuid, two.uuid].sort());
    expect((await body(`traces/${trace}`, one.token)).data).toMatchObject({ agents: [one.uuid], totals: [{ amount: '2.50' }] });
  });

  it('404: an unknown trace, what cannot be one, and that of another tenant', async () => {
    await harness.test.make('/v1/transfers', transferBody(from, to, '1.00'), traced);
    for (const path of ['traces/4bf92f3577b34da6a3ce929d0e0e4737', 'traces/x']) expectRefused(await get(path), 404, 'not_found');
    expectRefused(await harness.other.get(`/v1/usage/traces/${trace}`), 404, 'not_found');
  });
});

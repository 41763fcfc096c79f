// PUT /v1/rates
import { describe, expect, it } from 'vitest';
import { setRates } from '../../../src/contexts/rates/rate-setting.js';
import { updatePolicy } from '../../../src/contexts/spending/policy/policy.js';
import { currencies } from '../../../src/platform/money.js';
import { newId } from '../../../src/platform/schema/id.js';
import { newVoter } from '../../factories/voter.js';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { signIn } from '../identity/sign-in.js';

const harness = useHarness();

const rate = (from: string, to: string, text: string) => ({ from, to, rate: text });
const put = (rates: unknown, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  harness.test.put('/v1/rates', { rates, ...more }, { headers });
const figures = ({ body }: Answer) => body.data.map(({ from, to, rate: text }: Json) => `${from} ${to} ${text}`);
const inForce = async (query = '') => figures(await harness.test.get(`/v1/rates${query}`));

describe('200', () => {
  it('answers the new rates, in the order of the request, and they are in force at once', async () => {
    const answer = await put([rate('USD', 'BRL', '5.4300'), rate('EUR', 'USD', '0.000123456789')], { as_of: '2026-03-01' });
    expect(answer.status).toBe(200);
    const id = expect.stringMatching(/^rate_[0-9a-f-]{36}$/);
    const asOf = '2026-03-01T00:00:00.000Z';
    expect(answer.body).toEqual({
      data: [
        { id, ...rate('USD', 'BRL', '5.4300'), as_of: asOf, source: 'workspace' },
        { id, ...rate('EUR', 'USD', '0.000123456789'), as_of: asOf, source: 'workspace' },
      ],
    });
    expect(await inForce('?from=USD&to=BRL')).toEqual(['USD BRL 5.4300']);
    expect(await inForce('?from=EUR')).toEqual(['EUR USD 0.000123456789']);
  });

  it('leaves what it does not name, and what other workspaces have', async () => {
    const before = await inForce('?to=JPY');
    await put([rate('USD', 'MXN', '18.1')]);
    expect(await inForce('?to=JPY')).toEqual(before);
    for (const client of [harness.other, harness.live]) {
      expect(figures(await client.get('/v1/rates?to=MXN'))).toEqual(['USD MXN 17.95']);
    }
  });

  it('is dated now in workspace time, at most a day ahead, and what was set last counts whatever its date', async () => {
    const now = harness.clock.now();
    const [today] = (await put([rate('USD', 'JPY', '150')])).body.data;
    expect(today.as_of).toBe(now.toISOString());
    const tomorrow = new Date(now.getTime() + 86_400_000).toISOString();
    expect((await put([rate('USD', 'JPY', '151')], { as_of: tomorrow })).body.data[0].as_of).toBe(tomorrow);
    expect((await put([rate('USD', 'JPY', '152')], { as_of: '1999-12-31T23:00:00-02:00' })).body.data[0].as_of).toBe(
      '2000-01-01T01:00:00.000Z',
    );
    expect(await inForce('?to=JPY')).toEqual(['USD JPY 152']);
  });

  it('replaces both directions of a pair; one request may set both', async () => {
    const both = [rate('EUR', 'BRL', '6.4'), rate('BRL', 'EUR', '0.15')];
    await put([rate('BRL', 'EUR', '0.16')]);
    await put([rate('EUR', 'BRL', '6.3')]);
    expect([...(await inForce('?from=BRL&to=EUR')), ...(await inForce('?from=EUR&to=BRL'))]).toEqual(['EUR BRL 6.3']);
    await put(both);
    expect([...(await inForce('?from=BRL&to=EUR')), ...(await inForce('?from=EUR&to=BRL'))]).toEqual(['BRL EUR 0.15', 'EUR BRL 6.4']);
  });

  it('takes every pair there is at once', async () => {
    const all = currencies.flatMap((from) => currencies.filter((to) => to !== from).map((to) => rate(from, to, '2')));
    expect((await put(all)).body.data).toHaveLength(56);
    expect(await inForce()).toHaveLength(56);
  });

  it('of many at once leaves one whole, the one that a later reader finds too', async () => {
    const pairs = [
      ['EUR', 'MXN'],
      ['EUR', 'JPY'],
      ['MXN', 'JPY'],
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => put(pairs.map(([from, to]) => rate(i % 2 ? from : to, i % 2 ? to : from, String(100 + i))))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    const found = (await harness.test.get('/v1/rates')).body.data.filter(
      ({ rate: text }: Json) => Number(text) >= 100 && Number(text) < 112,
    );
    expect(found).toHaveLength(3);
    expect(new Set(found.map(({ rate: text }: Json) => text)).size).toBe(1);
    // What was said last has the greatest ids.
    const newest = answers.flatMap(({ body }) => body.data).sort((a: Json, b: Json) => (a.id < b.id ? 1 : -1))[0];
    expect(found[0].rate).toBe(newest.rate);
  });

  it('with an Idempotency-Key is done once, and answers the same again after others have set rates', async () => {
    const headers = { 'Idempotency-Key': 'rates-of-today' };
    const body = [rate('EUR', 'JPY', '180'), rate('EUR', 'MXN', '21')];
    const first = await put(body, {}, headers);
    await put([rate('EUR', 'JPY', '190')]);
    const again = await put(body, {}, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await inForce('?from=EUR&to=JPY')).toEqual(['EUR JPY 190']);
    // Without the answer that was kept the same is read from the rates.
    const forget = async () => (await harness.platform.database.pool.query('DELETE FROM keyed_answer')).rowCount;
    await expect.poll(forget).toBe(1);
    const rendered = await put(body, {}, headers);
    expect([rendered.headers.get('idempotent-replayed'), rendered.body]).toEqual(['true', first.body]);
  });

  it('is a mutation of GraphQL too', async () => {
    const query = `mutation ($input: SetRatesInput!) { setRates(input: $input) { id from to rate asOf source } }`;
    const { body } = await harness.test.graphql(query, { input: { rates: [rate('MXN', 'BRL', '0.31')] } });
    expect(body.data.setRates).toMatchObject([{ from: 'MXN', to: 'BRL', rate: '0.31', source: 'workspace' }]);
  });

  it('is known to a process that did not set it', async () => {
    expect(await inForce('?from=BRL&to=JPY')).not.toEqual(['BRL JPY 28.5']);
    const { rows } = await harness.platform.database.pool.query('SELECT workspace_id, max(created_at) AS at FROM rate GROUP BY 1');
    const [{ workspace_id: workspace, at }] = rows;
    const later = new Date(at.getTime() + 1);
    await harness.platform.database.pool.query(
      `INSERT INTO rate (workspace_id, id, from_currency, to_currency, rate, as_of, created_at) VALUES ($1, $2, 'BRL', 'JPY', '28.5', $3, $3)`,
      [workspace, newId(later), later],
    );
    await expect.poll(() => inForce('?from=BRL&to=JPY'), { timeout: 1_000 }).toEqual(['BRL JPY 28.5']);
  });
});

describe('400', () => {
  it('names each faulty member', async () => {
    const fault = async (faulty: object[], ...paths: string[]) =>
      expectInvalid(await put([rate('EUR', 'USD', '1.1'), ...faulty]), ...paths);
    await fault([rate('BRL', 'BRL', '1')], 'rates.1.to');
    await fault([rate('EUR', 'USD', '1.1')], 'rates.1');
    await fault([rate('USD', 'EUR', '0.9'), rate('USD', 'EUR', '0.8'), rate('JPY', 'JPY', '2')], 'rates.2', 'rates.3.to');
    await fault([rate('EUR', 'XXX', '1'), rate('eur', 'USD', '1')], 'rates.1.to', 'rates.2.from');
    await fault([{ from: 'EUR', to: 'BRL', rate: '6', price: '6' }], 'rates.1.price');
    await fault([{ from: 'EUR', to: 'BRL' }], 'rates.1.rate');
  });

  it('for what is no rate: not a decimal string, zero, or more than ten significant digits', async () => {
    const texts = [
      '0',
      '0.000',
      '-1',
      '+1',
      '1e3',
      '01.5',
      '.5',
      '5.',
      '1,5',
      '',
      ' 1',
      'NaN',
      '1.2345678901',
      '12345678901',
      '1.0000000000',
    ];
    expectInvalid(await put(texts.map((text) => rate('EUR', 'USD', text))), ...texts.map((_, i) => `rates.${i}.rate`));
    expectInvalid(
      await put([
        { from: 'EUR', to: 'USD', rate: 1.1 },
        { from: 'EUR', to: 'BRL', rate: null },
      ]),
      'rates.0.rate',
      'rates.1.rate',
    );
    expect((await put([rate('EUR', 'USD', '9999999999'), rate('USD', 'JPY', '0.0000000001234567890')])).body.details.fields).toMatchObject([
      { path: 'rates.1.rate', message: expect.stringContaining('decimal') },
    ]);
    expect((await put([rate('EUR', 'USD', '9999999999'), rate('USD', 'JPY', '0.000000001234567890')])).status).toBe(200);
  });

  it('for none, for more than 200, and for what is no list', async () => {
    expectInvalid(await put([]), 'rates');
    expectInvalid(await put(Array.from({ length: 201 }, () => rate('EUR', 'USD', '1'))), 'rates');
    expectInvalid(await put({ EUR: '1' }), 'rates');
    expectInvalid(await harness.test.put('/v1/rates', {}), 'rates');
  });

  it('for a date that is more than a day ahead, or none', async () => {
    const ahead = new Date(harness.clock.now().getTime() + 86_400_001).toISOString();
    for (const asOf of [ahead, '9999-12-31', '2026-02-30', 'yesterday']) {
      expectInvalid(await put([rate('EUR', 'USD', '1.1')], { as_of: asOf }), 'as_of');
    }
  });

  it('changes nothing', async () => {
    const before = await inForce();
    await put([rate('EUR', 'USD', '1.7'), rate('EUR', 'EUR', '1')]);
    expect(await inForce()).toEqual(before);
  });
});

describe('403', () => {
  it('for agents, and for a JWT session', async () => {
    const { token } = await enrol(harness.test);
    for (const as of [token, await signIn(harness.test)]) {
      expectRefused(await harness.test.put('/v1/rates', { rates: [rate('EUR', 'USD', '1.1')] }, { as }), 403, 'api_key_required');
    }
  });

  it('`person_required` for a key while a policy in force asks people; a person sets them', async () => {
    const ada = await newVoter(harness);
    const approval = { threshold: '10.00', currency: 'USD', approvers: { count: 1 } };
    const policy = await harness.test.make('/v1/policies', { name: 'People', target: { type: 'tenant' }, rules: [], approval });
    const before = await inForce();
    // Otherwise a thousand euros would be ten dollars, and nobody would be asked.
    expectRefused(await put([rate('EUR', 'USD', '0.01')]), 403, 'forbidden', { reason: 'person_required' });
    expect(await inForce()).toEqual(before);
    await setRates(ada.ctx, { rates: [{ from: 'EUR', to: 'USD', rate: '1.2' }] });
    await updatePolicy(ada.ctx, { id: policy.id.slice('pol_'.length), enabled: false });
    expect((await put([rate('EUR', 'USD', '1.1')])).status).toBe(200);
  });
});

// GET /v1/rates
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/schema/id.js';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { signIn } from '../identity/sign-in.js';

const harness = useHarness();

const figures = ({ body }: Answer) => body.data.map(({ from, to, rate, source }: Json) => `${from} ${to} ${rate} ${source}`);
const list = async (query = '') => figures(await harness.test.get(`/v1/rates${query}`));

describe('200', () => {
  it('begins with the built-in table, dated, without pages', async () => {
    const answer = await harness.test.get('/v1/rates?from=EUR');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        {
          id: 'rate_019b7c01-0400-7000-8000-000000000004',
          from: 'EUR',
          to: 'USD',
          rate: '1.172',
          as_of: '2026-01-02T00:00:00.000Z',
          source: 'builtin',
        },
      ],
    });
    expect(await list()).toHaveLength(7);
  });

  it('has what was set in the place of the built-in rate of the same two currencies, in order of the currencies', async () => {
    await harness.test.put('/v1/rates', {
      rates: [
        { from: 'USD', to: 'JPY', rate: '149.9' },
        { from: 'USD', to: 'EUR', rate: '0.86' },
      ],
    });
    expect(await list()).toEqual([
      'EURC EUR 1 builtin',
      'USD BRL 5.48 builtin',
      'USD EUR 0.86 workspace',
      'USD JPY 149.9 workspace',
      'USD MXN 17.95 builtin',
      'USDC USD 1 builtin',
      'USDT USD 1 builtin',
    ]);
  });

  it('is filtered by either currency and by both', async () => {
    expect(await list('?from=USD&to=BRL')).toEqual(['USD BRL 5.48 builtin']);
    expect(await list('?to=USD')).toEqual(['USDC USD 1 builtin', 'USDT USD 1 builtin']);
    expect(await list('?from=BRL&to=USD')).toEqual([]);
    expect(await list('?from=USD')).toHaveLength(4);
  });

  it('is read by agents and sessions too, and each workspace reads its own', async () => {
    const { token } = await enrol(harness.test);
    const mine = (await harness.test.get('/v1/rates')).body;
    for (const as of [token, await signIn(harness.test)]) expect((await harness.test.get('/v1/rates', { as })).body).toEqual(mine);
    for (const client of [harness.other, harness.live]) {
      expect(figures(await client.get('/v1/rates?to=JPY'))).toEqual(['USD JPY 156.7 builtin']);
    }
  });

  it('is a field of GraphQL too', async () => {
    const { body } = await harness.test.graphql('{ rates(from: "USD", to: "BRL") { id from to rate asOf source } }');
    expect(body.data.rates).toMatchObject([{ id: 'rate_019b7c01-0400-7000-8000-000000000005', rate: '5.48', source: 'builtin' }]);
  });
});

describe('finding the rates in force', () => {
  it('reads one row of each pair, however many a workspace has set', async () => {
    const { pool, url } = harness.platform.database;
    const put = () => harness.test.put('/v1/rates', { rates: [{ from: 'EUR', to: 'BRL', rate: '6.4' }] });
    expect((await put()).status).toBe(200);
    const { rows } = await pool.query("SELECT workspace_id AS workspace FROM rate WHERE to_currency = 'BRL'");
    const ids = Array.from({ length: 4_000 }, () => newId(new Date('2026-01-01T00:00:00Z')));
    await pool.query(
      `INSERT INTO rate (workspace_id, id, from_currency, to_currency, rate, as_of, created_at)
       SELECT $1, id, 'EUR', CASE WHEN n % 2 = 0 THEN 'BRL' ELSE 'USD' END, '9', '2026-01-01', '2026-01-01'
       FROM unnest($2::uuid[]) WITH ORDINALITY AS made (id, n)`,
      [rows[0].workspace, ids],
    );
    await pool.query('ANALYZE rate');
    await put();
    const recorded = recordStatements(pool);
    expect(await list('?from=EUR&to=BRL')).toEqual(['EUR BRL 6.4 workspace']);
    recorded.stop();
    const [statement] = recorded.statements.filter(({ text }) => text.includes('AS f (currency)'));
    if (statement === undefined) throw new Error('the rates were not read');
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      const read = (await explain(url, statement, mode)).filter(({ table }) => table === 'rate');
      expect(read.length).toBeGreaterThan(0);
      for (const { rows: found, removed } of read) expect(found + removed, mode).toBeLessThanOrEqual(56);
    }
  });
});

describe('400', () => {
  it('for what is no currency, and for an unknown parameter', async () => {
    expectInvalid(await harness.test.get('/v1/rates?from=XXX&to=usd'), 'from', 'to');
    expectInvalid(await harness.test.get('/v1/rates?form=USD'), 'form');
  });
});

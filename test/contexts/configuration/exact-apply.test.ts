// An apply is exact: what was exported changes nothing, what was compared is what is done, and another workspace becomes the same.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Client, type Json, useHarness } from '../../harness.js';
import { perDay } from './company.js';

// One connection: an apply that asked for a second one within its transaction would wait for itself.
const harness = useHarness({ env: { DATABASE_POOL: '1' } });
const runs = process.env['SLOW'] === '1' ? 500 : 6;
const source = 'random';

const cents = fc.integer({ min: 1, max: 999_999 }).map((minor) => (minor / 100).toFixed(2));
const text = fc.stringMatching(/^[A-Z][a-z]{1,8}$/);
/** Members that a file may leave out. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const listOf = <T extends { name: string }>(thing: fc.Arbitrary<T>, most = 4) =>
  fc.uniqueArray(thing, { selector: ({ name }) => name, maxLength: most });

const account = fc.constantFrom('acme', 'shop').map((reference) => ({ account: reference }));
const target = fc.oneof(
  fc.constant({ type: 'tenant' }),
  account.map((id) => ({ type: 'account', id })),
  fc.constant({ type: 'agent', id: { agent: 'researcher' } }),
);
const rule = fc.oneof(
  cents.map((amount) => perDay(amount)),
  fc.record({ kind: fc.constant('velocity'), count: fc.integer({ min: 1, max: 50 }), seconds: fc.integer({ min: 1, max: 3_600 }) }),
  fc.constantFrom({ kind: 'new_counterparty', action: 'approve' }, { kind: 'protocols', allow: ['x402', 'ap2'] }),
  fc.constant({ kind: 'merchants', block: [{ merchant: 'Bookshop' }] }),
);
const policy = fc.record({
  name: text,
  target,
  rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 3, selector: ({ kind }) => kind }),
  approval: maybe(
    fc.record({ threshold: cents, currency: fc.constant('USD'), timeout_seconds: maybe(fc.integer({ min: 60, max: 86_400 })) }),
  ),
  enabled: maybe(fc.boolean()),
});
const child = fc.record({ name: text, share: fc.integer({ min: 1, max: 100 }), alerts_at: maybe(fc.constantFrom([0.5], [0.5, 0.9])) });
/** Budgets below one, which none of them is above. */
const budgets = fc.tuple(fc.integer({ min: 100, max: 999_999 }), listOf(child), account).map(([minor, children, id]) => [
  ...children
    .filter(({ name }) => name !== 'Whole')
    .map(({ share, ...one }) => ({
      ...one,
      scope: { type: 'account', id },
      parent_id: { budget: 'Whole' },
      amount: (Math.floor((minor * share) / 100) / 100).toFixed(2),
      currency: 'USD',
      period: 'month',
    })),
  { name: 'Whole', scope: { type: 'tenant' }, amount: (minor / 100).toFixed(2), currency: 'USD', period: 'month' },
]);
const webhook = fc.record({
  name: text,
  url: text.map((path) => `https://hooks.example.com/${path}`),
  events: fc.constantFrom(['*'], ['transfer.*', 'agent.*']),
  description: maybe(text),
});
const window = fc.record({
  name: text,
  rail: fc.constant('ach'),
  currency: fc.constant('USD'),
  frequency: fc.constant('daily'),
  schedule_utc: fc.constantFrom(['22:00'], ['08:30', '20:00']),
  max_batch_size: maybe(fc.integer({ min: 1, max: 1_000 })),
});
const config = fc.record({
  kya_limits: fc
    .uniqueArray(fc.record({ tier: fc.integer({ min: 0, max: 3 }), currency: fc.constant('USD'), per_tx: maybe(cents), per_day: cents }), {
      selector: ({ tier }) => tier,
      maxLength: 4,
    })
    .map((tiers) => ({ tiers })),
  budgets,
  policies: listOf(policy),
  settlement: fc.record({
    config: fc.record({ holdback_percentage: fc.integer({ min: 0, max: 20 }), holdback_release_days: fc.integer({ min: 1, max: 30 }) }),
    // One collects the payouts of a rail in a currency.
    windows: fc.tuple(listOf(window, 3), fc.nat(3)).map(([windows, on]) => windows.map((one, at) => ({ ...one, enabled: at === on }))),
  }),
  webhooks: listOf(webhook, 3),
});

const call = async (client: Client, method: 'put' | 'post', path: string, body: object): Promise<Json> => {
  const answer = await client[method](path, body);
  expect(answer.status, JSON.stringify([body, answer.body])).toBe(200);
  return answer.body.data;
};
const apply = (client: Client, document: unknown) => call(client, 'put', '/v1/config', { config: document, source, prune: true });
const diff = (client: Client, document: unknown) => call(client, 'post', '/v1/config/diff', { config: document, source, prune: true });
const exported = async (client: Client): Promise<Json> => (await client.get('/v1/config')).body.data.config;

async function found(client: Client): Promise<void> {
  for (const reference of ['acme', 'shop'])
    await client.make('/v1/accounts', { name: reference, type: 'business', customer_reference: reference });
  const [shop] = (await client.get('/v1/accounts')).body.data;
  await client.make('/v1/agents', { name: 'researcher', parent_account_id: shop.id });
  await client.make('/v1/merchants', { name: 'Bookshop', category: 'books', account_id: shop.id });
}

it(`holds for ${runs} configurations, each after the one before`, { timeout: 60_000 + runs * 3_000 }, async () => {
  const { test, other } = harness;
  await Promise.all([test, other].map(found));
  await fc.assert(
    fc.asyncProperty(config, async (document) => {
      const plan = await diff(test, document);
      const applied = await apply(test, document);
      expect(applied.changes).toEqual(plan.changes);
      // What the file says is what is there, and nothing else is.
      expect((await diff(test, document)).changes).toEqual([]);
      const there = await exported(test);
      for (const [kind, things] of Object.entries({ budgets: document.budgets, policies: document.policies, webhooks: document.webhooks }))
        expect(there[kind].map(({ name }: Json) => name)).toEqual(things.map(({ name }) => name).sort());
      // What was exported changes nothing here, and makes another workspace the same.
      expect((await apply(test, there)).changes).toEqual([]);
      await apply(other, there);
      expect(await exported(other)).toEqual(there);
    }),
    { numRuns: runs, endOnFailure: true },
  );
});

// GraphQL over the whole platform: the audits of GraphQL over HTTP on both listeners, streams, limits, and that both faces say
// the same of the same failure (CONTRACT.md 21).

import { parse, validate } from 'graphql';
import { serverAudits } from 'graphql-http';
import { createClient } from 'graphql-sse';
import { beforeAll, describe, expect, it } from 'vitest';
import { camelCase } from '../src/platform/snake-case.js';
import { schema } from '../src/schema.js';
import { type Answer, type Json, nowhere, openWallet, useHarness } from './harness.js';
import { document } from './openapi.js';

const h = useHarness();
const titles = serverAudits({ url: 'http://127.0.0.1' }).map(({ name }) => name);

describe.each(['live', 'test'] as const)('the audits of graphql-http, %s', (listener) => {
  it.each(titles.map((name, at) => [name, at] as const))('%s', async (_, at) => {
    const result = await serverAudits({ url: () => `${h[listener].url}/graphql` })[at]?.fn();
    expect(result).toMatchObject({ status: 'ok' });
  });
});

describe('/graphql/stream', () => {
  const client = () =>
    createClient({ url: `${h.test.url}/graphql/stream`, headers: { authorization: `Bearer ${h.test.key}` }, retryAttempts: 0 });

  it('answers a query to a graphql-sse client, and an error in the shape of GraphQL', async () => {
    const sse = client();
    const results: Json[] = [];
    for await (const result of sse.iterate({
      query: 'query ($id: WalletId!) { me { environment } wallet(id: $id) { id } }',
      variables: { id: nowhere },
    })) {
      results.push(result);
    }
    expect(results).toHaveLength(1);
    expect(results[0].errors[0].extensions).toMatchObject({ code: 'not_found', http: { status: 404 } });
    sse.dispose();
  });
});

describe('limits', () => {
  const deep = (levels: number) => {
    const steps = ['wallets(limit: 2)', 'nodes', 'account'];
    return `{ ${Array.from({ length: levels }, (_, n) => steps[n % 3]).join(' { ')} { __typename } ${'} '.repeat(levels)}`;
  };
  const aliases = (count: number) =>
    `{ ${Array.from({ length: count }, (_, n) => (n % 2 ? `a${n}: __typename` : `a${n}: me { environment }`)).join(' ')} }`;
  const refused = async (query: string) => {
    const { status, body } = await h.test.graphql(query);
    expect(status).toBe(400);
    return body.errors.map(({ message }: Json) => message).join('\n');
  };

  it('depth: at most 10', async () => {
    expect(await refused(deep(11))).toContain('11 levels deep; at most 10');
    expect((await h.test.graphql(deep(10))).body.errors).toBeUndefined();
  });
  it('aliases: at most 30', async () => {
    expect(await refused(aliases(31))).toContain('at most 30');
    expect((await h.test.graphql(aliases(30))).status).toBe(200);
  });
  it('introspection: at most 15 levels', async () => {
    const types = (levels: number) => `{ __type(name: "Wallet") { ${'ofType { '.repeat(levels - 2)} name ${'} '.repeat(levels - 1)} }`;
    expect(await refused(types(16))).toContain('16 levels deep into the schema; at most 15');
    expect((await h.test.graphql(types(15))).status).toBe(200);
  });
  it('tokens: at most 2,000', async () => {
    const open = (count: number) =>
      `mutation { createAccount(input: {type: business, name: "Long", metadata: {list: [${'1 '.repeat(count)}]}}) { id } }`;
    expect(await refused(open(2_000))).toContain('token');
    expect((await h.test.graphql(open(1_960))).status).toBe(200);
  });
  it('text: at most 64 KiB, 1,000 lines, and names of 128 characters', async () => {
    expect(await refused(`{ me { environment } }${' '.repeat(65_536)}`)).toContain('more than 65536 characters');
    expect(await refused(`${'\n'.repeat(1_000)}{ me { environment } }`)).toContain('more than 1000 lines');
    expect((await h.test.graphql(`${'\n'.repeat(999)}{ me { environment } }`)).status).toBe(200);
    expect(await refused(`query ${'a'.repeat(129)} { me { environment } }`)).toContain('more than 128 characters');
    expect((await h.test.graphql(`query ${'a'.repeat(128)} { me { environment } }`)).status).toBe(200);
  });
  it('errors: the first ten, each short', async () => {
    const { status, body } = await h.test.graphql(`query { ${Array.from({ length: 30 }, (_, n) => `nothing${n}`).join(' ')} }`);
    expect(status).toBe(400);
    expect(body.errors.length).toBeLessThanOrEqual(11);
    const two = (value: string) => `a: __type(name: "Wallet") { ${Array.from({ length: 20 }, (_, n) => `b${n}: ${value}`).join(' ')} }`;
    const conflict = await h.test.graphql(`{ ${two('name')} ${two('kind')} }`);
    expect(conflict.status).toBe(400);
    for (const { message } of conflict.body.errors) expect(message.length).toBeLessThanOrEqual(500);
  });
  it.each([
    ['a directive', 'query ($v: Boolean = true) { wallets(limit: 2) { nodes { id @skip(if: $v) } } }'],
    ['an argument', 'query ($v: String = "Wallet") { __type(name: $v) { name } }'],
  ])('null in a variable that %s needs is refused before anything runs', async (_what, query) => {
    expect((await h.test.graphql(query)).status).toBe(200);
    const { status, body } = await h.test.graphql(query, { v: null });
    expect([status, body.data, body.errors.length]).toEqual([400, undefined, 1]);
    expect(body.errors[0].extensions.details.fields).toEqual([
      { path: 'variables.v', message: 'must not be null where the document uses it', rule: 'null' },
    ]);
  });
  it('null in a variable that may be null is none', async () => {
    expect((await h.test.graphql('query ($v: Limit = 2) { wallets(limit: $v) { nodes { id } } }', { v: null })).status).toBe(200);
  });
  it('one place of the answer: at most 20 times', async () => {
    const again = (count: number) => `{ ${'__typename '.repeat(count)} }`;
    expect((await h.test.graphql(again(20))).status).toBe(200);
    expect(await refused(again(21))).toContain('selects `__typename` 21 times in one place; at most 20');
    const inside = '{ ... { me { environment } } ...me me { environment } } fragment me on Query { me { environment } }';
    expect((await h.test.graphql(inside)).status).toBe(200);
    const spread = `{ ${'... { me { environment } } '.repeat(19)} ...me ...me me { environment } } fragment me on Query { me { environment } }`;
    expect(await refused(spread)).toContain('selects `me` 21 times');
    const merged = `{ ${`me { ${'environment '.repeat(5)} } `.repeat(5)} }`;
    expect(await refused(merged)).toContain('selects `environment` 25 times');
    expect(await refused(`{ me { environment } } fragment unused on Query { ${'__typename '.repeat(21)} }`)).toContain('21 times');
  });
  it('fragments: spread in few places', async () => {
    const steps = Array.from(
      { length: 14 },
      (_, n) => `fragment f${n} on Wallet { a: account { ...f${n + 1} } b: account { ...f${n + 1} } }`,
    );
    expect(await refused(`{ wallet { ...f0 } } ${steps.join(' ')}`)).toContain('in too many places');
    expect(await refused('{ me { ...f } } fragment f on Me { ...g } fragment g on Me { ...f }')).toContain('Cannot spread fragment');
    expect(await refused('{ wallet { ...f } } fragment f on Wallet { account { ...f } }')).toMatch(/in too many places|nested too deeply/);
  });
  it('no list of operations', async () => {
    const answer = await h.test.call('POST', '/graphql', { raw: JSON.stringify([{ query: '{ __typename }' }]) });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'validation_failed' } }] } });
  });
});

describe('one failure, two faces', () => {
  let wallet: Json;
  let poor: Json;
  beforeAll(async () => {
    ({ wallet } = await openWallet(h.test, { funded: '5.00' }));
    ({ wallet: poor } = await openWallet(h.test, { currency: 'EUR' }));
  });

  const agentToken = async () => {
    const account = await h.test.make('/v1/accounts', { type: 'business', name: 'Owner' });
    const { body } = await h.test.post('/v1/agents', { parent_account_id: account.id, name: 'Agent' });
    return body.credentials.token as string;
  };
  const payment = (more: object = {}) => ({
    type: 'internal',
    from_wallet_id: wallet.id,
    to_wallet_id: poor.id,
    amount: '1.00',
    currency: 'USD',
    ...more,
  });
  const camel = (input: object) => Object.fromEntries(Object.entries(input).map(([name, value]) => [camelCase(name), value]));
  const pay = 'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { id } } }';
  const read = 'query ($id: WalletId!) { wallet(id: $id) { id } }';
  const paid = (more: object): [() => Promise<Answer>, () => Promise<Answer>] => {
    const headers = { 'Idempotency-Key': 'the-same' };
    const own = 'key' in more ? { headers } : {};
    const { key: _, ...rest } = more as Json;
    return [() => h.test.post('/v1/transfers', payment(rest), own), () => h.test.graphql(pay, { input: camel(payment(rest)) }, own)];
  };

  const cases: Record<string, () => Promise<[() => Promise<Answer>, () => Promise<Answer>]>> = {
    'missing_credential 401': async () => [
      () => h.test.get(`/v1/wallets/${nowhere}`, { as: null }),
      () => h.test.graphql(read, { id: nowhere }, { as: null }),
    ],
    'malformed_credential 401': async () => [
      () => h.test.get('/v1/me', { as: '?' }),
      () => h.test.graphql('{ me { environment } }', {}, { as: '?' }),
    ],
    'invalid_api_key 401': async () => [
      () => h.test.get('/v1/me', { as: 'pk_test_none' }),
      () => h.test.graphql('{ me { environment } }', {}, { as: 'pk_test_none' }),
    ],
    'environment_mismatch 401': async () => [
      () => h.live.get('/v1/me', { as: h.test.key }),
      () => h.live.graphql('{ me { environment } }', {}, { as: h.test.key }),
    ],
    'api_key_required 403': async () => {
      const as = await agentToken();
      const create = 'mutation { createApiKey(input: {name: "x"}) { id } }';
      return [() => h.test.post('/v1/api-keys', { name: 'x' }, { as }), () => h.test.graphql(create, {}, { as })];
    },
    'test_mode_only 403': async () => [
      () => h.live.post(`/v1/wallets/${nowhere}/fund`, { amount: '1.00' }),
      () => h.live.graphql('mutation ($id: WalletId!) { fundWallet(id: $id, input: {amount: "1.00"}) { id } }', { id: nowhere }),
    ],
    'not_found 404': async () => [() => h.test.get(`/v1/wallets/${nowhere}`), () => h.test.graphql(read, { id: nowhere })],
    "not_found 404, another tenant's": async () => [
      () => h.other.get(`/v1/wallets/${wallet.id}`),
      () => h.other.graphql(read, { id: wallet.id }),
    ],
    'validation_failed 400': async () => paid({ amount: '-1' }),
    'validation_failed 400, of a rule': async () => paid({ amount: '0.001' }),
    'insufficient_balance 422': async () => {
      const { wallet: to } = await openWallet(h.test);
      return paid({ amount: '500.00', to_wallet_id: to.id });
    },
    'same_wallet 422': async () => paid({ to_wallet_id: wallet.id }),
    'currency_mismatch 422': async () => paid({}),
    'state_conflict 409': async () => [
      () => h.test.post(`/v1/wallets/${wallet.id}/unfreeze`, {}),
      () => h.test.graphql('mutation ($id: WalletId!) { unfreezeWallet(id: $id, input: {}) { id } }', { id: wallet.id }),
    ],
    'idempotency_key_reused 422': async () => {
      const { wallet: to } = await openWallet(h.test);
      for (const send of paid({ key: true, to_wallet_id: to.id, amount: '0.01' })) expect((await send()).status).toBeLessThan(300);
      return paid({ key: true, to_wallet_id: to.id, amount: '0.02' });
    },
  };

  it.each(Object.entries(cases))('%s', async (name, prepare) => {
    const [code, status] = name.split(/[ ,]/);
    const [rest, graphql] = await prepare();
    const [plain, twin] = [await rest(), await graphql()];
    expect({ status: plain.status, code: plain.body.code }).toEqual({ status: Number(status), code });
    const { extensions, message } = twin.body.errors[0];
    expect({ status: extensions.http.status, code: extensions.code }).toEqual({ status: Number(status), code });
    // What GraphQL itself refuses is said in its own words.
    if (code !== 'validation_failed') expect(message).toBe(plain.body.error);
    expect(twin.status).toBe(Number(status));
  });
});

describe('GraphiQL', () => {
  const open = async (path: string): Promise<Json> => {
    const response = await fetch(h.test.url + path, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    const options = /<script type="application\/json" id="options">(.*?)<\/script>/s.exec(await response.text())?.[1];
    return JSON.parse(options ?? '');
  };

  it('opens with examples that run, the first one in front', async () => {
    const { defaultQuery, defaultTabs, examples } = await open('/graphql');
    expect([defaultTabs[0].query, examples[0].document]).toEqual([defaultQuery, defaultQuery]);
    expect(examples).toHaveLength(16);
    for (const { document: query } of examples as Json[]) {
      if (/^subscription/m.test(query)) {
        expect(validate(schema, parse(query))).toEqual([]);
        continue;
      }
      const { status, body } = await h.test.graphql(query);
      expect([status, body.errors], query).toEqual([200, undefined]);
    }
  });

  it('opens with the document that a Link header names', async () => {
    const link = (await h.test.get('/v1/wallets')).headers.get('link') ?? '';
    const target = /^<(\/graphql\?op=listWallets)>; rel="alternate"$/.exec(link)?.[1] ?? '';
    const { query } = await open(target);
    expect(query).toBe(document.paths['/v1/wallets'].get['x-graphql']);
    expect((await h.test.graphql(query)).body.data.body.data).toBeInstanceOf(Array);
  });

  it('knows every operation by its name, and nothing of others', async () => {
    for (const item of Object.values<Json>(document.paths)) {
      for (const operation of Object.values<Json>(item))
        expect((await open(`/graphql?op=${operation.operationId}`)).query).toBe(operation['x-graphql']);
    }
    expect(await open('/graphql?op=noSuchOperation')).not.toHaveProperty('query');
  });
});

describe('budgets', () => {
  const limited = useHarness({ limits: { auth: 5, sandbox: 20, general: 20 } });
  const left = (answer: Answer) => ['limit', 'remaining'].map((name) => Number(answer.headers.get(`x-ratelimit-${name}`)));
  const challenge = (count: number) =>
    `mutation { ${Array.from({ length: count }, (_, n) => `a${n}: createChallenge(id: "${nowhere}") { challenge }`).join(' ')} }`;

  it('a field of the auth class draws on the auth budget, once for each time it is selected', async () => {
    expect(left(await limited.test.graphql(challenge(1), {}, { as: null }))).toEqual([5, 4]);
    expect(left(await limited.test.graphql(challenge(3), {}, { as: null }))).toEqual([5, 1]);
    expect((await limited.test.post(`/v1/agents/${nowhere}/challenge`, undefined, { as: null })).status).toBe(200);
    const refused = await limited.test.graphql(challenge(1), {}, { as: null });
    expect(refused.status).toBe(429);
    expect(left(refused)).toEqual([5, 0]);
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'rate_limit_exceeded', http: { status: 429 } });
  });

  it('every root field is a point of the general budget', async () => {
    const [limit, before = 0] = left(await limited.test.graphql('{ me { environment } }'));
    expect(limit).toBe(20);
    expect(left(await limited.test.graphql('{ a: me { environment } b: me { environment } kyaLimits { tiers { tier } } }'))).toEqual([
      20,
      before - 3,
    ]);
  });
});

// The life of a portal token, and what its scopes open (SPEC.md "Portal tokens", CONTRACT.md 18).
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { expectRefused, signIn } from './sign-in.js';

const harness = useHarness();
const all = ['usage:read', 'transfers:read', 'agents:read'];
const issue = (body: object = {}): Promise<Json> =>
  harness.test.make('/v1/portal-tokens', { customer_reference: 'cust-1', scopes: all, ...body });
const account = (customer_reference?: string): Promise<Json> =>
  harness.test.make('/v1/accounts', { type: 'business', name: 'Ada', ...(customer_reference && { customer_reference }) });
const funded = async (owner: Json): Promise<Json> => {
  const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: owner.id, currency: 'USD' });
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
  return wallet;
};
const pay = async (from: Json, to: Json): Promise<string> =>
  (
    await harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      amount: '1.00',
      currency: 'USD',
    })
  ).id;

let mine: Json;
let other: Json;
beforeAll(async () => {
  [mine, other] = [await account('cust-1'), await account('cust-2')];
});

describe('POST /v1/portal-tokens', () => {
  it('201 with a warning for a customer reference that no account has, until one has', async () => {
    const made = await issue({ customer_reference: 'nobody-yet' });
    expect(made.warnings).toEqual([{ code: 'unknown_customer_reference', message: expect.stringContaining('PATCH /v1/accounts/{id}') }]);
    const late = await account();
    await harness.test.patch(`/v1/accounts/${late.id}`, { customer_reference: 'nobody-yet' });
    expect((await harness.test.get(`/v1/portal-tokens/${made.id}`)).body.data).not.toHaveProperty('warnings');
  });

  it('201: tells the token once, and it lives for expires_in', async () => {
    const made = await issue({ scopes: ['agents:read', 'agents:read'], expires_in: 60 });
    expect(made).toEqual({
      id: expect.stringMatching(/^ptk_/),
      token: expect.stringMatching(/^portal_[\w-]{43}$/),
      prefix: made.token.slice(0, 14),
      customer_reference: 'cust-1',
      scopes: ['agents:read'],
      status: 'active',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(60_000);
    expect(Date.parse((await issue()).expires_at) - Date.parse((await issue()).created_at)).toBe(3_600_000);
    const { token: _, ...kept } = made;
    expect((await harness.test.get(`/v1/portal-tokens/${made.id}`)).body.data).toEqual(kept);
    const { data } = (await harness.test.get('/v1/portal-tokens?customer_reference=cust-1&limit=3')).body;
    expect(data).toHaveLength(3);
    expect(data).toContainEqual(kept);
    expect((await harness.test.get('/v1/agents', { as: made.token })).status).toBe(200);
    harness.clock.advance(60);
    expectRefused(await harness.test.get('/v1/agents', { as: made.token }), 'portal_token_expired');
    expect((await harness.test.get(`/v1/portal-tokens/${made.id}`)).body.data.status).toBe('expired');
  });

  it('201: replays without the token', async () => {
    const again = { headers: { 'Idempotency-Key': 'portal 1' } };
    const body = { customer_reference: 'cust-1', scopes: ['usage:read'] };
    const first = (await harness.test.post('/v1/portal-tokens', body, again)).body.data;
    const second = await harness.test.post('/v1/portal-tokens', body, again);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body.data).toMatchObject({ id: first.id });
    expect(second.body.data.token).toBeUndefined();
  });

  it('400: an unknown scope, no scope, a life that is too short or too long, no reference', async () => {
    const of = async (body: object): Promise<Json> => {
      const answer = await harness.test.post('/v1/portal-tokens', { customer_reference: 'cust-1', scopes: all, ...body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      return answer.body.details.fields[0].path;
    };
    expect(await of({ scopes: ['invoices:read'] })).toMatch(/^scopes/);
    expect(await of({ scopes: [] })).toBe('scopes');
    for (const expires_in of [59, 86_401]) expect(await of({ expires_in })).toBe('expires_in');
    expect(await of({ customer_reference: ' ' })).toBe('customer_reference');
  });

  it('403: for a JWT, an agent and a portal token; 404: another tenant’s', async () => {
    const agent = await enrol(harness.test);
    const { id, token } = await issue();
    for (const [as, code] of [
      [await signIn(harness.test), 'api_key_required'],
      [agent.token, 'api_key_required'],
      [token, 'insufficient_scope'],
    ] as const) {
      const answer = await harness.test.post('/v1/portal-tokens', { customer_reference: 'cust-1', scopes: all }, { as });
      expect(answer).toMatchObject({ status: 403, body: { code } });
    }
    for (const path of [id, `ptk_${nowhere}`]) {
      const client = path === id ? harness.other : harness.test;
      expect((await client.get(`/v1/portal-tokens/${path}`)).status).toBe(404);
      expect((await client.delete(`/v1/portal-tokens/${path}`)).status).toBe(404);
    }
    expectRefused(await harness.live.get('/v1/agents', { as: token }), 'environment_mismatch');
  });
});

describe('DELETE /v1/portal-tokens/{id}', () => {
  it('200: ends the token at once, also a warm one and in another process', async () => {
    const { id, token } = await issue();
    expect((await harness.test.get('/v1/agents', { as: token })).status).toBe(200);
    expect((await harness.test.delete(`/v1/portal-tokens/${id}`)).body.data).toEqual({ id, deleted: true });
    expectRefused(await harness.test.get('/v1/agents', { as: token }), 'portal_token_expired');
    expect((await harness.test.delete(`/v1/portal-tokens/${id}`)).status).toBe(200);

    const second = await issue();
    expect((await harness.test.get('/v1/agents', { as: second.token })).status).toBe(200);
    // As another process does it: the row changes, and nothing is told to this one but by the database.
    await harness.platform.database.unscoped.portalToken.updateMany({
      where: { id: second.id.slice('ptk_'.length) },
      data: { revokedAt: harness.clock.now() },
    });
    await expect.poll(async () => (await harness.test.get('/v1/agents', { as: second.token })).status, { interval: 5 }).toBe(401);
  });
});

describe('what a portal token reads', () => {
  it('is the agents and transfers of its customer, of accounts opened later too', async () => {
    const { token } = await issue();
    const [own, foreign] = [
      await enrol(harness.test, { parent_account_id: mine.id }),
      await enrol(harness.test, { parent_account_id: other.id }),
    ];
    const [from, theirs] = [await funded(mine), await funded(other)];
    const paid = await pay(from, theirs);
    const got = await pay(theirs, from);
    const get = async (path: string) => (await harness.test.get(path, { as: token })).body;
    const ids = async (path: string): Promise<string[]> => (await get(path)).data.map(({ id }: Json) => id);

    expect(await ids('/v1/agents')).toEqual([own.id]);
    expect(await get(`/v1/agents/${own.id}`)).toMatchObject({ data: { id: own.id } });
    const transfers = await ids('/v1/transfers');
    expect(transfers).toHaveLength(2);
    expect(transfers[0]).toBe(paid);
    expect(await ids(`/v1/transfers?wallet_id=${theirs.id}`)).toEqual([paid]);
    expect((await get('/v1/transfers?limit=1')).pagination).toMatchObject({ total: 2 });
    const entries = (await get(`/v1/transfers/${paid}/entries`)).data;
    expect(entries).toMatchObject([{ wallet_id: from.id, direction: 'debit' }]);
    for (const path of [`/v1/agents/${foreign.id}`, `/v1/transfers/${got}`, `/v1/transfers/${got}/entries`]) {
      expect((await harness.test.get(path, { as: token })).status).toBe(404);
    }
    const query = `{ agents { nodes { parentAccount { name } wallets { nodes { id } } } } transfers { nodes { id } } }`;
    const { data } = (await harness.test.graphql(query, {}, { as: token })).body;
    expect(data.agents.nodes).toEqual([{ parentAccount: null, wallets: { nodes: [] } }]);

    const late = await enrol(harness.test, { parent_account_id: (await account('cust-1')).id });
    await expect.poll(() => ids('/v1/agents'), { interval: 5 }).toEqual([late.id, own.id]);
    const spaced = await issue({ customer_reference: 'cust-1 ' });
    expect([spaced.customer_reference, (await harness.test.get('/v1/agents', { as: spaced.token })).body.data]).toEqual(['cust-1 ', []]);
  });

  it('is the usage of its customer: in reports, in lists and by trace', async () => {
    const bo = await account('cust-usage');
    const [from, theirs] = [await funded(bo), await funded(other)];
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: theirs.id, amount: '3.00', currency: 'USD' };
    await harness.test.make('/v1/transfers', body, { headers: { traceparent } });
    await pay(theirs, from);
    await harness.runDue();
    const { token } = await issue({ customer_reference: 'cust-usage', scopes: ['usage:read'] });
    const get = async (path: string) => (await harness.test.get(path, { as: token })).body;
    const { data, pagination } = await get('/v1/usage/operations');
    expect(data).toMatchObject([
      { account_id: bo.id, amount: '3.00' },
      { counterparty_id: bo.id, operation: 'transfer.funding' },
    ]);
    expect(pagination.total).toBe(2);
    expect((await get('/v1/usage/summary')).total_operations).toBe(2);
    expect((await harness.test.get('/v1/usage/summary')).body.total_operations).toBeGreaterThan(2);
    expect((await get(`/v1/usage/traces/${traceparent.slice(3, 35)}`)).data.operations).toHaveLength(1);
    for (const path of ['/v1/analytics/protocol-stats', '/v1/transfers']) {
      expect((await harness.test.get(path, { as: token })).body).toMatchObject({ code: 'insufficient_scope' });
    }
  });

  it('403: beyond its scopes, and everything that scopes do not name, also beside what they do', async () => {
    const { token } = await issue({ scopes: ['transfers:read'] });
    const closed = ['/v1/agents', '/v1/accounts', '/v1/wallets', '/v1/events', '/v1/decisions', '/v1/me', '/v1/webhooks', '/v1/policies'];
    for (const path of closed) {
      const answer = await harness.test.get(path, { as: token });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'insufficient_scope']);
    }
    const wallet = await funded(mine);
    const payment = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: wallet.id, amount: '1.00', currency: 'USD' };
    expect((await harness.test.post('/v1/transfers', payment, { as: token })).status).toBe(403);
    for (const document of [
      '{ transfers { nodes { id } } agents { nodes { id } } }',
      '{ transfers { nodes { id } } ...Mine } fragment Mine on Query { me { serverTime } }',
      'subscription { workspaceEvents { id } }',
      'subscription { operationRecorded { id } }',
    ]) {
      const answer = await harness.test.graphql(document, {}, { as: token });
      expect(answer).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'insufficient_scope' } }] } });
    }
    expect((await harness.test.get('/v1/transfers', { as: token })).status).toBe(200);
  });
});

// What the audit log says of changes by anybody (CONTRACT.md 18).
import { beforeAll, describe, expect, it } from 'vitest';
import { newShop } from '../../factories/checkout.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol, signIn as signAgentIn } from '../agents/identity.js';
import { signIn } from '../identity/sign-in.js';

const harness = useHarness();
const log = async (query: string, client = harness.test): Promise<Json[]> => (await client.get(`/v1/audit-log?${query}`)).body.data;
const actions = (entries: Json[]): string[] => entries.map(({ action }) => action);

let from: Json;
let to: Json;
let account: Json;
beforeAll(async () => {
  ({ account, wallet: from } = await openWallet(harness.test, { funded: '100.00' }));
  ({ wallet: to } = await openWallet(harness.test));
});
const payment = (more: object = {}) => ({
  type: 'internal',
  from_wallet_id: from.id,
  to_wallet_id: to.id,
  amount: '1.00',
  currency: 'USD',
  ...more,
});

describe('GET /v1/audit-log', () => {
  it('200: says who did what to what, when, from where, and what was asked for', async () => {
    const answer = await harness.test.post(`/v1/wallets/${to.id}/freeze`, { reason: 'audit' }, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(answer.status).toBe(200);
    const [entry] = await log(`resource_id=${to.id}`);
    expect(entry).toMatchObject({
      id: expect.stringMatching(/^aud_/),
      at: harness.clock.now().toISOString(),
      actor: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      action: 'freezeWallet',
      resource_type: 'wallet',
      resource_id: to.id,
      request_id: answer.headers.get('x-request-id'),
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      changes: { reason: 'audit' },
    });
    expect((await harness.test.get(`/v1/audit-log/${entry.id}`)).body.data).toEqual(entry);
    await harness.test.post(`/v1/wallets/${to.id}/unfreeze`, {});
  });

  it('200: a posting, of the group path and of a transaction, by key, JWT, agent and GraphQL, once each', async () => {
    const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
    await harness.test.make(`/v1/wallets/${agent.agent.default_wallet_id}/fund`, { amount: '10.00' });
    const jwt = await signIn(harness.test);
    const paid = await harness.test.make(
      '/v1/transfers',
      payment({ metadata: { note: 'x', api_token: 'abc' }, description: 'pk_test_abcdefgh' }),
    );
    const byJwt = await harness.test.make('/v1/transfers', payment(), { as: jwt });
    const byAgent = await harness.test.make('/v1/transfers', payment({ from_wallet_id: agent.agent.default_wallet_id }), {
      as: agent.token,
    });
    const mutation = `mutation { createTransfer(input: {type: internal, fromWalletId: "${from.id}", toWalletId: "${to.id}", amount: "1.00", currency: "USD"}) { transfer { id } } }`;
    const byGraphql = (await harness.test.graphql(mutation)).body.data.createTransfer.transfer;
    const held = await harness.test.make('/v1/transfers', payment({ capture: 'manual' }));
    await harness.test.make(`/v1/transfers/${held.id}/capture`, {});
    const of = (id: string) => log(`resource_id=${id}&resource_type=transfer`);
    const [entry, ...others] = await of(paid.id);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      action: 'createTransfer',
      changes: { type: 'internal', from_wallet_id: from.id, metadata: { note: 'x', api_token: '[hidden]' }, description: '[hidden]' },
    });
    expect(await of(byJwt.id)).toMatchObject([{ actor: { type: 'user', id: entry.actor.id } }]);
    expect(await of(byAgent.id)).toMatchObject([{ actor: { type: 'agent', id: agent.id } }]);
    expect(await of(byGraphql.id)).toMatchObject([{ action: 'createTransfer', actor: { type: 'api_key' } }]);
    expect(actions(await of(held.id))).toEqual(['captureTransfer', 'createTransfer']);
    expect(await log(`actor=${agent.id}&action=createTransfer`)).toHaveLength(1);
    expect(await log(`actor=agent&limit=1`)).toHaveLength(1);
  });

  it('200: names a thing by one type, whatever was done to it', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin();
    await harness.test.make(`/v1/acp/checkouts/${checkout.id}/cancel`, {});
    const entries = await log(`resource_id=${checkout.id}`);
    expect(actions(entries)).toEqual(['cancelAcpCheckout', 'createAcpCheckout']);
    for (const entry of entries) expect(entry).toMatchObject({ resource_type: 'acp_checkout', resource_id: checkout.id });
  });

  it('200: nothing for what was refused, for a dry run, or for a replay', async () => {
    const before = (await harness.test.get('/v1/audit-log')).body.pagination.total;
    await harness.test.post('/v1/transfers', payment({ amount: '100000.00' }));
    await harness.test.post('/v1/transfers', payment({ amount: 'x' }));
    await harness.test.post('/v1/transfers?dry_run=true', payment());
    await harness.test.post(`/v1/wallets/${nowhere}/freeze`, {});
    const headers = { 'Idempotency-Key': 'once' };
    const paid = [
      await harness.test.post('/v1/transfers', payment(), { headers }),
      await harness.test.post('/v1/transfers', payment(), { headers }),
    ];
    const made = [
      await harness.test.post('/v1/accounts', { type: 'person', name: 'A' }, { headers }),
      await harness.test.post('/v1/accounts', { type: 'person', name: 'A' }, { headers }),
    ];
    expect([...paid, ...made].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true', null, 'true']);
    expect((await harness.test.get('/v1/audit-log')).body.pagination.total).toBe(before + 2);
  });

  it('200: what becomes due, as the system’s', async () => {
    const held = await harness.test.make('/v1/transfers', payment({ capture: 'manual', hold_expires_in: 60 }));
    await harness.advance(61);
    const [due] = await log(`resource_id=${held.id}`);
    expect(due).toMatchObject({ action: 'due.transfer', actor: { type: 'system' }, resource_type: 'transfer' });
    expect(due.actor.id ?? due.request_id ?? due.ip ?? due.changes).toBeUndefined();
    expect(actions(await log('actor=system&action=due.transfer&limit=1'))).toEqual(['due.transfer']);
    expect(await log('action=unnamed')).toEqual([]);
  });

  it('200: no secret, of what is asked for or made', async () => {
    const agent = await enrol(harness.test);
    const session = await signAgentIn(harness.test, agent);
    const bank = {
      account_id: account.id,
      rail: 'ach',
      holder_name: 'Ada',
      details: { routing_number: '021000021', account_number: '123456789' },
    };
    await harness.test.post('/v1/bank-accounts', bank);
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c', scopes: ['agents:read'] });
    const key = await harness.test.make('/v1/api-keys', { name: 'pk_live_ABCDEFGH12345678' });
    const text = JSON.stringify(await log('limit=200'));
    for (const secret of [agent.token, agent.privateKey, session, portal.token, key.key, '123456789', 'pk_live_ABC']) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text).not.toContain(secret);
    }
    expect(await log(`actor=${agent.id}`)).toMatchObject([{ action: 'authenticateAgent', resource_type: 'agent', resource_id: agent.id }]);
  });

  it('200: pages by number and by cursor, since and until', async () => {
    const first = (await harness.test.get('/v1/audit-log?limit=2&action=createAccount')).body;
    expect(first.pagination).toMatchObject({ page: 1, limit: 2, has_more: true });
    const second = (await harness.test.get(`/v1/audit-log?limit=2&action=createAccount&starting_after=${first.pagination.next_cursor}`))
      .body;
    expect(second.data[0].position).toBeLessThan(first.data[1].position);
    const at = encodeURIComponent(harness.clock.now().toISOString());
    expect(await log(`until=${encodeURIComponent('2026-03-02T09:59:00Z')}`)).toEqual([]);
    expect((await log(`since=${at}&limit=1`)).length).toBe(1);
  });

  it('400: an actor that is none, and a stretch of time that is turned round; 401; 403: an agent; 404: another tenant’s', async () => {
    expect((await harness.test.get('/v1/audit-log?actor=nobody%20here')).body.details.fields[0].path).toBe('actor');
    const turned = await harness.test.get('/v1/audit-log?since=2026-03-02&until=2026-03-01');
    expect([turned.status, turned.body.details?.fields[0].path]).toEqual([400, 'until']);
    expect((await harness.test.get('/v1/audit-log', { as: null })).status).toBe(401);
    const agent = await enrol(harness.test);
    const [entry] = await log('limit=1');
    for (const path of ['/v1/audit-log', `/v1/audit-log/${entry.id}`, '/v1/audit-log/verify']) {
      expect((await harness.test.get(path, { as: agent.token })).status).toBe(403);
    }
    for (const id of [entry.id, `aud_${nowhere}`]) expect((await harness.other.get(`/v1/audit-log/${id}`)).status).toBe(404);
    expect(await log('', harness.other)).toEqual([]);
    expect((await harness.test.get('/v1/audit-log/nonsense')).status).toBe(404);
  });
});

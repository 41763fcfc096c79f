// POST /v1/auth/logout: a JWT session ends before its hour, in every process, and moves no money from then on.
import { describe, expect, it } from 'vitest';
import { sweepEndedJwts } from '../../../src/contexts/identity/directory.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused, issueKey, signIn } from './sign-in.js';

const harness = useHarness();
const logout = (token: string | null, client = harness.test) => client.post('/v1/auth/logout', undefined, { as: token });

describe('200', () => {
  it('ends this session at once and no other of its key', async () => {
    const [token, other] = [await signIn(harness.test), await signIn(harness.test)];
    expect((await harness.test.get('/v1/me', { as: token })).status).toBe(200);
    const answer = await logout(token);
    expect(answer).toMatchObject({ status: 200, body: { data: { ended_at: harness.clock.now().toISOString() } } });
    expectRefused(await harness.test.get('/v1/me', { as: token }), 'invalid_jwt');
    expectRefused(await logout(token), 'invalid_jwt');
    for (const as of [other, harness.test.key]) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
  });

  it('is forgotten by no process: one that has kept nothing asks the database', async () => {
    const token = await signIn(harness.test);
    await logout(token);
    harness.platform.cache.clear();
    expectRefused(await harness.test.get('/v1/me', { as: token }), 'invalid_jwt');
  });

  it('over GraphQL too, with an Idempotency-Key', async () => {
    const token = await signIn(harness.live);
    const { body } = await harness.live.graphql(
      'mutation { endAuthSession { endedAt } }',
      {},
      { as: token, headers: { 'Idempotency-Key': 'bye' } },
    );
    expect(body.data.endAuthSession.endedAt).toBe(harness.clock.now().toISOString());
    expectRefused(await harness.live.get('/v1/me', { as: token }), 'invalid_jwt');
  });

  it('what the session was kept by in another process moves no money', async () => {
    const { wallet: from } = await openWallet(harness.test, { funded: '10.00' });
    const { wallet: to } = await openWallet(harness.test);
    const token = await signIn(harness.test);
    const body = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: '1.00', currency: 'USD' };
    expect((await harness.test.post('/v1/transfers', body, { as: token })).status).toBe(201);
    // As in a process that has not heard yet: the row is there, and what is kept of the session still stands.
    const id = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;
    const { workspaceId } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: from.id } });
    await harness.platform.database.pool.query('ALTER TABLE ended_jwt DISABLE TRIGGER notify_cache');
    await harness.platform.database.unscoped.endedJwt.create({ data: { workspaceId, id, expiresAt: new Date('2099-01-01') } });
    await harness.platform.database.pool.query('ALTER TABLE ended_jwt ENABLE TRIGGER notify_cache');
    expect((await harness.test.get('/v1/me', { as: token })).status).toBe(200);
    expectRefused(await harness.test.post('/v1/transfers', body, { as: token }), 'invalid_jwt');
    expect((await harness.test.get(`/v1/wallets/${from.id}`)).body.data.balance.available).toBe('9.00');
  });

  it('is told to the other processes', async () => {
    const token = await signIn(harness.test);
    await harness.test.get('/v1/me', { as: token });
    const told: string[] = [];
    harness.platform.cache.onDrop((tag) => told.push(tag));
    const id = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;
    await logout(token);
    // Once by this process itself, and once by the notification of the database.
    await expect.poll(() => told.filter((tag) => tag === `jwt:${id}`).length).toBe(2);
  });

  it('is kept until no token of it can be left, nor one that a renewal at the same time has given', async () => {
    const token = await signIn(harness.test);
    await logout(token);
    const rows = () => harness.platform.database.unscoped.endedJwt.count({ where: { expiresAt: { lt: new Date('2098-01-01') } } });
    const before = await rows();
    harness.clock.advance(13 * 3_600 - 1);
    await sweepEndedJwts(harness.platform);
    expect(await rows()).toBe(before);
    harness.clock.advance(1);
    expectRefused(await harness.test.get('/v1/me', { as: token }), 'invalid_jwt');
    expect(await sweepEndedJwts(harness.platform)).toBe(before);
    expect(await rows()).toBe(0);
  });
});

describe('401 and 403', () => {
  it('without a credential, and with one that is no session', async () => {
    expectRefused(await logout(null), 'missing_credential');
    const { key } = await issueKey(harness.test);
    expect((await logout(key)).body.code).toBe('session_required');
    expect((await harness.test.get('/v1/me', { as: key })).status).toBe(200);
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c-1', scopes: ['usage:read'] });
    expect(await logout(portal.token)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('a session of the other environment', async () => {
    expectRefused(await logout(await signIn(harness.test), harness.live), 'environment_mismatch');
  });
});

describe('429', () => {
  const limited = useHarness({ limits: { auth: 2 } });

  it('has the budget of the auth class', async () => {
    const token = await signIn(limited.test);
    const answer = await logout(token, limited.test);
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '2']);
    expect((await logout(token, limited.test)).status).toBe(429);
  });
});

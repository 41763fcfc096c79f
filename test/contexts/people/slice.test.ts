// The whole way of a person: join by a link, sign in, ask and pay by the cookie, sign out, and be refused.
import { expect, it } from 'vitest';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { Browser, firstOwnerLink, join, password, tokenOf } from './browser.js';

const harness = useHarness();

it('joins, signs in, pays and signs out', async () => {
  const link = await firstOwnerLink(harness);
  expect(link).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):\d+\/console\/join#join_[A-Za-z0-9_-]{65}$/);
  const browser = new Browser(harness.test);
  const joined = await browser.post('/v1/login/join', { token: tokenOf(link), name: 'Ada', email: 'Ada@Example.com', password });
  expect(joined.status).toBe(201);
  expect(joined.body.data).toEqual({
    member: {
      id: expect.stringMatching(/^mem_/),
      name: 'Ada',
      email: 'Ada@Example.com',
      role: 'owner',
      authority: { max_amount: null, currency: 'USD' },
      status: 'active',
      methods: ['password'],
      last_seen_at: harness.clock.now().toISOString(),
      created_at: harness.clock.now().toISOString(),
    },
    tenant_id: harness.tenantId,
    environment: 'test',
    csrf_token: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    expires_at: new Date(harness.clock.now().getTime() + 43_200_000).toISOString(),
    tenants: [{ id: harness.tenantId, name: 'Tenant' }],
  });
  expect(joined.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^ap_test=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/),
  ]);

  const again = new Browser(harness.test);
  expect((await again.signIn('aDA@example.COM')).status).toBe(200);
  const me = await again.ask('{ me { actor { type id } scopes member { name role } session { csrfToken current } } }');
  expect(me.me).toMatchObject({
    actor: { type: 'user', id: joined.body.data.member.id },
    scopes: expect.arrayContaining(['*']),
    member: { name: 'Ada', role: 'owner' },
    session: { csrfToken: again.csrf, current: true },
  });

  const { wallet } = await openWallet(harness.test, { funded: '10.00' });
  const { wallet: other } = await openWallet(harness.test);
  const pay =
    'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { id status initiatedBy { type id } } } }';
  const input = { type: 'internal', fromWalletId: wallet.id, toWalletId: other.id, amount: '4.00', currency: 'USD' };
  const paid = await again.ask(pay, { input });
  expect(paid.createTransfer.transfer).toMatchObject({
    status: 'completed',
    initiatedBy: { type: 'user', id: joined.body.data.member.id },
  });

  expect((await again.delete('/v1/sessions/current')).status).toBe(200);
  expect(again.jar.size).toBe(0);
  expectRefused(await again.get('/v1/me'), 401, 'missing_credential');
  await browser.ask('{ me { serverTime } }');
});

it('is another person in another tenant', async () => {
  const person = await join(harness, 'viewer');
  expect((await person.browser.get('/v1/me')).body.data.member.id).toBe(person.id);
});

it('makes keys with no more than the role opens now', async () => {
  const { browser } = await join(harness, 'developer');
  const make = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key scopes createdBy } }';
  const { createApiKey } = await browser.ask(make, { input: { name: 'Reports', scopes: ['transfers:read'] } });
  expect(createApiKey).toMatchObject({ scopes: ['transfers:read'], createdBy: expect.stringMatching(/^mem_/) });
  expect((await harness.test.get('/v1/transfers', { as: createApiKey.key })).status).toBe(200);
  const { body } = await browser.graphql(make, { input: { name: 'All', scopes: ['*'] } });
  expect(body.errors[0].extensions).toMatchObject({ code: 'insufficient_scope', details: { required_scope: '*' } });
});

// POST /v1/sessions/switch, and what a new password does to the other sessions of a person.
import { describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { Browser, inviteByPlatform, join, password, tokenOf } from './browser.js';

const harness = useHarness();

/** Somebody who belongs to two tenants with one password, and the second of them. */
async function inTwo(secret = password) {
  const ada = await join(harness, 'owner');
  const { tenantId } = await createTenant(harness.platform, { name: 'Second' });
  const token = tokenOf(await inviteByPlatform(harness, ada.email, 'owner', tenantId));
  const joined = await new Browser(harness.test).post('/v1/login/join', { token, name: 'Ada', password: secret });
  expect(joined.status).toBe(201);
  const browser = new Browser(harness.test);
  const { body } = await browser.post('/v1/login/sign-in', { email: ada.email, password, tenant: harness.tenantId });
  return { ...ada, browser, second: tenantId, tenants: body.data.tenants.map(({ id }: { id: string }) => id) };
}

describe('POST /v1/sessions/switch', () => {
  it('200: goes on in the other tenant under a new cookie, and the session that asked ends', async () => {
    const { browser, second, tenants } = await inTwo();
    expect(tenants.sort()).toEqual([harness.tenantId, second].sort());
    const [cookie, csrf] = [browser.cookie, browser.csrf];
    const { status, body } = await browser.post('/v1/sessions/switch', { tenant_id: second });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ tenant_id: second, environment: 'test', member: { role: 'owner' } });
    expect(browser.cookie).not.toBe(cookie);
    expect(browser.csrf).not.toBe(csrf);
    expect((await browser.get('/v1/me')).body.data).toMatchObject({ tenant_id: second });
    const before = new Browser(harness.test);
    before.jar.set('ap_test', cookie.slice('ap_test='.length));
    expectRefused(await before.get('/v1/me'), 401, 'login_expired');
    expect((await browser.post('/v1/sessions/switch', { tenant_id: harness.tenantId })).body.data.tenant_id).toBe(harness.tenantId);
  });

  it('400 without a tenant, 403 for an API key, 404 where the password did not hold', async () => {
    const { browser, second } = await inTwo(`${password} other`);
    expectInvalid(await browser.post('/v1/sessions/switch', {}), 'tenant_id');
    expectRefused(await harness.test.post('/v1/sessions/switch', { tenant_id: second }), 403, 'person_required');
    for (const tenant_id of [second, nowhere]) expectRefused(await browser.post('/v1/sessions/switch', { tenant_id }), 404, 'not_found');
    expect((await browser.get('/v1/me')).body.data.tenant_id).toBe(harness.tenantId);
  });
});

it('PUT /v1/me/password ends the other sessions of the person, and not the one that asks', async () => {
  const ada = await join(harness, 'owner');
  const other = new Browser(harness.test);
  expect((await other.signIn(ada.email)).status).toBe(200);
  const stranger = await join(harness, 'viewer');
  const next = 'river candle basalt nine';
  expect((await ada.browser.call('PUT', '/v1/me/password', { body: { password: next } })).status).toBe(200);
  await expect.poll(async () => (await other.get('/v1/me')).status, { timeout: 1_000, interval: 50 }).toBe(401);
  expect((await ada.browser.get('/v1/me')).status).toBe(200);
  expect((await stranger.browser.get('/v1/me')).status).toBe(200);
  expectRefused(await new Browser(harness.test).signIn(ada.email), 401, 'sign_in_failed');
  expect((await new Browser(harness.test).signIn(ada.email, next)).status).toBe(200);
});

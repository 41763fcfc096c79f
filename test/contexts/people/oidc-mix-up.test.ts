// Two providers, one of them hostile (security property 9).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { type Person, password } from './browser.js';
import { begin, companyOf, who } from './company.js';
import { comeBack, FakeProvider, ownerWith, setSignIn, wayBack } from './provider.js';

const provider = await FakeProvider.start();
const hostile = await FakeProvider.start();
afterAll(() => Promise.all([provider.stop(), hostile.stop()]));
const harness = useHarness({ env: { OIDC_ALLOW_HOSTS: `${provider.host},${hostile.host}` } });
const { fresh, invite, joinAs } = companyOf(harness);

let owner: Person;
beforeAll(async () => {
  harness.clock.set(new Date().toISOString());
  owner = await ownerWith(harness, provider);
  await joinAs(provider, 'bob-1', await invite());
});
beforeEach(() => {
  harness.clock.set(new Date().toISOString());
});
afterEach(() => {
  provider.reset();
  hostile.reset();
  provider.subject = 'bob-1';
});

describe('property 9, mix-up', () => {
  let victim: string;
  let mallory: Person;
  beforeAll(async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Hostile' });
    mallory = await ownerWith(harness, hostile, { slug: 'hostile', tenantId });
    victim = 'victim-owner';
    await joinAs(provider, victim, await invite('owner'));
    provider.reset();
  });

  it('the answer of a hostile provider at the callback of another ends nothing but its own attempt', async () => {
    const browser = fresh();
    const honest = await begin(browser);
    const lured = await begin(browser, 'hostile');
    hostile.subject = victim;
    const answer = await wayBack(lured.headers.get('location') ?? '', browser.origin);
    expectRefused(await browser.get(answer.replace('/hostile/', '/acme/')), 401, 'sign_in_failed');
    // The code of the honest one was never shown to the hostile one.
    expect(hostile.asked).not.toContain('/token');
    // Its own is used up, the honest one goes on.
    expectRefused(await browser.get(answer), 401, 'sign_in_failed');
    provider.subject = victim;
    expect((await comeBack(browser, honest)).status).toBe(303);
    expect(await who(browser)).toMatchObject({ name: victim, role: 'owner' });
  });

  it('the code of an honest provider at the callback of a hostile one is not handed on', async () => {
    const browser = fresh();
    const path = await wayBack((await begin(browser)).headers.get('location') ?? '', browser.origin);
    const asked = hostile.asked.length;
    expectRefused(await browser.get(path.replace('/acme/', '/hostile/')), 401, 'sign_in_failed');
    expect(hostile.asked.slice(asked)).not.toContain('/token');
  });

  it('a provider of one tenant that asserts the owner of another signs in to nothing of it', async () => {
    hostile.subject = victim;
    for (const claimed of [{}, { iss: provider.issuer }, { email: owner.email }]) {
      hostile.change = ({ claims }) => Object.assign(claims, claimed);
      const browser = fresh();
      expectRefused(await comeBack(browser, await begin(browser, 'hostile')), 401, 'sign_in_failed');
      expect(await who(browser)).toBeUndefined();
    }
    // Nor where it takes the name of the other one: its configuration is refused.
    hostile.metadata = { issuer: provider.issuer };
    expectRefused(await begin(fresh(), 'hostile'), 401, 'sign_in_failed');
  });

  it('a session of it is good for its tenant alone', async () => {
    hostile.subject = 'mallory';
    await mallory.browser.post('/v1/login/step-up', { password });
    expect((await comeBack(mallory.browser, await mallory.browser.post('/v1/login/oidc', { purpose: 'add' }))).status).toBe(303);
    const browser = fresh();
    expect((await comeBack(browser, await begin(browser, 'hostile'))).status).toBe(303);
    expectRefused(await browser.post('/v1/sessions/switch', { tenant_id: harness.tenantId }), 404, 'not_found');
  });

  it('once the settings have changed', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Changing' });
    const person = await ownerWith(harness, provider, { slug: 'changing', tenantId });
    const browser = fresh();
    const path = await wayBack((await begin(browser, 'changing')).headers.get('location') ?? '', browser.origin);
    const oidc = { issuer: hostile.issuer, clientId: 'agent-payments', clientSecret: 's' };
    expect((await setSignIn(person, { slug: 'changing', methods: ['password', 'oidc'], oidc })).body.errors).toBeUndefined();
    expectRefused(await browser.get(path), 401, 'sign_in_failed');
  });
});

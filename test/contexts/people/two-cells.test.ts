// Somebody with one e-mail in tenants of two cells: the directory says where an e-mail is known, and tells no e-mail.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkDirectory } from '../../../src/cli/cell.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { relistMembers, sweepMemberPlaces } from '../../../src/contexts/people/member-place.js';
import { sweepSlugs } from '../../../src/contexts/people/slug-place.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { addCell } from '../../cells.js';
import { Client, useHarness } from '../../harness.js';
import type { NewDatabase } from '../../new-database.js';
import { TcpProxy } from '../../proxy.js';
import { expectRefused } from '../../refusal.js';
import { countQueries } from '../agents/identity.js';
import { Authenticator } from './authenticator.js';
import { Browser, inviteByPlatform, join, type Person, password, tokenOf } from './browser.js';
import { setSignIn } from './provider.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const harness = useHarness({ route: async (url) => url });
let second: Platform;
let database: NewDatabase;
let proxy: TcpProxy;
let tenantId: string;
let there: Client;
/** The owner of both tenants. */
let ada: Person;

beforeAll(async () => {
  ({ platform: second, database } = await addCell(harness.platform, 'second', async (url) => {
    proxy = await TcpProxy.open(url);
    return proxy.url;
  }));
  const made = await createTenant(second, { name: 'There' });
  ({ tenantId } = made);
  there = new Client(harness.test.url, made.testKey);
  ada = await join(harness, 'owner');
  const token = tokenOf(await inviteByPlatform(harness, ada.email, 'owner', tenantId));
  expect((await new Browser(harness.test).post('/v1/login/join', { token, name: 'Ada', password })).status).toBe(201);
});
afterEach(async () => {
  proxy.heal();
  await expect.poll(async () => (await there.get('/v1/accounts')).status, { interval: 50, timeout: 30_000 }).toBe(200);
});
afterAll(() => proxy.close());
afterAll(() => database.drop());

const places = () => harness.platform.database.unscoped.memberPlace;
const tenantsOf = async (browser = new Browser(harness.test)) => {
  const { body } = await browser.signIn(ada.email);
  return body.data.tenants.map(({ id }: { id: string }) => id).sort();
};

describe('an e-mail in two cells', () => {
  it('signs in to the tenants of both, whose directory has hashes alone', async () => {
    expect(await tenantsOf()).toEqual([harness.tenantId, tenantId].sort());
    const rows = await places().findMany();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows.map(({ hash }) => [Buffer.from(hash).toString('utf8'), Buffer.from(hash).toString('hex')]))).not.toContain(
      'example',
    );
    expect(rows[0]?.hash).toHaveLength(16);
  });

  it('is asked of the cells that know it, and of no other', async () => {
    const here = await join(harness, 'viewer');
    const signIn = async () => expect((await new Browser(harness.test).signIn(here.email)).status).toBe(200);
    expect(await countQueries(second, signIn)).toBe(0);
    expectRefused(await new Browser(harness.test).signIn('nobody@example.com'), 401, 'sign_in_failed');
  });

  it('takes nobody away while a cell is: who is known there alone is told to come again', async () => {
    const only = await join(harness, 'viewer', { client: there, tenantId });
    proxy.stall();
    const [lost, both] = await Promise.all([new Browser(harness.test).signIn(only.email), new Browser(harness.test).signIn(ada.email)]);
    proxy.heal();
    expectRefused(lost, 503, 'dependency_unavailable');
    expect([both.status, both.body.data?.tenant_id]).toEqual([200, harness.tenantId]);
    await expect.poll(async () => (await new Browser(harness.test).signIn(only.email)).status, { timeout: 30_000 }).toBe(200);
  });

  it('is listed as long as the member is one, and what was never written is forgotten', async () => {
    const gone = await join(harness, 'viewer', { client: there, tenantId });
    expect(await places().count({ where: { memberId: gone.id.slice(4) } })).toBe(1);
    const owner = new Browser(harness.test);
    const signedIn = await owner.post('/v1/login/sign-in', { email: ada.email, password, tenant: tenantId });
    expect([signedIn.status, signedIn.body.data?.tenant_id]).toEqual([200, tenantId]);
    await owner.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: gone.id });
    expect(await places().count({ where: { memberId: gone.id.slice(4) } })).toBe(0);
    const lost = { hash: Buffer.alloc(16), memberId: harness.tenantId, tenantId, pendingSince: harness.clock.now() };
    await places().create({ data: lost });
    harness.clock.advance(61);
    expect(await sweepMemberPlaces(second)).toBeGreaterThan(1);
    expect(await places().count({ where: { pendingSince: { not: null } } })).toBe(0);
    expect(await places().count({ where: { memberId: lost.memberId } })).toBe(0);
    expect(await places().count()).toBeGreaterThan(0);
  });

  it('is listed again when its tenant has moved, and missed by the check of the directory', async () => {
    const { count } = await places().deleteMany();
    expect(await checkDirectory(harness.platform)).toEqual([`the e-mails of ${count} members of the cell second are not in the directory`]);
    await relistMembers(second, tenantId);
    expect(await checkDirectory(harness.platform)).toEqual([]);
    expect(await tenantsOf()).toContain(tenantId);
  });
});

describe('a link', () => {
  it('is asked of the cell of its tenant alone, wherever that is', async () => {
    const here = tokenOf(await inviteByPlatform(harness, 'here@example.com', 'viewer'));
    const far = tokenOf(await inviteByPlatform(harness, 'far@example.com', 'viewer', tenantId));
    const take = async (token: string) => {
      expect((await new Browser(harness.test).post('/v1/login/join', { token, name: 'Ada', password })).status).toBe(201);
    };
    expect(await countQueries(second, () => take(here))).toBe(0);
    proxy.stall();
    expectRefused(
      await new Browser(harness.test).post('/v1/login/join', { token: far, name: 'Ada', password }),
      503,
      'dependency_unavailable',
    );
    proxy.heal();
    await expect.poll(async () => (await there.get('/v1/accounts')).status, { interval: 50, timeout: 30_000 }).toBe(200);
    await take(far);
    expectRefused(await new Browser(harness.test).post('/v1/login/join', { token: far, name: 'Ada', password }), 401, 'sign_in_failed');
  });
});

describe('a passkey', () => {
  const ask = async (browser: Browser, purpose: string) => (await browser.post('/v1/login/passkey/options', { purpose })).body.data.options;
  const add = async ({ browser }: Person, key: Authenticator) => {
    const response = key.create(await ask(browser, 'add'), browser.origin);
    expect((await browser.post('/v1/login/passkey', { purpose: 'add', response, name: 'Laptop' })).status).toBe(200);
  };
  const signIn = async (key: Authenticator) => {
    const browser = new Browser(harness.test);
    const response = key.get(await ask(browser, 'sign_in'), browser.origin);
    return browser.post('/v1/login/passkey', { purpose: 'sign_in', response });
  };

  it('is found by the directory in its cell, which signing in does not write to', async () => {
    const [near, far] = [new Authenticator(), new Authenticator()];
    const person = await join(harness, 'viewer', { client: there, tenantId });
    await add(await join(harness, 'viewer'), near);
    await add(person, far);
    const listed = () => places().findMany({ where: { memberId: person.id.slice(4) }, orderBy: { hash: 'asc' } });
    const rows = await listed();
    expect(rows).toHaveLength(2);
    expect(await countQueries(second, async () => expect((await signIn(near)).status).toBe(200))).toBe(0);
    const answer = await signIn(far);
    expect([answer.status, answer.body.data.tenant_id]).toEqual([200, tenantId]);
    expect(await listed()).toEqual(rows);

    // One that the directory has lost is listed again with its tenant, and missed before.
    await places().deleteMany({ where: { memberId: person.id.slice(4) } });
    expectRefused(await signIn(far), 401, 'sign_in_failed');
    expect((await checkDirectory(harness.platform)).join()).toContain('1 members of the cell second');
    await relistMembers(second, tenantId);
    expect((await signIn(far)).status).toBe(200);

    const { id } = (await person.browser.get('/v1/me/passkeys')).body.data[0];
    expect((await person.browser.delete(`/v1/me/passkeys/${id}`)).status).toBe(200);
    expect(await listed()).toHaveLength(1);
    expectRefused(await signIn(far), 401, 'sign_in_failed');
  });
});

describe('a slug', () => {
  const slugs = () => harness.platform.database.unscoped.slugPlace;
  const set = async (person: Person, slug: string | null) =>
    (await setSignIn(person, { slug, methods: ['password'] })).body.errors?.[0].extensions;

  it('is of one tenant in all cells, and is free again when that has another', async () => {
    const near = ada;
    const far = await join(harness, 'owner', { client: there, tenantId });
    const refused = await Promise.all([set(near, 'wanted'), set(far, 'wanted')]);
    expect(refused.map((each) => each?.code).sort()).toEqual(['already_exists', undefined]);
    const [winner, loser] = refused[0] === undefined ? [near, far] : [far, near];
    expect(await set(winner, 'another')).toBeUndefined();
    expect(await set(loser, 'wanted')).toBeUndefined();
    expect(await slugs().count({ where: { pendingSince: null } })).toBe(2);
    expect(await set(loser, null)).toBeUndefined();
    expect((await slugs().findMany()).map(({ slug }) => slug)).toEqual(['another']);
    expect(await set(winner, null)).toBeUndefined();
  });

  it('that was claimed and never written is free after a minute, and the one before stays', async () => {
    const owner = await join(harness, 'owner', { client: there, tenantId });
    expect(await set(owner, 'before')).toBeUndefined();
    const pendingSince = harness.clock.now();
    await slugs().updateMany({ data: { pendingSince } });
    await slugs().create({ data: { slug: 'never', tenantId, pendingSince } });
    expect(await set(ada, 'never')).toMatchObject({ code: 'already_exists' });
    harness.clock.advance(61);
    expect(await sweepSlugs(second)).toBe(2);
    expect(await slugs().findMany()).toEqual([{ slug: 'before', tenantId, pendingSince: null }]);
  });
});

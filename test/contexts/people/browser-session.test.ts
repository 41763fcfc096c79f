// Where the cookie of a browser session counts, with what, and how it ends: in this process, in another, and in a posting.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { type Answer, Client, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { startSecond } from '../../second-server.js';
import { Browser, join, type Person } from './browser.js';

const harness = useHarness();
let ada: Person;
let wallets: { from: string; to: string };
beforeAll(async () => {
  const [{ wallet: from }, { wallet: to }] = [await openWallet(harness.test, { funded: '50.00' }), await openWallet(harness.test)];
  wallets = { from: from.id, to: to.id };
});
beforeEach(async () => {
  ada = await join(harness, 'owner');
});

const pay = 'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { status } } }';
const payment = () => ({
  input: { type: 'internal', fromWalletId: wallets.from, toWalletId: wallets.to, amount: '1.00', currency: 'USD' },
});
const codeOf = ({ status, body }: Answer) => body.code ?? body.errors?.[0].extensions.code ?? status;
const balance = async () => (await harness.test.get(`/v1/wallets/${wallets.from}`)).body.data.balance.available;

describe('a request that changes something', () => {
  const refused: [string, (person: Person) => Record<string, string>][] = [
    ['a page of another origin, with the token', () => ({ Origin: 'http://evil.example' })],
    ['another port of the same host, with the token', ({ browser }) => ({ Origin: browser.origin.replace(/\d+$/, '1') })],
    ['another scheme', ({ browser }) => ({ Origin: browser.origin.replace('http:', 'https:') })],
    ['a page in a frame of nobody', () => ({ Origin: 'null' })],
    ['our own page without the token', () => ({ 'X-CSRF-Token': '' })],
    ['our own page with the token of another session', () => ({ 'X-CSRF-Token': 'AAAAAAAAAAAAAAAAAAAAAA' })],
  ];
  it.each(refused)('does nothing from %s', async (_name, headers) => {
    const before = await balance();
    for (const path of ['/graphql', '/graphql/stream']) {
      const answer = await ada.browser.post(path, { query: pay, variables: payment() }, { headers: headers(ada) });
      expect(codeOf(answer)).toBe('forbidden');
      expect(JSON.stringify(answer.body)).toContain('csrf');
    }
    expectRefused(await ada.browser.delete('/v1/sessions/current', { headers: headers(ada) }), 403, 'forbidden', { reason: 'csrf' });
    expect(await balance()).toBe(before);
    expect((await ada.browser.get('/v1/me')).status).toBe(200);
  });

  it('does nothing from a form, an image or without an Origin', async () => {
    const before = await balance();
    const query = `/graphql?query=${encodeURIComponent('mutation { endBrowserSession(id: "current") { id } }')}`;
    expect((await ada.browser.get(query)).status).toBe(405);
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, raw: 'query=mutation' };
    expect((await ada.browser.call('POST', '/graphql', form)).status).toBeGreaterThanOrEqual(400);
    const { Origin: _none, ...bare } = { Origin: '', Cookie: ada.browser.cookie, 'X-CSRF-Token': ada.browser.csrf };
    const answer = await harness.test.post('/graphql', { query: pay, variables: payment() }, { as: null, headers: bare });
    expect(codeOf(answer)).toBe('forbidden');
    expect(await balance()).toBe(before);
  });
});

describe('the cookie elsewhere', () => {
  it('is not looked at', async () => {
    const elsewhere = ['/v1/transfers', '/v1/wallets', '/v1/members', '/v1/accounts', '/v1/api-keys', '/v1/events'];
    for (const path of elsewhere) expectRefused(await ada.browser.get(path), 401, 'missing_credential');
    expect((await ada.browser.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401);
    const live = new Browser(harness.live);
    live.jar.set('ap_live', ada.browser.jar.get('ap_test') ?? '');
    live.jar.set('ap_test', ada.browser.jar.get('ap_test') ?? '');
    expectRefused(await live.get('/v1/me'), 401, 'login_expired');
  });

  it('is not looked at beside an Authorization header', async () => {
    const { body } = await ada.browser.get('/v1/me', { as: harness.test.key });
    expect(body.data).toMatchObject({ actor: { type: 'api_key' } });
    expect(body.data.member).toBeUndefined();
    expectRefused(await ada.browser.get('/v1/me', { as: 'pk_test_nonsense' }), 401, 'invalid_api_key');
  });
});

describe('the end of a session', () => {
  it('comes by an hour without use, and after twelve hours of use', async () => {
    harness.clock.advance(3_500);
    expect((await ada.browser.get('/v1/me')).status).toBe(200);
    harness.clock.advance(3_601);
    expectRefused(await ada.browser.get('/v1/me'), 401, 'login_expired');
    const bob = await join(harness, 'owner');
    for (let passed = 0; passed < 43_200 - 3_000; passed += 3_000) {
      harness.clock.advance(3_000);
      expect((await bob.browser.get('/v1/me')).status).toBe(200);
    }
    harness.clock.advance(3_000);
    expectRefused(await bob.browser.get('/v1/me'), 401, 'login_expired');
  });

  it('comes with a step-up and with the suspension of the member', async () => {
    const old = new Browser(harness.test);
    old.jar.set('ap_test', ada.browser.jar.get('ap_test') ?? '');
    const stepped = await ada.browser.post('/v1/login/step-up', { password: 'lamp olive quartz tide' });
    expect(stepped.status).toBe(200);
    expectRefused(await old.get('/v1/me'), 401, 'login_expired');
    const bob = await join(harness, 'owner');
    await bob.browser.ask('mutation ($id: MemberId!) { updateMember(id: $id, input: { status: suspended }) { status } }', { id: ada.id });
    expectRefused(await ada.browser.get('/v1/me'), 401, 'login_expired');
    await bob.browser.ask('mutation ($id: MemberId!) { updateMember(id: $id, input: { status: active }) { status } }', { id: ada.id });
    expectRefused(await ada.browser.get('/v1/me'), 401, 'missing_credential');
  });

  it('moves no money though the process has not heard of it yet', async () => {
    expect((await ada.browser.graphql(pay, payment())).body.errors).toBeUndefined();
    // The row alone says so: what tells the processes is cut off.
    const { pool } = harness.platform.database;
    const end = (value: string) =>
      pool.query(
        `SET session_replication_role = replica; UPDATE login SET ended_at = ${value} WHERE member_id = $1`.replace(
          '$1',
          `'${ada.id.slice(4)}'`,
        ),
      );
    await end('now()');
    await pool.query('SET session_replication_role = DEFAULT');
    const before = await balance();
    expect(codeOf(await ada.browser.graphql(pay, payment()))).toBe('login_expired');
    expect(await balance()).toBe(before);
  });
});

describe('a second process', () => {
  let second: RunningServer;
  beforeAll(async () => {
    second = await startSecond(harness);
  });
  afterAll(() => second.stop());

  it('refuses a copied cookie within a second of sign-out', async () => {
    const copy = new Browser(new Client(second.urls.test ?? '', ''));
    copy.jar.set('ap_test', ada.browser.jar.get('ap_test') ?? '');
    expect((await copy.get('/v1/me')).status).toBe(200);
    expect((await ada.browser.delete('/v1/sessions/current')).status).toBe(200);
    await expect.poll(async () => codeOf(await copy.get('/v1/me')), { timeout: 1_000, interval: 20 }).toBe('login_expired');
  });

  it('asks no query of a warm session', async () => {
    expect((await ada.browser.get('/v1/sessions')).status).toBe(200);
    const queries: string[] = [];
    const { pool } = harness.platform.database;
    const real = pool.query.bind(pool);
    const spy = ((...args: Parameters<typeof real>) => {
      queries.push(String((args[0] as { text?: string }).text ?? args[0]));
      return real(...args);
    }) as typeof pool.query;
    pool.query = spy;
    try {
      const answer = await ada.browser.graphql('{ me { serverTime } }');
      expect(answer.body.errors).toBeUndefined();
    } finally {
      pool.query = real;
    }
    expect(queries).toEqual([]);
  });
});

// Security property "Secrets": what people and programs sign in with is in no log, no trace, no error, no keyed answer, no event and no audit
// entry. Every kind is made, used, used again and shown where it is wrong. Then all that was logged, traced and answered with an error is
// read, and each row of the database.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/platform/log.js';
import { type Answer, Client, type Json, openWallet, useHarness } from '../../harness.js';
import { startMailServer } from '../../mail-server.js';
import { startSecond } from '../../second-server.js';
import { allow, Browser as Navigator, Program, type Reply, redirectUri, send } from '../connections/program.js';
import { Receiver } from '../webhooks/receiver.js';
import { Authenticator } from './authenticator.js';
import { Browser, firstOwnerLink, tokenOf } from './browser.js';

vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
const collector = await Receiver.start();
const mailServer = await startMailServer();
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url('')}/`, OTEL_TRACES_SAMPLER: 'parentbased_always_on' };
const harness = useHarness({ env: { ...tracing, ...mailServer.env } });

const patience = { timeout: 20_000, interval: 100 };
const logged: string[] = [];
/** Bodies and headers of answers that said no. */
const refused: string[] = [];
/** What must be nowhere, by what it is. */
const secrets = new Map<string, string>();
let client: Client;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startSecond(harness, createLogger('trace', { write: (line) => void logged.push(line) }));
  client = new Client(server.urls.test ?? '', harness.test.key);
  stop = () => server.stop();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await collector.stop();
});

function keep(name: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < 12) throw new Error(`${name} was not seen`);
  secrets.set(`${name} ${secrets.size}`, secret);
  return secret;
}

/** Keeps what an answer says when it is no success. */
function note<T extends Answer | Reply>(answer: T): T {
  const text = JSON.stringify([answer.body, [...new Headers(answer.headers as Record<string, string>)]]);
  if (answer.status >= 400 || answer.body?.errors !== undefined) refused.push(text);
  return answer;
}

/** How a secret may look in a text: as it is, in another encoding, or without the prefix. */
function spellings(secret: string): string[] {
  const bare = secret.replace(/^(?:cnx[trc]|join|recover|pk_test|agent)_/, '');
  const bytes = [Buffer.from(secret), Buffer.from(bare), Buffer.from(bare, 'base64url')].filter(({ length }) => length >= 12);
  const encoded = bytes.flatMap((one) => [one.toString('base64'), one.toString('base64url'), one.toString('hex')]);
  return [secret, bare, encodeURIComponent(secret), ...encoded].map((text) => text.replace(/=+$/, ''));
}

const found = (text: string): string[] =>
  [...secrets].filter(([, secret]) => spellings(secret).some((one) => text.includes(one))).map(([name]) => name);

/** Joins by a link, and keeps what the browser was given. */
async function joinBy(token: string, word: string, more: object = {}): Promise<Browser> {
  const browser = new Browser(client);
  const key = { 'Idempotency-Key': `join-${secrets.size}` };
  note(await browser.post('/v1/login/join', { token, password: word, pasword: word, ...more }));
  const { status } = note(await browser.post('/v1/login/join', { token, password: word, ...more }, { headers: key }));
  expect(status).toBe(201);
  note(await new Browser(client).post('/v1/login/join', { token, password: word, ...more }, { headers: key }));
  note(await client.get('/v1/me', { as: token }));
  return keepSession(browser);
}

function keepSession(browser: Browser): Browser {
  keep('cookie', browser.jar.get('ap_test'));
  keep('CSRF token', browser.csrf);
  return browser;
}

async function signIns(): Promise<Browser> {
  const token = keep('invitation', tokenOf(await firstOwnerLink(harness)));
  const word = keep('password', 'seven purple lanterns drift');
  const person = { name: 'Ada', email: 'ada@example.com' };
  const owner = await joinBy(token, word, person);
  const wrong = keep('wrong password', 'seven purple lanterns drown');
  note(await new Browser(client).signIn(person.email, wrong));
  note(await new Browser(client).post('/v1/login/sign-in', { email: person.email, passwort: wrong }));
  note(await new Browser(client).call('POST', '/v1/login/sign-in', { raw: `{"email": "x", "password": "${wrong}"` }));
  note(await new Browser(client).graphql(`mutation { signIn(input: {email: "x", password: "${wrong}", nothing: 1}) { csrfToken } }`));
  keepSession(owner);
  expect(note(await owner.signIn(person.email, word)).status).toBe(200);
  keepSession(owner);
  expect(note(await owner.post('/v1/login/step-up', { password: word })).status).toBe(200);
  keepSession(owner);
  // A cookie and a token where they do not count.
  note(await client.get('/v1/me', { as: owner.jar.get('ap_test') ?? '' }));
  note(await owner.get(`/v1/transfers?token=${owner.csrf}`));
  note(await owner.delete('/v1/sessions/current', { headers: { 'X-CSRF-Token': `${owner.csrf}x` } }));
  return owner;
}

async function recoveries(): Promise<void> {
  await new Browser(client).post('/v1/login/recover', { email: 'grace@example.com' });
  await vi.waitFor(async () => {
    await harness.runDue();
    expect(mailServer.mails.length).toBeGreaterThan(1);
  }, patience);
  const text = mailServer.mails.at(-1)?.text ?? '';
  await joinBy(keep('recovery', /#(recover_\S+)/.exec(text)?.[1]), keep('new password', 'eight yellow kettles whistle'));
}

async function invitations(owner: Browser): Promise<void> {
  const invite = 'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id link } }';
  await owner.ask(invite, { input: { email: 'grace@example.com', role: 'developer' } });
  await harness.runDue();
  const token = keep('invitation', /#(join_\S+)/.exec(mailServer.mails.at(-1)?.text ?? '')?.[1]);
  await joinBy(token, keep('password', 'nine orange pebbles settle'), { name: 'Grace' });
}

async function passkeys(owner: Browser): Promise<void> {
  const authenticator = new Authenticator();
  const ask = async (browser: Browser, purpose: string): Promise<Json> => {
    const { options } = (await browser.post('/v1/login/passkey/options', { purpose })).body.data;
    keep('passkey challenge', options.challenge);
    return options;
  };
  const response = authenticator.create(await ask(owner, 'add'), owner.origin);
  expect(note(await owner.post('/v1/login/passkey', { purpose: 'add', response, name: 'Laptop' })).status).toBe(200);
  const browser = new Browser(client);
  const signed = authenticator.get(await ask(browser, 'sign_in'), browser.origin);
  expect(note(await browser.post('/v1/login/passkey', { purpose: 'sign_in', response: signed })).status).toBe(200);
  keepSession(browser);
  note(await new Browser(client).post('/v1/login/passkey', { purpose: 'sign_in', response: signed }));
  const asked = authenticator.get(await ask(owner, 'step_up'), owner.origin);
  expect(note(await owner.post('/v1/login/passkey', { purpose: 'step_up', response: asked })).status).toBe(200);
  keepSession(owner);
}

async function connections(browser: Browser): Promise<void> {
  const { account } = await openWallet(client);
  const made = await client.post(
    '/v1/agents',
    { parent_account_id: account.id, name: 'Buyer' },
    { headers: { 'Idempotency-Key': 'agent' } },
  );
  keep('token of an agent', made.body.credentials.token);
  keep('key', (await client.post('/v1/api-keys', { name: 'Program' }, { headers: { 'Idempotency-Key': 'key' } })).body.data.key);
  const program = await Program.register(client.url);
  keep('PKCE verifier', program.verifier);
  const navigator = new Navigator();
  const uid = await program.begin(navigator);
  // The id of an authorization stands in the address of its page. What binds it to the browser does not.
  const cookies = navigator.cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
  for (const cookie of cookies) if (cookie !== uid) keep('cookie of an authorization', cookie);
  const person = { browser, email: '', id: '' };
  const { body } = note(await allow(person, navigator, uid, { agent_id: made.body.data.id }));
  const code = keep('code', (await program.codeFrom(navigator, body.data.redirect_to)).get('code') ?? undefined);
  note(await program.exchange(code, { redirect_uri: `${redirectUri}/elsewhere` }));
  note(await send(`${client.url}/oauth/token?code=${code}`));
  const tokens = note(await program.exchange(code)).body;
  let [access, refresh] = [keep('access token', tokens.access_token), keep('refresh token', tokens.refresh_token)];
  const next = note(await program.refresh(refresh)).body;
  const used = refresh;
  [access, refresh] = [keep('access token', next.access_token), keep('refresh token', next.refresh_token)];
  for (const token of [access, refresh, code]) {
    note(await client.get('/v1/me', { as: token }));
    note(await client.get(`/v1/transfers?access_token=${token}`));
    note(await client.graphql('{ me { tenantId } }', {}, { as: token }));
    note(await client.post('/mcp', { jsonrpc: '2.0', id: 1, method: token }, { as: token }));
    note(await send(`${client.url}/mcp?access_token=${token}`));
  }
  note(await program.refresh(used));
  note(await program.exchange(code));
  note(await program.revoke(refresh));
}

it('Secrets', { timeout: 240_000 }, async () => {
  const owner = await signIns();
  await invitations(owner);
  await recoveries();
  await passkeys(owner);
  await connections(owner);
  await harness.runDue();
  await stop();
  expect(secrets.size).toBeGreaterThan(25);
  // The walk sees what is there: what is no secret is found in each of the places.
  expect(logged.join('')).toContain('credential.refused');
  expect(refused.length).toBeGreaterThan(25);
  expect(refused.join('')).toContain('sign_in_failed');
  await vi.waitFor(() => expect(collector.received.length).toBeGreaterThan(0), patience);
  expect(found(logged.join('\n')), 'logs').toEqual([]);
  expect(found(refused.join('\n')), 'errors').toEqual([]);
  expect(found(collector.received.map(({ body }) => body.toString()).join('\n')), 'traces').toEqual([]);
  const { pool } = harness.platform.database;
  const tables = await pool.query(`SELECT oid::regclass::text AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY name`);
  for (const { name } of tables.rows) {
    const { rows } = await pool.query(`SELECT t::text AS line FROM ${name} t`);
    expect(found(rows.map(({ line }) => line).join('\n')), name).toEqual([]);
  }
  const { rows } = await pool.query("SELECT count(*)::int AS entries FROM audit_entry WHERE action = 'join'");
  expect(rows[0].entries).toBe(2);
});

// Security property "Revocation": what ends a credential, or takes from it, ends the streams that were opened with it within a second, in
// another process too. A stream of tools is of a connection, an agent or a key; a subscription is of the cookie of a person or of a key.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { Client, type Json, openWallet, useHarness } from '../../harness.js';
import { envelope, headersOf } from '../../mcp/modern.js';
import { startSecond } from '../../second-server.js';
import { EventReader } from '../agents/stream.js';
import { connectProgram, send } from '../connections/program.js';
import { join, type Person } from './browser.js';

const harness = useHarness();
const withinMs = 1_000;
let second: RunningServer;
let owner: Person;
let person: Person;
let account: Json;
/** Both processes, the one in which things are changed first. */
let clients: readonly Client[];

beforeAll(async () => {
  second = await startSecond(harness);
  clients = [harness.test, new Client(second.urls.test ?? '', harness.test.key)];
  ({ account } = await openWallet(harness.test));
  owner = await join(harness, 'owner');
});
beforeEach(async () => {
  person = await join(harness, 'finance');
});
afterAll(() => second.stop());

async function read(url: string, init: RequestInit): Promise<EventReader> {
  const gone = new AbortController();
  const response = await fetch(url, { ...init, signal: gone.signal });
  if (response.status !== 200) throw new Error(`no stream: ${response.status} ${await response.text()}`);
  return new EventReader(response, gone);
}

/** The stream of tools of a credential. */
async function tools({ url }: Client, credential: string): Promise<EventReader> {
  const headers = { Authorization: `Bearer ${credential}`, Accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begin = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const answer = await send(`${url}/mcp`, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: begin });
  const reader = await read(`${url}/mcp`, { headers: { ...headers, 'Mcp-Session-Id': String(answer.headers['mcp-session-id']) } });
  // The first word comes when the stream is open.
  await reader.until((events) => events.length > 0);
  return reader;
}

/** The same by the revision of 2026-07-28. */
async function listening({ url }: Client, credential: string): Promise<EventReader> {
  const params = { _meta: envelope, notifications: { toolsListChanged: true } };
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
  const headers = { ...headersOf(message), Authorization: `Bearer ${credential}` };
  const reader = await read(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
  await reader.until((all) => all.length > 1);
  return reader;
}

/** A stream of tools of each era. */
const bothTools = (client: Client, credential: string) => [tools(client, credential), listening(client, credential)];

const subscription = JSON.stringify({ query: 'subscription { workspaceEvents(types: ["account.created"]) { id } }' });

/** A subscription; returns when an event has come by it. */
async function events({ url }: Client, credentials: Record<string, string>): Promise<EventReader> {
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...credentials };
  const reader = await read(`${url}/graphql/stream`, { method: 'POST', headers, body: subscription });
  await harness.test.make('/v1/accounts', { type: 'person', name: 'Somebody' });
  await harness.runDue();
  await reader.until((all) => all.some(({ event }) => event === 'next'));
  return reader;
}

/** A subscription of a person's browser, from a page of the process that it comes to. */
function eventsOf({ browser }: Person, client: Client): Promise<EventReader> {
  return events(client, { Origin: client.url, 'X-CSRF-Token': browser.csrf, Cookie: browser.cookie });
}

/** Opens streams at each process, changes something, and fails unless all of them end in time. */
async function expectEnd(open: (client: Client) => Promise<EventReader>[], change: () => Promise<unknown>): Promise<void> {
  const streams = await Promise.all(clients.flatMap(open));
  let ended = 0;
  for (const stream of streams) void stream.ended.then(() => (ended += 1));
  // None of them ends by itself.
  for (const client of clients) await client.get('/v1/me');
  expect(ended).toBe(0);
  await change();
  const changedAt = performance.now();
  await Promise.all(streams.map(({ ended: end }) => end));
  expect(performance.now() - changedAt).toBeLessThan(withinMs);
}

const newAgent = async (): Promise<Json> => (await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Buyer' })).body;
const newConnection = async () => connectProgram(person, { agent_id: (await newAgent()).data.id });
const change = (input: object) => async () => {
  await owner.browser.signIn(owner.email);
  await owner.browser.ask('mutation ($id: MemberId!, $input: UpdateMemberInput!) { updateMember(id: $id, input: $input) { id } }', {
    id: person.id,
    input,
  });
};
const remove = async () => {
  await owner.browser.signIn(owner.email);
  await owner.browser.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: person.id });
};

describe('Revocation', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['removed', remove],
    ['suspended', change({ status: 'suspended' })],
    ['given a lower role', change({ role: 'viewer' })],
    ['signed out', () => person.browser.delete('/v1/sessions/current')],
  ])('of a person who is %s ends the subscriptions of the cookie', async (_, end) => {
    await expectEnd((client) => [eventsOf(person, client)], end);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['removed', remove],
    ['suspended', change({ status: 'suspended' })],
  ])('of a person who is %s ends the streams of the programs that the person let in', async (_, end) => {
    const { accessToken } = await newConnection();
    await expectEnd((client) => bothTools(client, accessToken), end);
  });

  it('of a connection ends its streams', async () => {
    const { accessToken, connection } = await newConnection();
    await expectEnd(
      (client) => bothTools(client, accessToken),
      () => harness.test.delete(`/v1/connections/${connection.id}`),
    );
  });

  it('of a token, by its age, ends the stream of a session, and not the one of a connection that lasts', async () => {
    const { accessToken, connection } = await newConnection();
    const [session, lasting] = await Promise.all(bothTools(harness.test, accessToken));
    let ended = false;
    void lasting?.ended.then(() => (ended = true));
    harness.clock.advance(901);
    // Every stream looks at who it stands for.
    await harness.test.patch(`/v1/agents/${connection.agent_id}`, { name: 'Renamed' });
    await session?.ended;
    expect(ended).toBe(false);
    await harness.test.delete(`/v1/connections/${connection.id}`);
    await lasting?.ended;
  });

  it.each(['suspend', 'revoke'])('of an agent, by %s, ends the streams of its token and of what is connected to it', async (step) => {
    const { data, credentials } = await newAgent();
    const { accessToken } = await connectProgram(person, { agent_id: data.id });
    await expectEnd(
      (client) => [...bothTools(client, credentials.token), listening(client, accessToken)],
      () => harness.test.post(`/v1/agents/${data.id}/${step}`, {}),
    );
  });

  it('of the addresses of a key ends its streams', async () => {
    const key = async () => harness.test.make('/v1/api-keys', { name: 'Program', allowed_ips: ['127.0.0.0/8'] });
    const move = async ({ id }: Json) =>
      harness.platform.database.pool.query("UPDATE api_key SET allowed_ips = '{192.0.2.1/32}' WHERE id = $1", [id.slice(-36)]);
    const [first, other] = [await key(), await key()];
    await expectEnd(
      (client) => [tools(client, first.key)],
      () => move(first),
    );
    await expectEnd(
      (client) => [events(client, { Authorization: `Bearer ${other.key}` })],
      () => move(other),
    );
  });
});

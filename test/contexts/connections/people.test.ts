// Connections and the people who allow them: by the cookie of a browser session, over REST and GraphQL, with the role that it takes, and no
// longer than they belong to the company (CONTRACT.md 22; security properties 12 and 14).
import { beforeAll, expect, it } from 'vitest';
import { sweepOrphans } from '../../../src/contexts/connections/connection.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { join, type Person } from '../people/browser.js';
import { allowance, Browser, Program, send } from './program.js';

const harness = useHarness();
let agent: Json;
let program: Program;

beforeAll(async () => {
  const { account } = await openWallet(harness.test);
  agent = await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  program = await Program.register(harness.test.url);
  // The last owner stays.
  await join(harness, 'owner');
});

/** The browser of a person, sent to the page of the consent. */
async function sent({ browser }: Person): Promise<{ uid: string; way: Browser }> {
  const way = new Browser();
  const uid = await program.begin(way);
  for (const pair of way.cookie.split('; ')) {
    const [name = '', value = ''] = pair.split('=');
    if (name.startsWith('ap_connect_')) browser.jar.set(name, value);
  }
  return { uid, way };
}

async function connected(person: Person): Promise<{ connection: Json; token: string }> {
  const { uid, way } = await sent(person);
  const { status, body } = await person.browser.post(`/v1/connect/${uid}`, { ...allowance, agent_id: agent.id });
  expect([status, body.data?.connection.status]).toEqual([200, 'active']);
  const code = (await program.codeFrom(way, body.data.redirect_to)).get('code') ?? '';
  return { connection: body.data.connection, token: (await program.exchange(code)).body.access_token };
}

/** 400 without a session: it was let in. */
const statusOf = async (token: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return (await send(`${harness.test.url}/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }))
    .status;
};

it('is allowed by a person with a session, who is named in it', async () => {
  const person = await join(harness, 'finance');
  const { connection } = await connected(person);
  expect(connection.member.id).toBe(person.id);
  const { body } = await harness.test.get(`/v1/connections/${connection.id}`);
  expect(body.data.member).toMatchObject({ id: person.id, name: expect.any(String) });
});

it('is shown and answered over GraphQL', async () => {
  const person = await join(harness, 'owner');
  const { uid } = await sent(person);
  const shown = await person.browser.ask('query ($uid: String!) { connectRequest(uid: $uid) { redirectHost agents { name } } }', { uid });
  expect(shown.connectRequest).toMatchObject({ redirectHost: '127.0.0.1:7777', agents: [{ name: 'Buyer' }] });
  const { denyConnection } = await person.browser.ask('mutation ($uid: String!) { denyConnection(uid: $uid) { redirectTo } }', { uid });
  expect(denyConnection.redirectTo).toBe(`${harness.test.url}/oauth/authorize/${uid}`);
});

it('is not allowed from a page of somebody else, nor by who only looks on', async () => {
  const owner = await join(harness, 'owner');
  const { uid } = await sent(owner);
  const input = { ...allowance, agent_id: agent.id };
  const headers = { Origin: 'https://stranger.example' };
  expect((await owner.browser.post(`/v1/connect/${uid}`, input, { headers })).body.details.reason).toBe('csrf');
  const viewer = await join(harness, 'viewer');
  const { uid: other } = await sent(viewer);
  const refused = await viewer.browser.post(`/v1/connect/${other}`, input);
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
});

it('stops while its person is suspended, and ends when the person is removed', async () => {
  const owner = await join(harness, 'owner');
  const person = await join(harness, 'finance');
  const { connection, token } = await connected(person);
  expect(await statusOf(token)).toBe(400);
  const refusal = async () => {
    const { rows } = await harness.platform.database.pool.query(
      "SELECT guard_refusal(workspace_id, 'connection', id, $2) AS refusal FROM connection WHERE id = $1",
      [connection.id.slice(4), harness.clock.now()],
    );
    return rows[0].refusal;
  };
  expect(await refusal()).toBeNull();
  const set = (status: string) =>
    owner.browser.ask('mutation ($id: MemberId!, $input: UpdateMemberInput!) { updateMember(id: $id, input: $input) { id } }', {
      id: person.id,
      input: { status },
    });
  await set('suspended');
  expect([await statusOf(token), await refusal()]).toEqual([401, 'connection_ended']);
  await set('active');
  expect([await statusOf(token), await refusal()]).toEqual([400, null]);
  await owner.browser.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: person.id });
  expect([await statusOf(token), await refusal()]).toEqual([401, 'connection_ended']);
  await sweepOrphans(harness.platform);
  expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
});

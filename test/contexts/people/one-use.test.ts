// Security property "One use": of 50 who use a code, a refresh token, an invitation or a recovery link at once, over two processes, exactly
// one wins. A refresh token that is used again later ends its connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { type Answer, Client, type Json, openWallet, useHarness } from '../../harness.js';
import { startSecond } from '../../second-server.js';
import { allow, connectProgram, Browser as Navigator, Program, type Reply, send } from '../connections/program.js';
import { Browser, firstOwnerLink, join, type Person, tokenOf } from './browser.js';

const harness = useHarness();
const uses = 50;
let second: RunningServer;
let owner: Person;
let account: Json;

beforeAll(async () => {
  second = await startSecond(harness);
  owner = await join(harness, 'owner');
  ({ account } = await openWallet(harness.test));
});
afterAll(() => second.stop());

const otherUrl = () => second.urls.test ?? '';
const newAgent = async (): Promise<string> => (await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer' })).id;
const statusOf = async ({ id }: Json): Promise<string> => (await harness.test.get(`/v1/connections/${id}`)).body.data.status;

/** Uses something many times at once, by one process and the other in turn. */
function atOnce<T>(use: (process: 0 | 1, n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: uses }, (_, n) => use((n % 2) as 0 | 1, n)));
}

/** What a program gets at a process with an access token; 400 without a session: it was let in. */
async function letInWith(token: string, url: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return (await send(`${url}/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status;
}

function expectOneWinner(replies: Reply[]): void {
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const others = replies.filter(({ status }) => status !== 200);
  expect([...new Set(others.map(({ status, body }) => `${status} ${body.error}`))]).toEqual(['400 invalid_grant']);
}

describe('One use', () => {
  it('of a code', async () => {
    const program = await Program.register(harness.test.url);
    const navigator = new Navigator();
    const uid = await program.begin(navigator);
    const { body } = await allow(owner, navigator, uid, { agent_id: await newAgent() });
    const code = (await program.codeFrom(navigator, body.data.redirect_to)).get('code') ?? '';
    const programs = [program, program.at(otherUrl())] as const;
    expectOneWinner(await atOnce((process) => programs[process].exchange(code)));
  });

  it('of a refresh token', async () => {
    const { program, refreshToken } = await connectProgram(owner, { agent_id: await newAgent() });
    const programs = [program, program.at(otherUrl())] as const;
    expectOneWinner(await atOnce((process) => programs[process].refresh(refreshToken)));
  });

  it('of a refresh token: used again later, at another process, it ends the connection in both', async () => {
    const { program, refreshToken, connection } = await connectProgram(owner, { agent_id: await newAgent() });
    const next = await program.refresh(refreshToken);
    const token = next.body.access_token;
    for (const url of [harness.test.url, otherUrl()]) expect(await letInWith(token, url)).toBe(400);
    harness.clock.advance(600);
    expect((await program.at(otherUrl()).refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect(await statusOf(connection)).toBe('revoked');
    for (const url of [harness.test.url, otherUrl()]) await expect.poll(() => letInWith(token, url), { timeout: 1_000 }).toBe(401);
    expect((await program.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('of an invitation, whatever e-mail each of them says', async () => {
    const link = await firstOwnerLink(harness, (await harness.other.get('/v1/me')).body.data.tenant_id);
    await expectOneToJoin((n) => ({ token: tokenOf(link), name: 'Ada', email: `ada-${n}@example.com` }));
    expect((await harness.other.get('/v1/members')).body.data).toHaveLength(1);
  });

  it('of a recovery link', async () => {
    const member = await join(harness, 'developer');
    const recover = 'mutation ($id: MemberId!) { recoverMember(id: $id) { link } }';
    await owner.browser.signIn(owner.email);
    const { recoverMember } = await owner.browser.ask(recover, { id: member.id });
    await expectOneToJoin(() => ({ token: tokenOf(recoverMember.link) }));
  });
});

/** Fails unless exactly one gets in by a link. The others come too late, or find that too many passwords are being computed. */
async function expectOneToJoin(sent: (n: number) => object): Promise<void> {
  const clients = [harness.test, new Client(otherUrl(), '')] as const;
  const use = (process: 0 | 1, n: number): Promise<Answer> =>
    new Browser(clients[process]).post('/v1/login/join', { ...sent(n), password: `lamp olive quartz ${n}` });
  const statuses = (await atOnce(use)).map(({ status }) => status);
  const counted = (wanted: number) => statuses.filter((status) => status === wanted).length;
  expect(counted(201), statuses.join(' ')).toBe(1);
  expect(counted(401), statuses.join(' ')).toBeGreaterThan(0);
  expect(counted(201) + counted(401) + counted(503), statuses.join(' ')).toBe(uses);
}

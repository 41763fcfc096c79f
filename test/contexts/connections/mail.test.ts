// Mail to the owners when a program is connected: to each who is active, with who did it, what the program may do, and no secret.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { type MailServer, startMailServer } from '../../mail-server.js';
import { join, type Person } from '../people/browser.js';
import { allow, Browser, connectProgram, Program } from './program.js';

const server = await startMailServer();
const harness = useHarness({ env: server.env });
let owners: Person[];
let finance: Person;
let agent: Json;

beforeAll(async () => {
  owners = [await join(harness, 'owner'), await join(harness, 'owner')];
  finance = await join(harness, 'finance');
  const gone = await join(harness, 'owner');
  await owners[0]?.browser.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: gone.id });
  const { account } = await openWallet(harness.test);
  agent = await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer' });
});
beforeEach(async () => {
  await sent();
});

/** What has been mailed since it was asked for last, by recipient. */
async function sent(): Promise<MailServer['mails']> {
  await harness.runDue();
  return server.mails.splice(0).sort((a, b) => (a.recipient < b.recipient ? -1 : 1));
}

it('goes to each active owner, and says who connected what, for how much and until when', async () => {
  const program = await Program.register(harness.test.url, { client_name: 'Claude\r\nBcc: everybody@example.com' });
  const { accessToken, refreshToken, connection } = await connectProgram(finance, { agent_id: agent.id }, program);
  const told = await sent();
  expect(told.map(({ recipient }) => recipient)).toEqual(owners.map(({ email }) => email).sort());
  const name = (await harness.test.get(`/v1/members/${finance.id}`)).body.data.name;
  for (const { subject, text } of told) {
    expect(subject).toBe('A program was connected to Buyer in the sandbox');
    expect(text).toContain(`${name} let a program act as the agent Buyer in the sandbox.`);
    expect(text).toContain('It may pay up to 20.00 USD a day.');
    expect(text).toContain(connection.expires_at);
    expect(text).toMatch(/\/console\/connections\s*$/);
    for (const secret of [accessToken, refreshToken, program.clientId]) expect(text).not.toContain(secret);
  }
  expect(await sent()).toEqual([]);
});

it('says of a program that only reads that it pays nothing', async () => {
  await connectProgram(finance, { agent_id: agent.id, scopes: ['agent:read'], budget: undefined });
  expect((await sent()).map(({ text }) => text?.includes('and pay nothing'))).toEqual([true, true]);
});

it('is not sent for a consent that was refused', async () => {
  const browser = new Browser();
  const uid = await (await Program.register(harness.test.url)).begin(browser);
  expect((await allow(finance, browser, uid, { agent_id: agent.id, budget: null })).status).toBe(400);
  expect(await sent()).toEqual([]);
});

// A program is connected to a tenant of the second cell: what the authorization server keeps stands in the directory, its connection in the cell.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { addCell } from '../../cells.js';
import { Client, type Json, openWallet, useHarness } from '../../harness.js';
import { eras } from '../../mcp/era.js';
import type { NewDatabase } from '../../new-database.js';
import { TcpProxy } from '../../proxy.js';
import { join, type Person } from '../people/browser.js';
import { allow, Browser, connectProgram, Program, send } from './program.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const harness = useHarness({ route: async (url) => url });
let second: Platform;
let database: NewDatabase;
let proxy: TcpProxy;
let there: Client;
let person: Person;
let agent: Json;

beforeAll(async () => {
  ({ platform: second, database } = await addCell(harness.platform, 'second', async (url) => {
    proxy = await TcpProxy.open(url);
    return proxy.url;
  }));
  const { tenantId, testKey } = await createTenant(second, { name: 'There' });
  there = new Client(harness.test.url, testKey);
  person = await join(harness, 'owner', { client: there, tenantId });
  const { account } = await openWallet(there);
  agent = await there.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });
});
afterAll(() => proxy.close());
afterAll(() => database.drop());

const messageBy = (token: string) =>
  send(`${harness.test.url}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
const statusOf = async ({ id }: Json) => (await there.get(`/v1/connections/${id}`)).body.data.status;

describe('a program of a tenant of the second cell', () => {
  it('is connected, acts as its agent, and gets new tokens', async () => {
    const { program, accessToken, refreshToken, connection } = await connectProgram(person, { agent_id: agent.id });
    for (const [, open] of eras) {
      await using client = await open(harness.test.url, accessToken);
      expect((await client.call('whoami')).data.actor).toMatchObject({ type: 'agent', id: agent.id });
    }
    const next = await program.refresh(refreshToken);
    expect(next.status).toBe(200);
    expect((await messageBy(next.body.access_token)).status).not.toBe(401);
    const has = async ({ database: { pool } }: Platform, table: string) => (await pool.query(`SELECT FROM ${table}`)).rowCount !== 0;
    expect([await has(harness.platform, 'connection'), await has(second, 'oauth_artifact')]).toEqual([false, false]);
    expect((await program.revoke(next.body.refresh_token)).status).toBe(200);
    expect(await statusOf(connection)).toBe('revoked');
    expect((await messageBy(next.body.access_token)).status).toBe(401);
  });

  it('loses its connection by a refresh token that is used twice, and by a person', async () => {
    const first = await connectProgram(person, { agent_id: agent.id });
    await first.program.refresh(first.refreshToken);
    expect((await first.program.refresh(first.refreshToken)).body.error).toBe('invalid_grant');
    expect(await statusOf(first.connection)).toBe('revoked');
    const other = await connectProgram(person, { agent_id: agent.id });
    expect((await messageBy(other.accessToken)).status).not.toBe(401);
    expect((await there.delete(`/v1/connections/${other.connection.id}`)).status).toBe(200);
    expect((await messageBy(other.accessToken)).status).toBe(401);
    expect((await other.program.refresh(other.refreshToken)).body.error).toBe('invalid_grant');
  });

  it('is answered once, also where the cell does not keep what it was to write', async () => {
    const program = await Program.register(harness.test.url);
    const browser = new Browser();
    const uid = await program.begin(browser);
    const answers = await Promise.all(Array.from({ length: 5 }, () => allow(person, browser, uid, { agent_id: agent.id })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const [granted] = answers.filter(({ status }) => status === 200);
    await second.database.pool.query('DELETE FROM connection WHERE id = $1', [granted?.body.data.connection.id.slice(4)]);
    const back = await browser.open(granted?.body.data.redirect_to);
    expect(String(back.headers['location'])).not.toContain('code=');
  });

  it('is told to come again while the cell is away, and known while the directory has what the process keeps', async () => {
    const { program, accessToken, refreshToken } = await connectProgram(person, { agent_id: agent.id });
    expect((await messageBy(accessToken)).status).not.toBe(401);
    proxy.stall();
    const answer = await program.refresh(refreshToken);
    proxy.heal();
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    await expect.poll(async () => (await program.refresh(refreshToken)).status, { interval: 50, timeout: 30_000 }).toBe(200);
  });
});

// The commands about members, connections, keys and limits of a tenant, beside a server that runs: what has to be seen by it at once as a
// process of its own, and the others in the process of the test.
import { beforeAll, describe, expect, it } from 'vitest';
import { runHere } from './command.js';
import { enrol } from './contexts/agents/identity.js';
import { connectProgram } from './contexts/connections/program.js';
import { Browser, join, password, tokenOf } from './contexts/people/browser.js';
import { type Json, useHarness } from './harness.js';
import { buildOnce, runCli } from './process.js';

const harness = useHarness();
// The commands live in real time.
beforeAll(async () => {
  await buildOnce();
  harness.clock.set(new Date().toISOString());
}, 240_000);

function settings(): Record<string, string> {
  const { databaseUrl, secretsKey } = harness.platform.config;
  return { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '' };
}
const ofTenant = (args: readonly string[]) => [...args, '--tenant', harness.tenantId];
const run = (...args: string[]) => runHere(ofTenant(args), settings());
/** What a command says. It has to succeed. */
async function said(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}
/** The same of a process of its own. */
async function saidElsewhere(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(ofTenant(args), settings());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}
const saidJson = async (...args: string[]): Promise<Json> => JSON.parse(await said(...args, '--json'));

describe('cli member', () => {
  it('invite makes a link with which an owner joins, list shows the members, suspend ends the sessions of one', async () => {
    expect(await said('member', 'list')).toContain('has no members');
    const { link, expires_at } = await saidJson(
      'member',
      'invite',
      '--email',
      'ada@example.com',
      '--role',
      'owner',
      '--environment',
      'test',
    );
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    const ada = new Browser(harness.test);
    const joined = await ada.post('/v1/login/join', { token: tokenOf(link), name: 'Ada', password });
    expect(joined.status).toBe(201);
    const { id } = joined.body.data.member;
    expect(await said('member', 'list')).toBe(`${id}  owner  active  ada@example.com  Ada`);
    expect(await saidJson('member', 'list')).toEqual([{ id, name: 'Ada', email: 'ada@example.com', role: 'owner', status: 'active' }]);

    const last = await runCli(ofTenant(['member', 'suspend', id]), settings());
    expect(last).toMatchObject({ code: 1, stderr: expect.stringMatching(/owner/) });
    const bob = new Browser(harness.test);
    const invited = await said('member', 'invite', '--email', 'bob@example.com', '--role', 'viewer', '--environment', 'test');
    const [bobsLink = ''] = invited.split('\n');
    const { body } = await bob.post('/v1/login/join', { token: tokenOf(bobsLink), name: 'Bob', password });
    expect(await saidElsewhere('member', 'suspend', body.data.member.id)).toBe(`suspended ${body.data.member.id}`);
    await expect.poll(async () => (await bob.get('/v1/me')).status, { timeout: 1_000, interval: 50 }).toBe(401);
    expect((await ada.get('/v1/me')).status).toBe(200);

    // For the e-mail of a member it is a link to a new password.
    const again = await saidJson('member', 'invite', '--email', 'BOB@example.com', '--role', 'viewer', '--environment', 'test');
    expect(again.link).toContain('#recover_');
  });

  it('says what is wrong', async () => {
    for (const [args, words] of [
      [['member', 'invite', '--email', 'nobody', '--role', 'owner'], '--email must be an e-mail address'],
      [['member', 'invite', '--email', 'eve@example.com', '--role', 'king'], '--role must be one of owner'],
      [['member', 'suspend', 'key_1'], 'name the member to suspend: mem_...'],
    ] as const)
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
  });
});

it('cli key create gives a key its scopes and addresses', async () => {
  const { id, key } = await saidJson(
    'key',
    'create',
    '--environment',
    'test',
    '--scopes',
    'wallets:read,keys:read',
    '--ips',
    '127.0.0.1/32,::1/128',
  );
  const { data } = (await harness.test.get(`/v1/api-keys/${id}`)).body;
  expect(data).toMatchObject({ name: 'command line', scopes: ['wallets:read', 'keys:read'], allowed_ips: ['127.0.0.1/32', '::1/128'] });
  expect((await harness.test.get('/v1/wallets', { as: key })).status).toBe(200);
  expect((await harness.test.get('/v1/accounts', { as: key })).body).toMatchObject({ code: 'insufficient_scope' });
  const elsewhere = await saidJson('key', 'create', '--environment', 'test', '--ips', '192.0.2.0/24');
  expect((await harness.test.get('/v1/wallets', { as: elsewhere.key })).body).toMatchObject({ details: { reason: 'ip_not_allowed' } });
  const wrong = await run('key', 'create', '--environment', 'test', '--scopes', 'wallets:reed');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean wallets:read?') });
  const noNetwork = await run('key', 'create', '--environment', 'test', '--ips', '192.0.2.0/240');
  expect(noNetwork).toMatchObject({ code: 1, stderr: expect.stringContaining('--ips') });
});

it('cli connection list shows what is connected, and revoke ends it at once', async () => {
  expect(await said('connection', 'list', '--environment', 'test')).toBe('No program is connected.');
  const agent = await enrol(harness.test);
  const { accessToken } = await connectProgram(await join(harness, 'owner'), { agent_id: agent.id });
  const [listed] = await saidJson('connection', 'list', '--environment', 'test');
  expect(listed).toMatchObject({ id: expect.stringMatching(/^cnx_/), status: 'active', agent_id: agent.id });
  expect(await saidElsewhere('connection', 'revoke', listed.id, '--environment', 'test')).toBe(`revoked ${listed.id}`);
  expect(await said('connection', 'list', '--environment', 'test')).toContain(`${listed.id}  revoked`);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const headers = {
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${accessToken}`,
    'Content-Type': 'application/json',
  };
  const ask = () => fetch(`${harness.test.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
  await expect.poll(async () => (await ask()).status, { timeout: 1_000, interval: 50 }).toBe(401);
});

it('cli tenant limits shows and changes the limits of a tenant, in every process', async () => {
  const shown = async () => (await harness.test.get('/v1/rate-limits')).body.data.slice(1, 3).map(({ limit }: Json) => limit);
  expect(await saidJson('tenant', 'limits')).toEqual([
    // What the process of the command has by default.
    { environment: 'live', actor: 100, workspace: 1_000 },
    { environment: 'test', actor: 1_000, workspace: 10_000 },
  ]);
  expect(await saidElsewhere('tenant', 'limits', '--actor', '600')).toBe(
    'live  600 a minute for an actor, 6000 for all together\ntest  600 a minute for an actor, 6000 for all together',
  );
  await expect.poll(shown, { timeout: 1_000, interval: 50 }).toEqual([600, 6_000]);
  await said('tenant', 'limits', '--workspace', '900', '--environment', 'test');
  await expect.poll(shown, { timeout: 1_000, interval: 50 }).toEqual([600, 900]);
  expect((await harness.live.get('/v1/rate-limits')).body.data[2].limit).toBe(6_000);
  await said('tenant', 'limits', '--reset');
  await expect.poll(shown, { timeout: 1_000, interval: 50 }).toEqual([1_000_000, 10_000_000]);
  expect(await run('tenant', 'limits', '--actor', '0')).toMatchObject({ code: 1, stderr: expect.stringContaining('--actor') });
});

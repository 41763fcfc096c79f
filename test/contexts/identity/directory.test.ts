// The directory: what is found by its hash, in which workspace, and for how long.
import { describe, expect, it } from 'vitest';
import { sweepLogins } from '../../../src/contexts/agents/session.js';
import { sweepDirectory } from '../../../src/contexts/identity/directory.js';
import { bootstrapTenant } from '../../../src/contexts/identity/tenant.js';
import { sha256 } from '../../../src/platform/crypto.js';
import { hasCells, useHarness } from '../../harness.js';
import { enrol, signIn as signInAgent } from '../agents/identity.js';
import { issueKey } from './sign-in.js';

const harness = useHarness();
const day = 86_400;
const entries = () => harness.platform.database.unscoped.credential;
const entryOf = (text: string) => entries().findUnique({ where: { hash: sha256(text) } });
const code = async (as: string, client = harness.test) => (await client.get('/v1/me', { as })).body.code ?? 'ok';

describe('the directory', () => {
  it('knows where every credential belongs, by its hash alone', async () => {
    const agent = await enrol(harness.test);
    const session = await signInAgent(harness.test, agent);
    const { workspaceId } = await entries().findUniqueOrThrow({ where: { hash: sha256(harness.test.key) } });
    for (const [text, kind] of [
      [harness.test.key, 'api_key'],
      [agent.token, 'agent_token'],
      [session, 'session'],
      [agent.id, 'agent'],
    ] as const) {
      expect(await entryOf(text), kind).toMatchObject({ kind, workspaceId });
    }
    const { rows } = await harness.platform.database.pool.query('SELECT encode(hash, $1) AS hash FROM credential', ['escape']);
    expect(rows.some(({ hash }) => /pk_|agent_|sess_/.test(hash))).toBe(false);
  });

  // The entries of two tenants lie in two cells.
  it.skipIf(hasCells)('leads to no row of another workspace, and to none of another kind', async () => {
    const { id } = await issueKey(harness.test);
    const [mine, theirs] = [await entryOf(harness.test.key), await entryOf(harness.other.key)];
    const agent = await enrol(harness.test);
    const token = await entryOf(agent.token);
    const forge = (text: string, entry: object) =>
      entries().create({ data: { hash: sha256(text), kind: 'api_key', id: id.slice(4), workspaceId: mine?.workspaceId ?? '', ...entry } });
    await forge('pk_test_right', {});
    await forge('pk_test_elsewhere', { workspaceId: theirs?.workspaceId });
    await forge('pk_test_session', { kind: 'session' });
    await forge('agent_token', { kind: 'agent_token', id: token?.id, workspaceId: theirs?.workspaceId });
    expect(await code('pk_test_right')).toBe('ok');
    for (const key of ['pk_test_elsewhere', 'pk_test_session']) expect(await code(key)).toBe('invalid_api_key');
    expect(await code('agent_token')).toBe('invalid_agent_token');
  });

  // Keys that are set are of a tenant of the first cell.
  it.skipIf(hasCells)('forgets an API key a day after it was revoked, which is not brought back', async () => {
    const { platform } = harness;
    const key = 'pk_test_brought_back';
    await bootstrapTenant(platform, { bootstrapLiveKey: null, bootstrapTestKey: key });
    const [{ id }] = (await harness.test.get('/v1/api-keys')).body.data;
    expect(await code(key)).toBe('ok');
    await harness.test.delete(`/v1/api-keys/${id}`);
    expect(await code(key)).toBe('invalid_api_key');
    harness.clock.advance(day - 1);
    await sweepDirectory(platform);
    expect(await entryOf(key)).not.toBeNull();
    harness.clock.advance(1);
    await sweepDirectory(platform);
    expect(await entryOf(key)).toBeNull();
    expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data.status).toBe('revoked');
    await bootstrapTenant(platform, { bootstrapLiveKey: null, bootstrapTestKey: key });
    expect([await entryOf(key), await code(key)]).toEqual([null, 'invalid_api_key']);
  });

  it('forgets an API key a day after it expired, and one that was rolled a day after the overlap', async () => {
    const expires_at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const expiring = await issueKey(harness.test, { expires_at });
    const old = await issueKey(harness.test);
    const rolled = await harness.test.make(`/v1/api-keys/${old.id}/roll`, { overlap_seconds: 120 });
    harness.clock.advance(day + 60);
    await sweepDirectory(harness.platform);
    expect([await entryOf(expiring.key), (await entryOf(old.key))?.kind]).toEqual([null, 'api_key']);
    harness.clock.advance(60);
    await sweepDirectory(harness.platform);
    expect(await entryOf(old.key)).toBeNull();
    expect(await code(rolled.key)).toBe('ok');
  });

  it('forgets an agent token a day after it was rotated, and its row with it', async () => {
    const agent = await enrol(harness.test);
    const { token } = await harness.test.make(`/v1/agents/${agent.id}/token/rotate`, { overlap_seconds: 60 });
    const rows = () => harness.platform.database.unscoped.agentToken.count({ where: { agentId: agent.uuid } });
    harness.clock.advance(day + 59);
    await sweepDirectory(harness.platform);
    await sweepLogins(harness.platform);
    expect([(await entryOf(agent.token))?.kind, await rows()]).toEqual(['agent_token', 2]);
    harness.clock.advance(1);
    await sweepDirectory(harness.platform);
    await sweepLogins(harness.platform);
    expect([await entryOf(agent.token), await rows()]).toEqual([null, 1]);
    expect([await code(agent.token), await code(token)]).toEqual(['invalid_agent_token', 'ok']);
  });

  it('forgets the tokens of a revoked agent', async () => {
    const agent = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${agent.id}/revoke`, {});
    harness.clock.advance(day);
    await sweepDirectory(harness.platform);
    expect(await entryOf(agent.token)).toBeNull();
  });

  it('tells an expired session from an unknown one for a day', async () => {
    const session = await signInAgent(harness.test, await enrol(harness.test));
    harness.clock.advance(3_600 + day - 1);
    await sweepDirectory(harness.platform);
    await sweepLogins(harness.platform);
    expect(await code(session)).toBe('session_expired');
    harness.clock.advance(1);
    await sweepDirectory(harness.platform);
    await sweepLogins(harness.platform);
    const agent = await enrol(harness.test);
    // The process keeps what it has seen until the row changes: another one is asked for what is there now.
    harness.platform.cache.clear();
    expect(await code(session)).toBe('invalid_session_token');
    expect(await code(agent.token)).toBe('ok');
  });

  it('is swept so many entries at a time', async () => {
    for (let n = 0; n < 3; n += 1)
      await issueKey(harness.test, { expires_at: new Date(harness.clock.now().getTime() + 1_000).toISOString() });
    harness.clock.advance(day + 1);
    expect([await sweepDirectory(harness.platform, 2), await sweepDirectory(harness.platform, 2)]).toEqual([2, 1]);
    expect(await sweepDirectory(harness.platform, 2)).toBe(0);
  });
});

describe('the last use of a credential', () => {
  it('is written without waiting for a row that somebody else has locked', async () => {
    const [locked, free] = [await issueKey(harness.test), await issueKey(harness.test)];
    const used = async ({ id }: { id: string }) => (await harness.test.get(`/v1/api-keys/${id}`)).body.data.last_used_at ?? null;
    const client = await harness.platform.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM api_key WHERE id = $1 FOR UPDATE', [locked.id.slice(4)]);
      expect([await code(locked.key), await code(free.key)]).toEqual(['ok', 'ok']);
      await expect.poll(() => used(free)).toBe(harness.clock.now().toISOString());
      expect(await used(locked)).toBeNull();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    harness.clock.advance(60);
    expect(await code(locked.key)).toBe('ok');
    await expect.poll(() => used(locked)).toBe(harness.clock.now().toISOString());
  });
});

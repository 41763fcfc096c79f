// What the audit log says of credentials and rights: what was refused, made and ended (CONTRACT.md 18).
import { describe, expect, it, vi } from 'vitest';
import { InvalidApiKey, MalformedCredential } from '../../../src/platform/credential.js';
import { noteRefusedCredential, writeDenials } from '../../../src/platform/denial.js';
import { type Client, type Json, nowhere, useHarness } from '../../harness.js';
import { challengeOf, enrol, signIn as signAgentIn } from '../agents/identity.js';
import { issueKey, signIn } from '../identity/sign-in.js';

// A platform of its own: what others were refused in the same minute would be left out.
const harness = useHarness({ env: { LOG_LEVEL: 'silent' } });
const log = async (query: string, client: Client = harness.test): Promise<Json[]> => (await client.get(`/v1/audit-log?${query}`)).body.data;
const refused = (client?: Client) => log('action=credential.refused', client);
const denied = () => log('action=access.refused');
const me = (as: string, headers: Record<string, string> = {}) => harness.test.get('/v1/me', { as, headers });
/** Lines of the process's log while `work` is done. */
async function logged(work: () => Promise<unknown>): Promise<Json[]> {
  const lines: Json[] = [];
  const warn = vi.spyOn(harness.platform.log, 'warn').mockImplementation(((...line: unknown[]) => void lines.push(line)) as never);
  try {
    await writeDenials(harness.platform);
    lines.length = 0;
    await work();
    await writeDenials(harness.platform);
  } finally {
    warn.mockRestore();
  }
  return lines;
}

describe('a credential that is refused', () => {
  it('is told once a minute for each source, with what was left out, and never with the credential', async () => {
    harness.clock.advance(61);
    const revoked = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    expect((await me(revoked.key, { 'X-Request-Id': 'first' })).status).toBe(401);
    for (let n = 0; n < 7; n += 1) expect((await me(revoked.key)).status).toBe(401);
    const [entry, ...more] = await refused();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      actor: { type: 'anonymous' },
      resource_type: 'api_key',
      resource_id: revoked.id,
      request_id: 'first',
      ip: '127.0.0.1',
      changes: { code: 'invalid_api_key', credential: 'pk' },
    });
    harness.clock.advance(60);
    await me(revoked.key);
    const [second] = await refused();
    expect(second.changes).toEqual({ code: 'invalid_api_key', credential: 'pk', left_out: 7 });
    expect(JSON.stringify(await log('limit=200'))).not.toContain(revoked.key);
    expect((await harness.test.get('/v1/audit-log/verify')).body.data.valid).toBe(true);
  });

  it('is told in the workspace that it belongs to, of every kind', async () => {
    harness.clock.advance(61);
    const agent = await enrol(harness.test);
    const session = await signAgentIn(harness.test, agent);
    const jwt = await signIn(harness.test);
    await harness.test.post('/v1/auth/logout', undefined, { as: jwt });
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c', scopes: ['usage:read'] });
    await harness.test.delete(`/v1/portal-tokens/${portal.id}`);
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    await harness.live.get('/v1/me', { as: harness.test.key });
    for (const as of [session, jwt, portal.token]) expect([401, 403]).toContain((await me(as)).status);
    const told = (await refused()).slice(0, 4).map(({ resource_type, changes }) => [resource_type, changes.code]);
    expect(told.sort()).toEqual([
      ['api_key', 'environment_mismatch'],
      ['api_key', 'invalid_jwt'],
      ['portal_token', 'portal_token_expired'],
      ['session', 'agent_suspended'],
    ]);
    expect(await refused(harness.other)).toEqual([]);
  });

  it('is told where an agent or a person signs in', async () => {
    harness.clock.advance(61);
    const agent = await enrol(harness.test);
    const answer = { challenge: await challengeOf(harness.test, agent.id), signature: Buffer.alloc(64).toString('base64') };
    expect((await harness.test.post(`/v1/agents/${agent.id}/authenticate`, answer, { as: null })).status).toBe(401);
    const revoked = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    await harness.test.post('/v1/auth/session', { api_key: revoked.key }, { as: null });
    const [key, signature] = await refused();
    expect(key).toMatchObject({ resource_type: 'api_key', resource_id: revoked.id });
    expect(signature).toMatchObject({ resource_type: 'agent', resource_id: agent.id, changes: { credential: 'challenge' } });
  });

  it('is a line of the log of the process, with a request id, where nobody knows it', async () => {
    harness.clock.advance(61);
    const before = (await refused()).length;
    const lines = await logged(async () => {
      await me('pk_test_nobody_has_this_key', { 'X-Request-Id': 'guess-1' });
      await me('pk_test_nor_has_anybody_this', { 'X-Request-Id': 'guess-2' });
      await me('rubbish', { 'X-Request-Id': 'guess-3' });
    });
    expect(lines).toEqual([
      [{ requestId: 'guess-3', ip: '127.0.0.1', code: 'malformed_credential', credential: 'unknown' }, 'credential.refused'],
      [{ requestId: 'guess-1', ip: '127.0.0.1', code: 'invalid_api_key', credential: 'pk' }, 'credential.refused'],
    ]);
    expect((await refused()).length).toBe(before);
  });

  it('writes no row for each of a flood, and keeps few sources', async () => {
    harness.clock.advance(61);
    const rows = async () => Number((await harness.platform.database.pool.query('SELECT count(*) FROM audit_entry')).rows[0].count);
    const revoked = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    await refused();
    const before = await rows();
    await Promise.all(Array.from({ length: 200 }, () => me(revoked.key)));
    await refused();
    expect((await rows()) - before).toBe(1);
  });

  it('is not hidden by what nobody, or another workspace, is refused from the same network', async () => {
    harness.clock.advance(61);
    const revoked = await issueKey(harness.test);
    const others = await issueKey(harness.other);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    await harness.other.delete(`/v1/api-keys/${others.id}`);
    await me('pk_test_garbage');
    await me('pk_test_garbage with a space');
    await refused();
    for (const key of [others.key, 'pk_test_more_garbage', revoked.key, revoked.key]) await me(key);
    const [own] = await refused();
    expect(own).toMatchObject({ resource_id: revoked.id, changes: { code: 'invalid_api_key', credential: 'pk' } });
    expect((await refused(harness.other))[0]).toMatchObject({ resource_id: others.id });
    // The next minute says what was left out of the own ones alone.
    harness.clock.advance(60);
    await me(revoked.key);
    expect((await refused())[0].changes.left_out).toBe(1);
  });

  it('looks up whose it is for no more than some between two writes', async () => {
    harness.clock.advance(61);
    await refused();
    const lines = await logged(async () => {
      const shown = { requestId: 'flood', ip: '203.0.113.9' };
      let lookedUp = 0;
      const resolver = {
        prefix: 'pk_' as const,
        resolve: () => Promise.reject(new InvalidApiKey()),
        ownerOf: async () => {
          lookedUp += 1;
          return null;
        },
      };
      for (let n = 0; n < 500; n += 1) {
        noteRefusedCredential(harness.platform, shown, new InvalidApiKey(), { resolver, credential: `pk_test_${n}` });
        noteRefusedCredential(harness.platform, shown, new MalformedCredential(), { resolver, credential: `pk_test_${n}` });
      }
      await writeDenials(harness.platform);
      expect(lookedUp).toBe(100);
    });
    expect(lines).toHaveLength(1);
  });
});

describe('a right that is missing', () => {
  it('is told with who lacked it and what was asked, over REST and GraphQL, once a minute each', async () => {
    harness.clock.advance(61);
    const before = (await denied()).length;
    const jwt = await signIn(harness.test);
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c', scopes: ['usage:read'] });
    for (let n = 0; n < 3; n += 1) expect((await harness.test.get('/v1/api-keys', { as: jwt })).status).toBe(403);
    await harness.test.get('/v1/wallets', { as: portal.token });
    await harness.test.graphql('{ mine: apiKeys { nodes { id } } }', {}, { as: jwt });
    const told = await denied();
    expect(told.length - before).toBe(3);
    const [graphql, ofPortal, rest] = told;
    expect(rest).toMatchObject({ actor: { type: 'user' }, changes: { code: 'api_key_required', operation: 'GET /v1/api-keys' } });
    expect(ofPortal).toMatchObject({ actor: { type: 'portal', id: portal.id }, changes: { code: 'insufficient_scope' } });
    expect(graphql.changes).toEqual({ code: 'api_key_required', operation: 'apiKeys' });
  });

  it('is not what a rule refuses, and not what is missing', async () => {
    harness.clock.advance(61);
    const before = (await denied()).length;
    await harness.test.get(`/v1/wallets/${nowhere}`);
    await harness.test.post(`/v1/wallets/${nowhere}/freeze`, {});
    await harness.test.get('/v1/me', { as: null });
    expect((await denied()).length).toBe(before);
  });
});

describe('credentials that are made and ended', () => {
  it('are entries of their own operations', async () => {
    const key = await issueKey(harness.test);
    const rolled = (await harness.test.post(`/v1/api-keys/${key.id}/roll`, {})).body.data;
    await harness.test.delete(`/v1/api-keys/${rolled.id}`);
    const jwt = await signIn(harness.test);
    await harness.test.post('/v1/auth/logout', undefined, { as: jwt });
    const agent = await enrol(harness.test);
    await signAgentIn(harness.test, agent);
    const [session] = (await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data;
    await harness.test.delete(`/v1/agents/${agent.id}/sessions/${session.id}`);
    await harness.test.post(`/v1/agents/${agent.id}/rotate-token`, {});
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c', scopes: ['usage:read'] });
    await harness.test.delete(`/v1/portal-tokens/${portal.id}`);
    const actions = new Set((await log('limit=200')).map(({ action }) => action));
    for (const action of [
      'createApiKey',
      'rollApiKey',
      'revokeApiKey',
      'createAuthSession',
      'endAuthSession',
      'authenticateAgent',
      'revokeSession',
      'createPortalToken',
      'revokePortalToken',
    ])
      expect(actions, action).toContain(action);
    const [ended] = await log('action=endAuthSession');
    const [made] = await log('action=createAuthSession');
    expect(ended.resource_id).toBe(made.resource_id);
    expect(ended.resource_type).toBe(made.resource_type);
    expect(made.actor.type).toBe('api_key');
    expect(ended.actor).toMatchObject({ type: 'user', id: made.actor.id });
    expect(await log('action=unnamed')).toEqual([]);
  });
});

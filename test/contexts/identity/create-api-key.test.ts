// POST /v1/api-keys
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/platform/crypto.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectRefused, issueKey, signIn } from './sign-in.js';

const harness = useHarness();
const ownId = async () => (await harness.test.get('/v1/me')).body.data.actor.id as string;
const create = (body: unknown, options = {}) => harness.test.post('/v1/api-keys', body, options);

describe('201', () => {
  it('issues a key that works at once, and keeps no text of it', async () => {
    const { status, body } = await create({ name: ' Shop ' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
      name: 'Shop',
      key: expect.stringMatching(/^pk_test_[A-Za-z0-9_-]{43}$/),
      prefix: body.data.key.slice(0, 12),
      environment: 'test',
      scopes: ['*'],
      status: 'active',
      created_at: harness.clock.now().toISOString(),
      created_by: await ownId(),
    });
    expect((await harness.test.get('/v1/accounts', { as: body.data.key })).status).toBe(200);
    const row = await harness.platform.database.unscoped.apiKey.findFirstOrThrow({ where: { id: body.data.id.slice(4) } });
    expect(Buffer.from(row.hash).equals(sha256(body.data.key))).toBe(true);
    expect(JSON.stringify(row)).not.toContain(body.data.key.slice(12));
  });

  it('takes the environment that the caller is in, full scope and an end', async () => {
    const expiresAt = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const key = await issueKey(harness.test, { environment: 'test', scopes: ['*'], expires_at: expiresAt });
    expect(key).toMatchObject({ environment: 'test', scopes: ['*'], expires_at: expiresAt });
    expect((await harness.live.make('/v1/api-keys', { name: 'Live' })).key).toMatch(/^pk_live_/);
  });

  it('makes one key of one Idempotency-Key, and a replay does not tell it again', async () => {
    const headers = { 'Idempotency-Key': 'create-once' };
    const first = await create({ name: 'Once' }, { headers });
    const again = await create({ name: 'Once' }, { headers });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { key, ...rest } = first.body.data;
    expect(key).toMatch(/^pk_test_/);
    expect(again.body).toEqual({ data: rest });
  });
});

describe('400', () => {
  const cases: [string, object, string][] = [
    ['no name', {}, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a long name', { name: 'a'.repeat(201) }, 'name'],
    ['a third environment', { name: 'a', environment: 'staging' }, 'environment'],
    ['an unknown scope', { name: 'a', scopes: ['transfer:reed'] }, 'scopes.0'],
    ['a scope that another one stands for', { name: 'a', scopes: ['approvals:write'] }, 'scopes.0'],
    ['a resource that is only read', { name: 'a', scopes: ['usage:read', 'usage:write'] }, 'scopes.1'],
    ['a scope twice', { name: 'a', scopes: ['cards:read', 'wallets:read', 'cards:read'] }, 'scopes.2'],
    ['an address without its length', { name: 'a', allowed_ips: ['203.0.113.7'] }, 'allowed_ips.0'],
    ['a network that is none', { name: 'a', allowed_ips: ['203.0.113.0/24', '203.0.113.0/33'] }, 'allowed_ips.1'],
    ['a zone', { name: 'a', allowed_ips: ['fe80::1%eth0/64'] }, 'allowed_ips.0'],
    ['every address beside others', { name: 'a', allowed_ips: ['0.0.0.0/0', '203.0.113.0/24'] }, 'allowed_ips.0'],
    ['every address of IPv6 beside others', { name: 'a', allowed_ips: ['203.0.113.0/24', '::/0'] }, 'allowed_ips.1'],
    ['a network twice', { name: 'a', allowed_ips: ['203.0.113.0/24', '203.0.113.0/24'] }, 'allowed_ips.1'],
    ['no network at all', { name: 'a', allowed_ips: [] }, 'allowed_ips'],
    ['21 networks', { name: 'a', allowed_ips: Array.from({ length: 21 }, (_, n) => `10.0.${n}.0/24`) }, 'allowed_ips'],
    ['no scope at all', { name: 'a', scopes: [] }, 'scopes'],
    ['an end that is no date', { name: 'a', expires_at: 'tomorrow' }, 'expires_at'],
    ['an end that has passed', { name: 'a', expires_at: '2026-03-02T10:00:00.000Z' }, 'expires_at'],
    ['a misspelt end', { name: 'a', expire_at: '2027-01-01' }, 'expire_at'],
  ];
  for (const [name, body, path] of cases) {
    it(name, async () => {
      const answer = await create(body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(answer.body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
    });
  }
});

describe('400 says what was meant', () => {
  const cases: [string, string][] = [
    ['transfer:read', 'did you mean transfers:read?'],
    ['approvals:write', 'did you mean approvals:decide?'],
    ['everything', 'GET /v1/scopes'],
  ];
  for (const [scope, words] of cases) {
    it(scope, async () => {
      const { body } = await create({ name: 'a', scopes: [scope] });
      expect(body.details.fields[0].message).toContain(words);
    });
  }
});

describe('401', () => {
  it('without a credential', async () => {
    expectRefused(await create({ name: 'a' }, { as: null }), 'missing_credential');
  });
});

describe('403', () => {
  it('a session, before its input is read', async () => {
    expect(await create({}, { as: await signIn(harness.test) })).toMatchObject({ status: 403, body: { code: 'api_key_required' } });
  });

  it('more than the maker has; by default a key has what its maker has', async () => {
    const maker = await issueKey(harness.test, { scopes: ['keys:write', 'transfers:read', '*:read'] });
    const made = await create({ name: 'a' }, { as: maker.key });
    expect(made.body.data).toMatchObject({ scopes: ['keys:write', 'transfers:read', '*:read'], created_by: maker.id });
    expect((await create({ name: 'a', scopes: ['keys:read', 'usage:read'] }, { as: maker.key })).status).toBe(201);
    for (const scope of ['transfers:write', '*', 'freeze:write', 'approvals:decide']) {
      expect(await create({ name: 'a', scopes: ['keys:write', scope] }, { as: maker.key })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope', details: { required_scope: scope, scopes: maker.scopes } },
      });
    }
  });

  it('a portal token with more than its maker has', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['keys:write', 'usage:read'] });
    const ask = (scopes: string[]) => harness.test.post('/v1/portal-tokens', { customer_reference: 'c', scopes }, { as: key });
    expect((await ask(['usage:read'])).status).toBe(201);
    expect(await ask(['usage:read', 'agents:read'])).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', details: { required_scope: 'agents:read' } },
    });
  });

  it('a key for the other environment, and says where to ask', async () => {
    const answer = await create({ name: 'a', environment: 'live' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden', error: expect.stringContaining('live key') } });
  });
});

describe('409', () => {
  it('of calls at once with one Idempotency-Key at most one makes a key; the others replay or are told to wait', async () => {
    const headers = { 'Idempotency-Key': 'create-together' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Together' }, { headers })));
    for (const { status, body } of answers) expect(status === 201 || body.code === 'idempotency_in_flight').toBe(true);
    expect(answers.filter(({ body }) => body.data?.key !== undefined)).toHaveLength(1);
    expect(await harness.platform.database.unscoped.apiKey.count({ where: { name: 'Together' } })).toBe(1);
  });
});

describe('422', () => {
  it('another request under a used Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'create-other' };
    await create({ name: 'One' }, { headers });
    expect(await create({ name: nowhere }, { headers })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });
});

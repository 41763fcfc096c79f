// Keys that may be used from some addresses alone (CONTRACT.md 22 "API keys").
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { issueKey } from './sign-in.js';

// One proxy is trusted, so that a test says where it comes from.
const harness = useHarness({ env: { TRUSTED_PROXIES: '1' } });
const from = (address: string, key: string) => harness.test.get('/v1/accounts', { as: key, headers: { 'X-Forwarded-For': address } });

describe('a key with allowed_ips', () => {
  it('works from its networks, and says which they are and where it was used last', async () => {
    const { id, key, allowed_ips } = await issueKey(harness.test, { allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    expect(allowed_ips).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    expect((await from('203.0.113.9', key)).status).toBe(200);
    await expect.poll(async () => (await harness.test.get(`/v1/api-keys/${id}`)).body.data.last_used_ip).toBe('203.0.113.9');
    expect((await from('2001:db8:1::5', key)).status).toBe(200);
    expect((await from('::ffff:203.0.113.4', key)).status).toBe(200);
  });

  it('is 403 from elsewhere, warm or cold, and so is signing in with it', async () => {
    const { key } = await issueKey(harness.test, { allowed_ips: ['203.0.113.0/24'] });
    const refusal = { status: 403, body: { code: 'forbidden', details: { reason: 'ip_not_allowed' } } };
    for (const address of ['198.51.100.1', '203.0.114.1', '2001:db8::1', '127.0.0.1']) {
      expect(await from(address, key)).toMatchObject(refusal);
    }
    expect((await from('203.0.113.1', key)).status).toBe(200);
    expect(await from('198.51.100.1', key)).toMatchObject(refusal);
    const elsewhere = { as: null, headers: { 'X-Forwarded-For': '198.51.100.1' } };
    expect(await harness.test.post('/v1/auth/session', { api_key: key }, elsewhere)).toMatchObject(refusal);
  });

  it('binds its JWT sessions, and is kept when it is rolled', async () => {
    const { id, key } = await issueKey(harness.test, { allowed_ips: ['203.0.113.0/24'] });
    const inside = { as: null, headers: { 'X-Forwarded-For': '203.0.113.1' } };
    const { token } = (await harness.test.post('/v1/auth/session', { api_key: key }, inside)).body.data;
    expect((await from('203.0.113.2', token)).status).toBe(200);
    expect(await from('198.51.100.1', token)).toMatchObject({ status: 403, body: { details: { reason: 'ip_not_allowed' } } });
    const rolled = (await harness.test.post(`/v1/api-keys/${id}/roll`, {})).body.data;
    expect(rolled.allowed_ips).toEqual(['203.0.113.0/24']);
    expect((await from('198.51.100.1', rolled.key)).status).toBe(403);
  });

  it('has a network changed in every process at once', async () => {
    const { id, key } = await issueKey(harness.test, { allowed_ips: ['203.0.113.0/24'] });
    expect((await from('203.0.113.1', key)).status).toBe(200);
    await harness.platform.database.unscoped.apiKey.updateMany({ where: { id: id.slice(4) }, data: { allowedIps: ['198.51.100.0/24'] } });
    await expect.poll(async () => (await from('203.0.113.1', key)).status).toBe(403);
    expect((await from('198.51.100.7', key)).status).toBe(200);
  });
});

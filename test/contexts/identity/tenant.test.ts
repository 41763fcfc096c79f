// Tenants, and the first start of a platform.
import { describe, expect, it } from 'vitest';
import { apiKeyCredential } from '../../../src/contexts/identity/credential.js';
import { bootstrapTenant, createTenant, tenantWorkspace } from '../../../src/contexts/identity/tenant.js';
import { hasCells, useHarness } from '../../harness.js';

const unset = { bootstrapLiveKey: null, bootstrapTestKey: null };

describe('createTenant', () => {
  const harness = useHarness();

  it('makes two halves that share nothing but the tenant', async () => {
    const made = await createTenant(harness.platform, { name: 'Acme' });
    const test = await apiKeyCredential.resolve(harness.platform, made.testKey, 'test');
    const live = await apiKeyCredential.resolve(harness.platform, made.liveKey, 'live');
    expect([test.workspace.tenantId, live.workspace.tenantId]).toEqual([made.tenantId, made.tenantId]);
    expect(test.workspace.id).not.toBe(live.workspace.id);
    expect(await tenantWorkspace(harness.platform, made.tenantId, 'test')).toEqual(test.workspace);
    expect(await tenantWorkspace(harness.platform, made.tenantId, 'live')).toEqual(live.workspace);
    expect(await tenantWorkspace(harness.platform, test.workspace.id, 'live')).toBeNull();
  });

  it('leaves nothing behind when a given key is taken', async () => {
    const before = await harness.platform.database.unscoped.tenant.count();
    await expect(createTenant(harness.platform, { name: 'Twin', testKey: harness.test.key })).rejects.toThrow();
    expect(await harness.platform.database.unscoped.tenant.count()).toBe(before);
  });
});

// It makes a tenant of the first cell.
describe.skipIf(hasCells)('bootstrapTenant', () => {
  const harness = useHarness();
  const keys = () => harness.platform.database.unscoped.apiKey.count();

  it('makes no demo tenant where there is a tenant', async () => {
    const before = await keys();
    expect(await bootstrapTenant(harness.platform, unset)).toBeNull();
    expect(await keys()).toBe(before);
  });

  it('adds set keys to the oldest tenant, once', async () => {
    const before = await keys();
    const settings = { bootstrapLiveKey: 'pk_live_bootstrap', bootstrapTestKey: 'pk_test_bootstrap' };
    expect(await Promise.all([1, 2, 3].map(() => bootstrapTenant(harness.platform, settings)))).toEqual([null, null, null]);
    expect(await keys()).toBe(before + 2);
    expect((await harness.test.get('/v1/api-keys', { as: 'pk_test_bootstrap' })).status).toBe(200);
    const { workspace } = await apiKeyCredential.resolve(harness.platform, 'pk_live_bootstrap', 'live');
    expect(workspace.tenantId).toBe(harness.tenantId);
  });

  it('does not bring a revoked key back', async () => {
    await harness.platform.database.unscoped.apiKey.updateMany({
      where: { prefix: 'pk_test_boot' },
      data: { revokedAt: harness.clock.now() },
    });
    await bootstrapTenant(harness.platform, { bootstrapLiveKey: null, bootstrapTestKey: 'pk_test_bootstrap' });
    const resolved = () =>
      apiKeyCredential.resolve(harness.platform, 'pk_test_bootstrap', 'test').then(
        () => 'accepted',
        ({ code }) => code,
      );
    await expect.poll(resolved, { interval: 5 }).toBe('invalid_api_key');
  });

  it('makes one demo tenant, with the keys that are set, when several processes start on an empty database', async () => {
    const { unscoped } = harness.platform.database;
    await unscoped.apiKey.deleteMany();
    await unscoped.workspace.deleteMany();
    await unscoped.tenant.deleteMany();
    const settings = { bootstrapLiveKey: null, bootstrapTestKey: 'pk_test_demokey1' };
    const made = await Promise.all([1, 2, 3, 4].map(() => bootstrapTenant(harness.platform, settings)));
    const [created, ...rest] = made.filter((one) => one !== null);
    expect(rest).toEqual([]);
    expect(created).toMatchObject({ testKey: 'pk_test_demokey1', liveKey: expect.stringMatching(/^pk_live_.{43}$/) });
    expect([await unscoped.tenant.count(), await unscoped.workspace.count(), await keys()]).toEqual([1, 2, 2]);
  });
});

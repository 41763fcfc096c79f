// The commands about hosts of shops, beside a server that runs.
import { beforeAll, describe, expect, it } from 'vitest';
import { platformUrl, readListen } from '../src/cli/shop.js';
import { runHere } from './command.js';
import { newSeller } from './factories/offer.js';
import { type Json, useHarness } from './harness.js';

const harness = useHarness();
let merchant: Json;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.live));
});

function run(...args: string[]) {
  const { databaseUrl, secretsKey } = harness.platform.config;
  const ofTenant = ['--tenant', harness.tenantId, '--environment', 'live'];
  return runHere(['shop-host', ...args, ...ofTenant], { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '' });
}

describe('cli shop-host', () => {
  it('gives a merchant a host in production, lists it, and takes it away', async () => {
    const host = 'pots.shop.example';
    expect((await run('list')).stdout).toContain('No merchant has a host.');
    expect((await run('add', host, '--merchant', merchant.id)).stdout).toContain(`added ${host}`);
    expect((await harness.live.get(`/v1/merchants/${merchant.id}`)).body.data.shop_hosts).toEqual([host]);
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([{ host, merchant_id: merchant.id }]);
    const removed = await run('remove', host, '--merchant', merchant.id);
    expect(removed).toMatchObject({ code: 0, stdout: `removed ${host}\n` });
    expect((await harness.live.get(`/v1/merchants/${merchant.id}`)).body.data.shop_hosts).toEqual([]);
  });
  it.each([
    [['add', 'Pots.example', '--merchant', 'mer_1'], 'small letters'],
    [['add', 'pots.example', '--merchant', 'pots'], 'must be the id of a merchant'],
    [['add', 'pots.example', '--merchant', 'mer_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d'], 'there is no such merchant'],
    [['add', '--merchant', 'mer_1'], '--host is required'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
  it('refuses a host that the merchant does not have', async () => {
    expect((await run('remove', 'none.shop.example', '--merchant', merchant.id)).stderr).toContain('is no host of this merchant');
  });
});

describe('cli shop', () => {
  it('listens on this machine alone', () => {
    expect(readListen('127.0.0.1:8090')).toEqual({ host: '127.0.0.1', port: 8090 });
    expect(readListen('[::1]:8090')).toEqual({ host: '::1', port: 8090 });
    for (const text of ['0.0.0.0:8090', 'shop.example:80', '8090', '127.0.0.1:70000', '127.0.0.1'])
      expect(() => readListen(text)).toThrow();
  });
  it('knows where the platform is', () => {
    const config = { ...harness.platform.config, baseUrl: 'https://pay.example', sandboxUrl: null, sandboxPort: 4001 };
    expect([platformUrl(config, 'live'), platformUrl(config, 'test')]).toEqual(['https://pay.example', 'http://127.0.0.1:4001']);
  });
});

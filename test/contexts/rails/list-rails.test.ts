// GET /v1/rails
import { describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { Client, type Json } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { dataOf, farSide, plenty, useRails } from './test-kind.js';

const stranger = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const rails = useRails([`usdc-base: {kind: test, fee: "0.50", ${plenty}}`, `usdc-far: {kind: test, workspaces: [${stranger}], ${plenty}}`]);
const { harness } = rails;

const shared = {
  rail: 'usdc-base',
  currency: 'USDC',
  kind: 'test',
  directions: ['out'],
  status: 'off',
  fee: '0.50',
  limits: { per_order: '1000.00', per_day: '100000.00', per_day_count: 10_000 },
  expected_seconds: 600,
  network: 'eip155:8453',
};
const named = (body: Json, name: string) => body.data.find(({ rail }: Json) => rail === name);

describe('GET /v1/rails', () => {
  describe('200', () => {
    it('with what only who runs the platform sees', async () => {
      farSide.problem = 'it is silent';
      await rails.look();
      const { status, body } = await harness.live.get('/v1/rails');
      expect(status).toBe(200);
      const at = harness.clock.now().toISOString();
      expect(named(body, 'usdc-base')).toEqual({
        ...shared,
        health: { ok: false, since: at, problems: [{ check: 'far side', found: 'it is silent', fix: 'Mend it.', stops: true }] },
        balances: [{ where: 'far side', amount: '12.5', unit: 'USDC' }],
        used_today: { amount: '0.00', count: 0 },
        open: { count: 0, amount: '0.00' },
      });
      expect(named(body, 'usdc-far')).toMatchObject({ kind: 'test', status: 'off', health: { ok: true } });
      expect(named(body, 'ach')).toMatchObject({ status: 'not_configured', directions: ['out', 'in'] });
      expect(named(body, 'ach')).not.toHaveProperty('health');
      expect(dataOf(await harness.live.get('/v1/rails/usdc-base'), 200)).toEqual(named(body, 'usdc-base'));
    });

    it('without it for other tenants, who see no rail that is not theirs', async () => {
      const { liveKey } = await createTenant(harness.platform, { name: 'Another' });
      const another = new Client(harness.live.url, liveKey);
      const { body } = await another.get('/v1/rails');
      expect(named(body, 'usdc-base')).toEqual(shared);
      expect(named(body, 'usdc-far')).toMatchObject({ status: 'not_configured' });
      expect(dataOf(await another.get('/v1/rails/usdc-far'), 200)).not.toHaveProperty('kind');
    });

    it('without it for agents of who runs the platform', async () => {
      const { token } = await enrol(harness.live);
      const { body } = await harness.live.get('/v1/rails', { as: token });
      expect(named(body, 'usdc-base')).toEqual(shared);
      expect(named(body, 'usdc-far')).toMatchObject({ status: 'not_configured' });
    });

    it('simulated in the sandbox, whatever the file says', async () => {
      const { body } = await harness.test.get('/v1/rails');
      expect(named(body, 'usdc-base')).toMatchObject({ kind: 'simulated', status: 'simulated', fee: '0.01' });
      expect(named(body, 'usdc-far')).toMatchObject({ status: 'not_configured' });
    });
  });

  it('401 without a credential, 404 for a name that no rail has', async () => {
    expectRefused(await harness.live.get('/v1/rails', { as: null }), 401, 'missing_credential');
    for (const name of ['usdc-nowhere', 'constructor']) expectRefused(await harness.live.get(`/v1/rails/${name}`), 404, 'not_found');
  });
});

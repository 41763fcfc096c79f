// GET /v1/rails/{rail}/proof: what a rail holds outside against the ledger. test/contexts/evm/proof.test.ts has the same over a chain.
import { describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { Client, type Json } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { dataOf, farSide, plenty, useRails } from './test-kind.js';

const rails = useRails([`usdc-base: {kind: test, ${plenty}}`]);
const { harness } = rails;
const path = '/v1/rails/usdc-base/proof';
const prove = async (): Promise<Json> => dataOf(await harness.live.get(path), 200);

describe('GET /v1/rails/{rail}/proof', () => {
  it('200: outside is ledger, in flight, explained and difference together', async () => {
    farSide.money = 500n;
    expect(await prove()).toEqual({
      rail: 'usdc-base',
      currency: 'USDC',
      at: { block: 7, hash: `0x${'7'.repeat(64)}`, time: '2026-03-02T10:00:00.000Z' },
      outside: [{ where: 'far side', amount: '0.0005' }],
      ledger: '0.00',
      in_flight: '0.00',
      difference: '0.00',
      explained: [{ reason: 'put_in', amount: '0.0005', count: 2, newest: ['0x01', '0x02'] }],
    });
  });

  it('200: the ledgers of all live workspaces count, and those of sandboxes do not', async () => {
    await rails.turn();
    dataOf(await rails.payout(await rails.wallet()));
    await harness.runDue();
    await harness.runDue();
    farSide.money = 500n;
    expect(await prove()).toMatchObject({ ledger: '-100.00', difference: '100.00' });
    const { liveKey } = await createTenant(harness.platform, { name: 'Another' });
    const another = new Client(harness.live.url, liveKey);
    const { rows } = await harness.platform.database.pool.query('SELECT id FROM workspace WHERE environment = $1', ['test']);
    const sandboxes = rows.map(({ id }) => id as string);
    expect(sandboxes.length).toBeGreaterThan(0);
    expectRefused(await another.get(path), 403, 'forbidden');
  });

  it('403 in the sandbox, and for agents', async () => {
    expectRefused(await harness.test.get(path), 403, 'forbidden');
  });

  it('404 for a rail that the file does not name', async () => {
    expectRefused(await harness.live.get('/v1/rails/usdc-polygon/proof'), 404, 'not_found');
    expectRefused(await harness.live.get('/v1/rails/nonsense/proof'), 404, 'not_found');
  });

  it('503 where nobody knows what is outside', async () => {
    farSide.money = null;
    const answer = await harness.live.get(path);
    expectRefused(answer, 503, 'rail_unavailable', { rail: 'usdc-base', reason: 'unhealthy' });
    expect(answer.body.details.next_actions).toEqual([{ rel: 'diagnose', actor: 'operator', command: 'rails doctor usdc-base' }]);
  });
});

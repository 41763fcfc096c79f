// Whether a rail of production takes a payout: by its switch, its health, its limits, and whose payout it is.
import { describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { Client, type Json, openWallet } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { farSide, plenty, useRails } from './test-kind.js';

const stranger = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const rails = useRails([`usdc-base: {kind: test, ${plenty}}`, `usdc-far: {kind: test, workspaces: [${stranger}], ${plenty}}`]);
const { harness } = rails;

describe('a payout by a rail of production', () => {
  it('503: with what the operator does about it, and nothing is held', async () => {
    const wallet = await rails.wallet();
    const expectStopped = async (reason: string, action: object, extra: object = {}) => {
      const answer = await rails.payout(wallet, extra);
      expectRefused(answer, 503, 'rail_unavailable', { reason, retry: { safe: true } });
      expect(answer.body.details.next_actions).toEqual([{ actor: 'operator', ...action }]);
    };
    const on = { rel: 'switch_on', command: 'rails on usdc-base' };
    await expectStopped('switched_off', on);
    await expectStopped('not_for_workspace', { rel: 'configure', setting: 'RAILS_FILE: rails.usdc-far' }, { rail: 'usdc-far' });
    await expectStopped('not_configured', { rel: 'configure', setting: 'RAILS_FILE: rails.usdc-polygon' }, { rail: 'usdc-polygon' });
    await rails.turn();
    await rails.turn('usdc-base', 'draining');
    await expectStopped('draining', on);
    await rails.turn();
    farSide.problem = 'it is silent';
    await rails.look();
    await expectStopped('unhealthy', { rel: 'diagnose', command: 'rails doctor usdc-base' });
    expect((await harness.live.get(`/v1/wallets/${wallet.id}`)).body.data.balance).toMatchObject({ available: '1000.00' });
    expect((await harness.live.get('/v1/payouts')).body.data).toEqual([]);
    await harness.runDue();
    const told = (await harness.live.get('/v1/events?type=rail.unhealthy')).body.data;
    expect(told.map(({ data }: Json) => data).find(({ rail }: Json) => rail === 'usdc-base')).toMatchObject({
      rail: 'usdc-base',
      problems: [{ check: 'far side', found: 'it is silent', fix: 'Mend it.' }],
    });
    farSide.problem = null;
    await rails.look();
    expect((await rails.payout(wallet)).status).toBe(201);
  });

  it('503: without it for other tenants', async () => {
    await rails.turn('usdc-base', 'off');
    const { liveKey } = await createTenant(harness.platform, { name: 'Another' });
    const another = new Client(harness.live.url, liveKey);
    const { wallet } = await openWallet(another, { currency: 'USDC' });
    for (const [rail, reason] of [
      ['usdc-base', 'switched_off'],
      ['usdc-far', 'not_for_workspace'],
    ]) {
      const answer = await rails.payout(wallet, { rail }, another);
      expectRefused(answer, 503, 'rail_unavailable', { rail, reason });
      expect(answer.body.details.next_actions).toEqual([{ actor: 'operator' }]);
    }
  });

  it('422: of more than it takes at once', async () => {
    await rails.turn();
    const wallet = await rails.wallet('2000.00');
    expectRefused(await rails.payout(wallet, { amount: '1000.01' }), 422, 'rail_limit_exceeded', {
      rail: 'usdc-base',
      limit: { kind: 'rail', per: 'order', currency: 'USDC', max: '1000.00', used: '0.00', requested: '1000.01', remaining: '1000.00' },
    });
    expect((await rails.payout(wallet, { amount: '1000.00' })).status).toBe(201);
  });
});

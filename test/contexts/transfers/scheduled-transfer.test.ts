// Scheduled transfers whose time has come, many at once in a process with few connections.
import { describe, expect, it } from 'vitest';
import { balanceOf, pay } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { boundWallet } from '../spending/policies.js';

const harness = useHarness({ env: { DATABASE_POOL: '4' } });

describe('scheduled transfers that fall due together', () => {
  it('take one connection each, also those that a rule refuses', async () => {
    const { from, to } = await boundWallet(harness.test, [{ kind: 'max_amount', per: 'tx', amount: '5.00', currency: 'USD' }]);
    const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const refused = await Promise.all(Array.from({ length: 12 }, () => pay(harness.test, from, to, '6.00', { scheduled_for: at })));
    const passing = await pay(harness.test, from, to, '5.00', { scheduled_for: at });
    await harness.advance(60);
    for (const { id } of refused) {
      const { data } = (await harness.test.get(`/v1/transfers/${id}`)).body;
      expect(data).toMatchObject({ status: 'failed', failure: { code: 'policy_violation' } });
    }
    expect((await harness.test.get(`/v1/transfers/${passing.id}`)).body.data).toMatchObject({ status: 'completed' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '995.00', held: '0.00' });
  });
});

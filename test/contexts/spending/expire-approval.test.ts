// An approval that nobody decides: it ends by itself, in the time of its workspace.
import { describe, expect, it } from 'vitest';
import { spender, transferOf } from '../../factories/approval.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const statusOf = async ({ id }: { id: string }) => (await harness.test.get(`/v1/approvals/${id}`)).body.data.status;

describe('an approval that nobody decides', () => {
  it('expires after its hour and no earlier: the transfer is cancelled and everything goes back', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: '40.00' }] });
    const agent = await spender(harness, { kya_tier: 2 });
    const { transfer, approval } = await agent.wait('40.00', { capture: 'manual' });
    await harness.advance(3_599.999);
    expect(await statusOf(approval)).toBe('pending');
    await harness.advance(0.001);
    const at = harness.clock.now().toISOString();
    expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data).toEqual({
      ...approval,
      missing: 0,
      status: 'expired',
      decided_at: at,
    });
    expect(await transferOf(harness.test, transfer)).toMatchObject({
      status: 'cancelled',
      failure: { code: 'approval_expired', message: 'Nobody decided before the approval expired.' },
    });
    expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    expect((await harness.test.get(`/v1/agents/${agent.id}/limits`)).body.data.kya).toMatchObject([{ used: '0.00' }]);
    expect((await eventsOf(harness, transfer.id)).map(({ type }) => type)).toEqual(['transfer.created']);
  });

  it('expires when the clock of the sandbox is advanced', async () => {
    const agent = await spender(harness);
    const { transfer, approval } = await agent.wait();
    await harness.test.make('/v1/test/clocks/advance', { seconds: 3_600 });
    await harness.runDue();
    expect([await statusOf(approval), (await transferOf(harness.test, transfer)).status]).toEqual(['expired', 'cancelled']);
  });

  it('leaves alone what was decided meanwhile', async () => {
    const agent = await spender(harness);
    const { transfer, approval } = await agent.wait();
    await harness.test.make(`/v1/approvals/${approval.id}/approve`, {});
    await harness.advance(7_200);
    expect([await statusOf(approval), (await transferOf(harness.test, transfer)).status]).toEqual(['approved', 'completed']);
  });
});

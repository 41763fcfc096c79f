// Approvals that several people decide at the same moment: each is decided once, and carried out once.
import { describe, expect, it } from 'vitest';
import { ownersKey, spender, transferOf } from '../../factories/approval.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const approve = ({ id }: Json, as = harness.test.key) => harness.test.post(`/v1/approvals/${id}/approve`, {}, { as });

describe('decisions at the same moment', () => {
  it('twenty approvals that two people approve at the same moment are carried out once each', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: '100.00' }] });
    const agent = await spender(harness, { kya_tier: 2 });
    const waiting = await Promise.all(Array.from({ length: 20 }, (_, n) => agent.wait('5.00', n % 4 === 3 ? { capture: 'manual' } : {})));
    const user = await ownersKey(harness);
    // What is read for the check is read in their transactions, which are more than there are connections.
    harness.platform.cache.clear();
    const answers = await Promise.all(waiting.flatMap(({ approval }) => [approve(approval), approve(approval, user)]));
    for (let n = 0; n < answers.length; n += 2) {
      expect([answers[n]?.status, answers[n + 1]?.status].sort()).toEqual([200, 409]);
    }
    expect(answers.flatMap(({ body }) => body.data?.result_error ?? [])).toEqual([]);
    expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '900.00', held: '25.00' });
    expect(await balanceOf(harness.test, agent.payee)).toMatchObject({ available: '75.00', pending_in: '25.00' });
    const { kya } = (await harness.test.get(`/v1/agents/${agent.id}/limits`)).body.data;
    expect(kya).toMatchObject([{ used: '100.00', remaining: '0.00' }]);
    const { data } = (await harness.test.get('/v1/ledger/trial-balance')).body;
    for (const { difference } of data) expect(difference).toBe('0.00');
  });

  it('of everything that can happen to one at once exactly one thing happens', async () => {
    const agent = await spender(harness);
    for (let n = 0; n < 3; n += 1) {
      const before = Number((await balanceOf(harness.test, agent.payee)).available);
      const { approval, transfer } = await agent.wait('7.00');
      const steps = [
        () => approve(approval),
        () => harness.test.post(`/v1/approvals/${approval.id}/reject`, {}),
        () => harness.test.post(`/v1/approvals/${approval.id}/cancel`, {}, { as: agent.token }),
        () => harness.test.post(`/v1/transfers/${transfer.id}/cancel`, {}),
      ];
      const answers = await Promise.all([...steps.slice(n), ...steps.slice(0, n), ...steps].map((step) => step()));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
      const { status } = await transferOf(harness.test, transfer);
      const decided = (await harness.test.get(`/v1/approvals/${approval.id}`)).body.data.status;
      const after = Number((await balanceOf(harness.test, agent.payee)).available);
      expect([status, decided, after - before]).toEqual(
        status === 'completed' ? ['completed', 'approved', 7] : ['cancelled', expect.stringMatching(/^(rejected|cancelled)$/), 0],
      );
    }
  });
});

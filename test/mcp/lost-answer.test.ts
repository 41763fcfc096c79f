// A call of which nobody knows whether it was made: the error names the key under which a model makes the same call again.
import { afterAll, afterEach, expect, it } from 'vitest';
import { spender } from '../factories/budget.js';
import { useHarness } from '../harness.js';
import { TcpProxy } from '../proxy.js';
import { eras } from './era.js';

let proxy: TcpProxy;
const harness = useHarness({
  route: async (url) => {
    proxy = await TcpProxy.open(url);
    return proxy.url;
  },
});
afterEach(() => proxy.heal());
afterAll(() => proxy.close());

it.each(eras)('pays once for a call that is made again under the key that the error names: %s', async (era, open) => {
  const payer = await spender(harness.test);
  await using agent = await open(harness.test.url, payer.token);
  const given = { from_wallet_id: payer.from.id, to_wallet_id: payer.to.id, amount: '5.00', currency: 'USD' };
  // The payment is made, and from then on the database is not heard of.
  const lose = () => {
    let isLost = false;
    proxy.onSent = ({ application, text }) => {
      if (!application.startsWith('agent-payments ')) return undefined;
      if (isLost) return 'before';
      isLost = text.includes('ledger_post');
      return isLost ? 'answered' : undefined;
    };
  };
  lose();
  const { code, details } = await agent.refused('pay', given);
  expect([code, details.retry]).toEqual([
    'dependency_unavailable',
    { safe: true, same_key: true, after_s: 1, idempotency_key: era === '2026-07-28' ? expect.any(String) : expect.stringMatching(/^mcp:/) },
  ]);
  const { idempotency_key } = details.retry;
  proxy.heal();
  await expect.poll(async () => (await agent.result('pay', { ...given, idempotency_key })).isError, { timeout: 10_000 }).toBeFalsy();

  lose();
  const { details: ofOwn } = await agent.refused('pay', { ...given, idempotency_key: `invoice-${era}` });
  expect(ofOwn.retry.idempotency_key).toBe(`invoice-${era}`);
  proxy.heal();
  const available = async () => (await harness.test.get(`/v1/wallets/${payer.to.id}/balance`)).body.data?.available;
  await expect.poll(available, { timeout: 10_000 }).toBe('10.00');
});

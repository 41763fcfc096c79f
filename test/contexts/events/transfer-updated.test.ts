// The subscription of transfers as they change: to operators, and to agents as far as they see them.
import { afterEach, describe, expect, it } from 'vitest';
import { newSpender } from '../../factories/decision.js';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { type Following, follow as followSubscription } from './follow.js';

const harness = useHarness();
const query = `subscription ($id: TransferId, $wallet: WalletId, $agent: AgentUuid, $after: EventId) {
  transferUpdated(id: $id, walletId: $wallet, agentId: $agent, after: $after) { id at transfer { id status amount toAccount { name } } }
}`;
const followings: Following[] = [];
afterEach(() => {
  for (const { stop } of followings.splice(0)) stop();
});
async function follow(variables: object = {}, key = harness.test.key): Promise<Following> {
  const following = await followSubscription(harness.test, query, 'transferUpdated', { variables, key, path: '/graphql' });
  followings.push(following);
  return following;
}
const soon = { timeout: 15_000, interval: 10 };
const seen = ({ received }: Following) => received.map(({ transfer }) => `${transfer.status} ${transfer.amount}`);

describe('subscription transferUpdated', () => {
  it('tells of one transfer, of those of a wallet and of those of an agent, and goes on after a change', async () => {
    const { from, to } = await twoWallets(harness.test);
    const spender = await newSpender(harness.test);
    const held = await harness.test.make('/v1/transfers', transferBody(from, to, '3.00', { capture: 'manual' }));
    await harness.runDue();
    const [ofOne, ofWallet, ofAgent] = [
      await follow({ id: held.id }),
      await follow({ wallet: to.id }),
      await follow({ agent: spender.uuid }),
    ];
    await pay(harness.test, from, to, '1.00');
    await harness.test.make(`/v1/transfers/${held.id}/capture`, {});
    await spender.pay('2.00');
    await harness.runDue();
    await expect.poll(() => seen(ofWallet), soon).toContain('completed 3.00');
    await expect.poll(() => seen(ofAgent), soon).toContain('completed 2.00');
    await expect.poll(() => seen(ofOne), soon).toContain('completed 3.00');
    expect(new Set(seen(ofOne))).toEqual(new Set(['completed 3.00']));
    expect(new Set(seen(ofWallet))).toEqual(new Set(['completed 1.00', 'completed 3.00']));
    expect(new Set(seen(ofAgent))).toEqual(new Set(['completed 2.00']));
    const [{ id, transfer }] = ofWallet.received as [Json];
    expect(transfer).toMatchObject({ amount: '1.00', toAccount: { name: 'Payee' } });
    const resumed = await follow({ wallet: to.id, after: id });
    await expect.poll(() => seen(resumed), soon).toContain('completed 3.00');
  });

  it('shows an agent its own alone, and a stranger nothing', async () => {
    const { from, to } = await twoWallets(harness.test);
    const spender = await newSpender(harness.test);
    await harness.runDue();
    const [own, whole] = [await follow({}, spender.token), await follow()];
    await pay(harness.test, from, to, '1.00');
    await spender.pay('2.00');
    await harness.runDue();
    await expect.poll(() => seen(whole), soon).toEqual(expect.arrayContaining(['completed 1.00', 'completed 2.00']));
    await expect.poll(() => seen(own), soon).toContain('completed 2.00');
    expect(new Set(seen(own))).toEqual(new Set(['completed 2.00']));
    expect(own.received.every(({ transfer }) => transfer.toAccount === null)).toBe(true);
    const anonymous = await harness.test.call('POST', '/graphql', { as: null, body: { query: 'subscription { transferUpdated { id } }' } });
    expect(anonymous.body.errors?.[0]?.extensions.code).toBe('missing_credential');
  });
});

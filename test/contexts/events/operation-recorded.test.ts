// The subscription of dashboards: operations as they become final.
import { afterEach, describe, expect, it } from 'vitest';
import { newShop } from '../../factories/checkout.js';
import { pay, twoWallets } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { type Following, follow as followSubscription } from './follow.js';

const harness = useHarness();
const query = `subscription ($after: OperationId) {
  operationRecorded(after: $after) { id operation { id operation amount success } }
}`;
const followings: Following[] = [];
afterEach(() => {
  for (const { stop } of followings.splice(0)) stop();
});
async function follow(variables: object = {}): Promise<Following> {
  const following = await followSubscription(harness.test, query, 'operationRecorded', { variables, path: '/graphql' });
  followings.push(following);
  return following;
}
const soon = { timeout: 15_000, interval: 10 };
const names = ({ received }: Following) => received.map(({ operation }) => `${operation.operation} ${operation.amount}`);

describe('subscription operationRecorded', () => {
  it('tells what becomes final, with an event or without one, once; and goes on after an operation', async () => {
    const { from, to } = await twoWallets(harness.test);
    const shop = await newShop(harness.test, { protocol: 'ucp' });
    await harness.runDue();
    const following = await follow();
    await pay(harness.test, from, to, '1.00');
    // A checkout of UCP that is cancelled emits no event.
    await harness.test.post(`${shop.path}/${(await shop.begin()).id}/cancel`, {});
    await pay(harness.test, from, to, '2.00');
    await pay(harness.other, ...((({ from: a, to: b }) => [a, b])(await twoWallets(harness.other)) as [never, never]), '9.00');
    await harness.runDue();
    await expect.poll(() => following.received.length, soon).toBe(3);
    expect(names(following)).toEqual(['transfer.internal 1.00', 'checkout.cancel 0.00', 'transfer.internal 2.00']);
    const [{ id, operation }] = following.received as [{ id: string; operation: { id: string } }];
    expect([operation.id, id.slice(0, 3)]).toEqual([id, 'op_']);
    const resumed = await follow({ after: id });
    await expect.poll(() => names(resumed), soon).toEqual(['checkout.cancel 0.00', 'transfer.internal 2.00']);
  });

  it('401 without a credential, 403 for an agent', async () => {
    const { token } = await enrol(harness.test);
    const asked = (as: string | null) =>
      harness.test.graphql('subscription { operationRecorded { id } }', {}, { as, headers: { Accept: 'text/event-stream' } });
    for (const [as, status, code] of [
      [null, 401, 'missing_credential'],
      [token, 403, 'forbidden'],
    ] as const) {
      const { body } = await asked(as);
      expect(body.errors?.[0]?.extensions ?? body, JSON.stringify(body)).toMatchObject({ code, http: { status } });
    }
  });
});

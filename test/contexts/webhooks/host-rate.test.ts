// WEBHOOK_HOST_RATE: what one workspace sends to one host that has proved itself.
import { afterAll, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { deliveriesOf, happen, Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host, WEBHOOK_HOST_RATE: '5' } });
afterAll(() => receiver.stop());

it('a workspace sends so many events a second to a host, over all of its subscriptions; the rest waits', async () => {
  const first = await subscribe(harness.test, receiver, '/first', ['account.created']);
  const second = await subscribe(harness.test, receiver, '/second', ['account.created']);
  await subscribe(harness.other, receiver, '/theirs', ['account.created']);
  for (let n = 0; n < 6; n += 1) await happen(harness.test);
  for (let n = 0; n < 4; n += 1) await happen(harness.other);
  await harness.runDue();
  const sent = () => receiver.at('/first').length + receiver.at('/second').length;
  expect([sent(), receiver.at('/theirs').length]).toEqual([5, 4]);
  await harness.advance(0.2);
  expect(sent()).toBe(6);
  await harness.advance(1);
  expect(sent()).toBe(11);
  await harness.advance(1);
  expect(sent()).toBe(12);
  for (const { id } of [first, second])
    expect((await deliveriesOf(harness.test, id)).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'delivered'));
});

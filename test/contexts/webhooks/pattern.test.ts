// The database fans events out, and what TypeScript asks of a pattern it must ask too.
import { afterAll, expect, it } from 'vitest';
import { namesEvent } from '../../../src/events/pattern.js';
import { useHarness } from '../../harness.js';
import { Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

const types = ['acp.checkout.created', 'acp.checkout.completed', 'transfer.completed', 'account.balance.low', 'x402.payment.completed'];
const patterns = [
  '*',
  'acp.*',
  'acp.checkout.*',
  'acp.checkout.created',
  'account.*',
  'account.balance.*',
  'transfer.*',
  'transfer.failed',
];

it('a subscription gets the types that its patterns name, each once', async () => {
  for (const [n, pattern] of patterns.entries()) await subscribe(harness.test, receiver, `/${n}`, [pattern]);
  await subscribe(harness.test, receiver, '/all', patterns);
  for (const type of types) await harness.test.make('/v1/test/events/trigger', { type });
  await harness.runDue();
  const got = (path: string) => receiver.at(path).map(({ json }) => json.type as string);
  for (const [n, pattern] of patterns.entries())
    expect(got(`/${n}`).sort(), pattern).toEqual(types.filter((type) => namesEvent(pattern, type)).sort());
  expect(got('/all').sort()).toEqual([...types].sort());
});

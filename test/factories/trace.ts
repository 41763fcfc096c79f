// A trace that tests of usage look for.
import { randomBytes } from 'node:crypto';
import { type Client, openWallet } from '../harness.js';
import { transferBody } from './payment.js';

/** A trace that has left an operation: a transfer that was called off, which needs no money. */
export async function someTrace(client: Client): Promise<string> {
  const trace = randomBytes(16).toString('hex');
  const [from, to] = await Promise.all([openWallet(client), openWallet(client)]);
  const body = transferBody(from.wallet, to.wallet, '1.00', { scheduled_for: '2030-01-01T00:00:00Z' });
  const { id } = await client.make('/v1/transfers', body, { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } });
  await client.make(`/v1/transfers/${id}/cancel`, {});
  return trace;
}

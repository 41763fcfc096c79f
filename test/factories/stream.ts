// Streams as tests make them, and short ways to read what became of them.
import type { Answer, Client, Harness, Json } from '../harness.js';
import { twoWallets } from './payment.js';

/** The body of a stream of 0.01 a second out of 100.00. */
export function streamBody(from: Json, to: Json, extra: object = {}): Json {
  const { flow_rate: _, ...rest }: Json = extra;
  const rate = 'rate' in extra ? {} : { flow_rate: '0.01' };
  return {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    currency: from.currency,
    ...rate,
    initial_deposit: '100.00',
    ...rest,
    ...('flow_rate' in extra ? { flow_rate: extra.flow_rate } : {}),
  };
}

export interface TestStream {
  from: Json;
  to: Json;
  stream: Json;
  transfer: Json;
}

/** A stream between two new wallets. */
export async function newStream(client: Client, { funded = '1000.00', currency = 'USD', ...extra }: Json = {}): Promise<TestStream> {
  const { from, to } = await twoWallets(client, { funded, currency });
  const { body } = await client.post('/v1/streams', streamBody(from, to, extra));
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return { from, to, stream: body.data, transfer: body.transfer };
}

export async function readStream(client: Client, { id }: Json, at?: string): Promise<Json> {
  const { body } = await client.get(`/v1/streams/${id}${at === undefined ? '' : `?at=${at}`}`);
  return body.data;
}

/** A step of a stream: `pause`, `withdraw`... */
export function step(client: Client, { id }: Json, name: string, body: object = {}, as?: string): Promise<Answer> {
  return client.post(`/v1/streams/${id}/${name}`, body, as === undefined ? {} : { as });
}

/** The streams that have flowed so far, in seconds of the harness. */
export function inSeconds({ clock }: Harness, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}

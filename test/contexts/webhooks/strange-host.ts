// Hosts of strangers: whatever is sent to them comes to one receiver of the test, at a path that begins with the name of the host.
import { Outbound } from '../../../src/platform/outbound/client.js';
import type { Client, Harness, Json } from '../../harness.js';
import type { Answer, Received, Receiver } from './receiver.js';

/** The client of others, whose names lead to the receiver. */
class Rerouted extends Outbound {
  readonly #receiver: Receiver;

  constructor(receiver: Receiver) {
    super({ allowHosts: [receiver.host] });
    this.#receiver = receiver;
  }

  override post(...[text, request]: Parameters<Outbound['post']>): ReturnType<Outbound['post']> {
    const { hostname, pathname } = new URL(text);
    return super.post(this.#receiver.url(`/${hostname}${pathname}`), { ...request, mayBePrivate: true });
  }

  override leadsToPrivate(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

/** From now on every host is the receiver. */
export async function reroute(harness: Harness, receiver: Receiver): Promise<void> {
  await harness.platform.outbound.close();
  const outbound = new Rerouted(receiver);
  for (const platform of new Set([harness.platform, ...harness.platform.cells.served])) platform.outbound = outbound;
}

/** Subscribes an endpoint of a stranger. */
export function subscribeTo(client: Client, url: string, events: string[] = ['account.created']): Promise<Json> {
  return client.make('/v1/webhooks', { url, events });
}

/** Answers as an endpoint that proves itself. */
export const proves: Answer = (response, { json }) =>
  void response.end(json.type === 'webhook.verification' ? JSON.stringify({ challenge: json.data.challenge }) : 'ok');

/** Challenges that have come to a path. */
export const challengesAt = (receiver: Receiver, path: string): Received[] =>
  receiver.at(path).filter(({ json }) => json.type === 'webhook.verification');

/** Events that have come to a path. */
export const eventsAt = (receiver: Receiver, path: string): Received[] =>
  receiver.at(path).filter(({ json }) => json.type !== 'webhook.verification');

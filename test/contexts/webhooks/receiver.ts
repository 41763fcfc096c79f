// An endpoint on loopback that remembers what it was sent and answers as it is told.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { expect } from 'vitest';
import type { Client, Json } from '../../harness.js';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: Buffer;
  json: Json;
}

export type Answer = (response: ServerResponse, received: Received) => void;

export class Receiver {
  readonly #server: Server;
  readonly received: Received[] = [];
  /** Requests that have come and are not answered, now and at most. */
  open = 0;
  mostOpen = 0;
  readonly #answers = new Map<string, Answer>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server);
    server.on('request', async (request, response) => {
      receiver.open += 1;
      receiver.mostOpen = Math.max(receiver.mostOpen, receiver.open);
      response.on('close', () => {
        receiver.open -= 1;
      });
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const got: Received = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body.toString()) };
      receiver.received.push(got);
      const answer = receiver.#answers.get(got.path);
      if (answer === undefined) response.end('ok');
      else answer(response, got);
    });
    return receiver;
  }

  /** `127.0.0.1:<port>`, as WEBHOOK_ALLOW_HOSTS names it. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path = '/hook'): string {
    return `http://${this.host}${path}`;
  }

  /** How requests to `path` are answered from now on: a status, or anything. */
  answer(path: string, answer: Answer | number): void {
    this.#answers.set(path, typeof answer === 'number' ? (response) => response.writeHead(answer).end(`said ${answer}`) : answer);
  }

  at(path: string): Received[] {
    return this.received.filter((got) => got.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Subscribes a path of the receiver. */
export function subscribe(client: Client, receiver: Receiver, path: string, events: string[] = ['*']): Promise<Json> {
  return client.make('/v1/webhooks', { url: receiver.url(path), events, description: path });
}

/** Something that is told: account.created. */
export function happen(client: Client, name = 'Ada'): Promise<Json> {
  return client.make('/v1/accounts', { type: 'business', name });
}

const stripe = new Stripe('sk_test_nothing');

/** What the `stripe` SDK makes of a delivery, over the raw bytes, at `nowMs`; throws where it refuses. */
export function verifyWithStripe({ headers, body }: Received, secret: string, now: Date, toleranceSeconds = 300): Json {
  return stripe.webhooks.constructEvent(body, String(headers['x-svc-signature']), secret, toleranceSeconds, undefined, now.getTime());
}

/** The deliveries of a subscription, newest first. */
export async function deliveriesOf(client: Client, webhookId: string, query = ''): Promise<Json[]> {
  const answer = await client.get(`/v1/webhooks/${webhookId}/deliveries?limit=200${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

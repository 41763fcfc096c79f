// A platform as shops see it: one host with its profiles, which hears of orders at any other path.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cartName, checkoutName, currentProfile, fulfillmentName, orderName } from './talk.js';

export interface Got {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export class OrderReceiver {
  readonly #server: Server;
  readonly #profiles = new Map<string, string>();
  readonly received: Got[] = [];
  /** What it answers: a status, or one that it waits for. */
  answer: number | (() => Promise<number>) = 200;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const { method = '', url: path = '', headers } = request;
      if (method === 'GET') return void response.end(this.#profiles.get(path));
      let text = '';
      for await (const chunk of request) text += chunk;
      this.received.push({ method, path, headers, text });
      response.statusCode = typeof this.answer === 'number' ? this.answer : await this.answer();
      response.end();
    });
  }

  static async start(): Promise<OrderReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OrderReceiver(server);
  }

  /** `127.0.0.1:<port>`, as WEBHOOK_ALLOW_HOSTS names it. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  hook(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** The address of a new profile, which wants orders to be sent to `webhookUrl`. */
  profileWith(webhookUrl: string): string {
    const profile = currentProfile([checkoutName, fulfillmentName, cartName, orderName]);
    profile.ucp.capabilities[orderName][0].config = { webhook_url: webhookUrl };
    const path = `/${this.#profiles.size}.json`;
    this.#profiles.set(path, JSON.stringify(profile));
    return this.hook(path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

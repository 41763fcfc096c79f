// An endpoint of webhooks that takes nothing which none of its secrets has signed, and remembers what it was told.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { verifyWebhook } from '../sdk/src/webhook.js';

export class SignedEndpoint {
  readonly #server: Server;
  /** The secrets of each path, the newest last. */
  readonly #secrets = new Map<string, string[]>();
  readonly #told = new Map<string, Set<string>>();
  /** Deliveries that were refused, in words. */
  readonly refused: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const body = await textOf(request);
      const event = JSON.parse(body);
      if (event.type === 'webhook.verification') return void response.end(JSON.stringify({ challenge: event.data.challenge }));
      const path = request.url ?? '';
      try {
        verifyWebhook(body, String(request.headers['x-svc-signature']), this.#secrets.get(path) ?? []);
        this.#toldAt(path).add(String(event.data.transfer_id).slice(-36));
        response.end();
      } catch (error) {
        this.refused.push(`${path} ${event.type}: ${(error as Error).message}`);
        response.writeHead(401).end();
      }
    });
  }

  static async start(): Promise<SignedEndpoint> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SignedEndpoint(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What is told to the path from now on may be signed with this secret too. */
  accept(path: string, secret: string): void {
    this.#secrets.set(path, [...(this.#secrets.get(path) ?? []), secret]);
  }

  /** Only the newest secret of the path is good from now on. */
  acceptNewestAlone(path: string): void {
    this.#secrets.set(path, this.#secrets.get(path)?.slice(-1) ?? []);
  }

  /** Whether the path was told of a transfer. */
  wasTold(path: string, transferId: string): boolean {
    return this.#toldAt(path).has(transferId.slice(-36));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #toldAt(path: string): Set<string> {
    const told = this.#told.get(path) ?? new Set();
    this.#told.set(path, told);
    return told;
  }
}

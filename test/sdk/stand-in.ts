// What answers in the place of the platform, or of a seller: a gateway, a page, somebody who says nothing.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class StandIn {
  readonly #server: Server;
  /** Resolved with the first request. */
  readonly called: Promise<unknown>;

  constructor(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer(answer);
    this.called = once(this.#server, 'request');
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

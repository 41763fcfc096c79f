// Sellers as programs outside of the platform: one with a paid route of x402, which forwards the platform's 402, and one that asks for MPP
// alone, with challenges of its own.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client, Json } from '../harness.js';

interface Served {
  status: number;
  headers?: Record<string, string>;
  body: Json;
}

export class Seller {
  readonly #server: Server;
  /** How many calls were served. */
  served = 0;
  /** Breaks the connection instead of answering a call that is paid. */
  isDeaf = false;
  /** Takes no payment for one. */
  isStubborn = false;

  constructor(answer: (request: IncomingMessage, seller: Seller) => Promise<Served>) {
    this.#server = createServer(async (request, response) => {
      const { status, headers, body } = await answer(request, this);
      if (this.isDeaf && status === 200) return void response.destroy();
      if (status === 200) this.served += 1;
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/weather`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const goods = { status: 200, body: { weather: 'fine' } };

/** Sells by x402: an endpoint of the platform says what a call costs, and whether it was paid. */
export function byX402(platform: Client, endpoint: () => Json): Seller {
  return new Seller(async ({ headers }, { isStubborn }) => {
    const { id } = endpoint();
    const shown = headers['payment-signature'];
    const proof = typeof shown === 'string' ? JSON.parse(Buffer.from(shown, 'base64').toString()).payload.proof : undefined;
    if (proof !== undefined && !isStubborn) {
      const { data } = (await platform.post('/v1/x402/verify', { proof, endpoint_id: id })).body;
      if (data.valid && (await platform.post(`/v1/x402/payments/${data.payment_id}/consume`, {})).status === 200) return goods;
    }
    const challenge = await platform.get(`/v1/x402/endpoints/${id}/challenge`, { as: null });
    return { status: 402, headers: { 'PAYMENT-REQUIRED': challenge.headers.get('PAYMENT-REQUIRED') ?? '' }, body: challenge.body };
  });
}

/** Sells by MPP: its challenge names its wallet and its price, and a receipt of the platform is what it takes. */
export function byMpp(platform: Client, wallet: () => Json, amount = '20000'): Seller {
  return new Seller(async ({ headers }) => {
    const [scheme, credential] = (headers.authorization ?? '').split(' ');
    if (scheme === 'Payment') {
      const { payload } = JSON.parse(Buffer.from(credential ?? '', 'base64url').toString());
      const { data } = (await platform.post('/v1/mpp/receipts/verify', { signed_voucher: payload.receipt }, { as: null })).body;
      if (data.valid) return goods;
    }
    const request = { amount, currency: 'usdc', recipient: wallet().id, methodDetails: { network: 'ledger:test', decimals: 6 } };
    const challenge = [
      `id="${Math.random().toString(36).slice(2)}"`,
      'realm="weather, \\"now\\""',
      'method="ledger"',
      'intent="charge"',
      `request="${Buffer.from(JSON.stringify(request)).toString('base64url')}"`,
    ];
    return { status: 402, headers: { 'WWW-Authenticate': `Basic realm="x", Payment ${challenge.join(', ')}` }, body: {} };
  });
}

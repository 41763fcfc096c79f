// What is new at shops and doors beside what was there: a checkout of UCP over MCP with the one of REST, a 402 with signed offers with one that
// has none.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postRequest } from './measure.js';
import type { Sandbox } from './platform.js';
import type { Wire } from './wire.js';

const version = '2026-08-25';
const names = ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.fulfillment'];

/** A profile of an agent that speaks UCP, at an address of this process. */
export interface ProfileServer {
  /** As WEBHOOK_ALLOW_HOSTS names it. */
  host: string;
  stop(): void;
}

/** Serves the one profile that the checkouts name. */
export async function serveProfile(): Promise<ProfileServer> {
  const capabilities = Object.fromEntries(names.map((name) => [name, [{ version }]]));
  const text = JSON.stringify({ ucp: { version, services: {}, capabilities, payment_handlers: {} }, keys: [] });
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

async function sellerOf(sandbox: Sandbox): Promise<{ account: string; wallet: string; merchant: string }> {
  const { data: account } = await sandbox.make<{ data: { id: string } }>('/v1/accounts', { type: 'business', name: 'Shop' });
  const payee = { owner_type: 'account', owner_id: account.id, currency: 'USD' };
  const { data: wallet } = await sandbox.make<{ data: { id: string } }>('/v1/wallets', payee);
  const offer = {
    currency: 'USD',
    items: [{ id: 'song', title: 'Song', unit_price: '1.00', digital: true }],
    fulfillment: [{ id: 'download', type: 'digital', title: 'Download', amount: '0.00' }],
  };
  const body = { name: 'Shop', category: 'music', account_id: account.id, settlement_wallet_id: wallet.id, metadata: { offer } };
  const { data: merchant } = await sandbox.make<{ data: { id: string } }>('/v1/merchants', body);
  return { account: account.id, wallet: wallet.id, merchant: merchant.id };
}

/** A checkout that is begun by each binding of UCP. */
export const checkoutWire = ({ host }: ProfileServer): Wire => ({
  name: 'ucp-checkout',
  beside: 'the same over REST',
  aim: 0.8,
  async open(sandbox) {
    const { merchant } = await sellerOf(sandbox);
    const profile = `http://${host}/agent.json`;
    const checkout = { line_items: [{ item: { id: 'song' }, quantity: 2 }] };
    const tool = (key: string) => {
      const meta = { 'ucp-agent': { profile }, 'idempotency-key': key };
      const params = { name: 'create_checkout', arguments: { meta, checkout } };
      return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    };
    const agent = { 'UCP-Agent': `profile="${profile}"` };
    const path = `/ucp/${merchant}/checkout-sessions`;
    return {
      today: () => postRequest(sandbox.url, `/ucp/${merchant}/mcp`, tool(randomUUID()), undefined),
      before: () => postRequest(sandbox.url, path, JSON.stringify(checkout), randomUUID(), agent),
    };
  },
});

/** Bytes of an address whose offers are signed, and of one whose are not: see G-660. */
const [signed, unsigned] = [1_000, 1_001];

/** A 402 with signed offers, and one for an address that is a byte too long for them. */
export const offerWire: Wire = {
  name: 'x402-offers',
  beside: 'a 402 without offers',
  aim: 0.9,
  status: '4',
  async open(sandbox) {
    const { account, wallet } = await sellerOf(sandbox);
    const door = async (length: number) => {
      const url = 'https://shop.example/'.padEnd(length, 'a');
      const price = { base_price: '0.01', currency: 'USD' };
      const body = { name: 'Call', path: '/call', method: 'GET', url, account_id: account, receiver_wallet_id: wallet, ...price };
      const { data } = await sandbox.make<{ data: { id: string } }>('/v1/x402/endpoints', body);
      const text = `GET /x402/${data.id} HTTP/1.1\r\nHost: ${sandbox.url.host}\r\n\r\n`;
      const { headers } = await fetch(new URL(`/x402/${data.id}`, sandbox.url));
      const said = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString();
      if (said.includes('"offer-receipt"') !== length <= signed) throw new Error(`offers are not as they should be: ${said}`);
      return () => text;
    };
    return { today: await door(signed), before: await door(unsigned) };
  },
};

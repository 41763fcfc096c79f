// Things that tests of x402 need: an endpoint with its receiver, an agent that pays, and the payments between them.
import canonicalize from 'canonicalize';
import type { X402Payment } from '../../src/generated/prisma/client.js';
import { newId } from '../../src/platform/schema/id.js';

import { enrol, sign, type TestAgent } from '../contexts/agents/identity.js';
import type { Client, Harness, Json } from '../harness.js';
import { openWallet } from '../harness.js';

/** An endpoint, and the wallet that it is paid into. */
export async function newEndpoint(client: Client, extra: object = {}): Promise<Json> {
  const currency = (extra as Json).currency ?? 'USDC';
  const { account, wallet } = await openWallet(client, { currency });
  return client.make('/v1/x402/endpoints', endpointBody(account, { receiver_wallet_id: wallet.id, ...extra }));
}

export function endpointBody(account: Json, extra: object = {}): Json {
  return { name: 'Weather', path: '/weather', method: 'GET', account_id: account.id, base_price: '0.10', currency: 'USDC', ...extra };
}

/** An agent with a wallet that has money. */
export interface Buyer extends TestAgent {
  wallet: Json;
}

export async function newBuyer(client: Client, { funded = '100.00', currency = 'USDC' } = {}): Promise<Buyer> {
  const agent = await enrol(client, { wallet: { currency } });
  const wallet = { id: agent.agent.default_wallet_id, currency };
  await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  return { ...agent, wallet };
}

/** The body that pays an endpoint. */
export function payBody({ wallet }: Pick<Buyer, 'wallet'>, endpoint: Json, extra: object = {}): Json {
  return { from_wallet_id: wallet.id, endpoint_id: endpoint.id, ...extra };
}

/** Pays an endpoint as the agent; the payment. */
export function payFor(client: Client, buyer: Buyer, endpoint: Json, extra: object = {}): Promise<Json> {
  return client.make('/v1/x402/pay', payBody(buyer, endpoint, extra), { as: buyer.token });
}

export function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** What a header of the protocol says. */
export function unbase64(header: string | null): Json {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString());
}

/** A payload of the ledger network, signed with the agent's key; `changes` replace members of what is signed. */
export function signedOnLedger(buyer: Buyer, offer: Json, amount: string, now: Date, changes: object = {}): Json {
  const authorization = {
    network: offer.network,
    endpoint_id: offer.extra.endpoint_id,
    amount,
    currency: offer.extra.currency,
    pay_to: offer.payTo,
    payer_wallet: buyer.wallet.id,
    nonce: `nonce-${Math.random().toString(36).slice(2).padEnd(12, '0')}`,
    valid_before: String(Math.floor(now.getTime() / 1000) + 60),
    ...changes,
  };
  const signature = sign(canonicalize(authorization) ?? '', buyer.privateKey);
  return { x402Version: 2, accepted: offer, payload: { signature, authorization } };
}

type StoredPayment = Partial<Pick<X402Payment, 'status' | 'expiresAt' | 'settledAt' | 'proof' | 'txHash'>>;

/** A payment that is there, without money: production has no faucet. */
export async function storedPayment(harness: Harness, endpointId: string, extra: StoredPayment = {}): Promise<{ id: string }> {
  const { unscoped } = harness.platform.database;
  const endpoint = await unscoped.x402Endpoint.findFirstOrThrow({ where: { id: endpointId.slice('epd_'.length) } });
  const { workspaceId, currency, receiverWalletId } = endpoint;
  const at = harness.clock.now();
  const id = newId(at);
  await unscoped.x402Payment.create({
    data: {
      workspaceId,
      id,
      endpointId: endpoint.id,
      walletId: receiverWalletId,
      amount: 1n,
      currency,
      payerWallet: receiverWalletId,
      payTo: receiverWalletId,
      network: 'ledger:test',
      asset: currency,
      scheme: 'exact',
      nonce: id,
      status: 'failed',
      expiresAt: at,
      createdAt: at,
      ...extra,
    },
  });
  return { id: `pay_${id}` };
}

/** An address of the chain, which is nobody's. */
export const someAddress = '0x857b06519e91e3a54538791bdbb0e22373e36b66';

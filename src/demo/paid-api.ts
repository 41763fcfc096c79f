// The chapter of paid APIs: a call bought by x402, and a service paid in small parts by MPP.
import { randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import nacl from 'tweetnacl';
import { systemClock } from '../platform/clock.js';
import type { Json, Teller } from './teller.js';

/** The chain of the sandbox. */
const chain = 'eip155:84532';

/** Who calls and who sells. */
interface Sides {
  /** The agent that calls, with its credential, its wallet and its secret key. */
  agent: string;
  session: string;
  walletA: string;
  secretKey: Uint8Array;
  /** The account that sells, and its agent's wallet and credential. */
  seller: string;
  walletB: string;
  token: string;
}

/**
 * Whoever meets a 402 pays and goes on: somebody with money on a chain, and an agent of the platform. Then that pays a service page by
 * page.
 */
export async function callPaidApis(teller: Teller, company: string, sides: Sides): Promise<void> {
  const { data: endpoint } = await teller.ask('The seller puts a price on a route, in one call', 'POST', '/v1/x402/endpoints', company, {
    name: 'Weather',
    path: '/weather',
    method: 'GET',
    account_id: sides.seller,
    receiver_wallet_id: sides.walletB,
    network: chain,
    base_price: '0.10',
    discoverable: true,
  });
  await payFromChain(teller, company, endpoint.id);
  await payByX402(teller, endpoint.id, sides);
  await payByMpp(teller, sides);
}

/** Somebody who has no account here pays with the official client of x402. */
async function payFromChain(teller: Teller, company: string, endpointId: string): Promise<void> {
  const { ExactEvmScheme, generatePrivateKey, privateKeyToAccount, wrapFetchWithPayment, x402Client } = await officialClient();
  const stranger = privateKeyToAccount(generatePrivateKey());
  await teller.ask('A stranger has 5 USDC on a chain, and no account here', 'POST', '/v1/test/chain/fund', company, {
    address: stranger.address,
    amount: '5.00',
  });
  const client = new x402Client().register(chain, new ExactEvmScheme(stranger));
  const titles = ['It calls the route with a stock x402 client', 'Which pays by itself what it is asked for'];
  const called = await wrapFetchWithPayment(teller.fetchFor(titles), client)(`${teller.url}/x402/${endpointId}`);
  if (called.status !== 200) throw new Error('the call was not paid from the chain');
}

/** The packages of x402 itself. They are optional: the platform does without them. */
async function officialClient() {
  try {
    const [payingFetch, evm, accounts] = await Promise.all([import('@x402/fetch'), import('@x402/evm'), import('viem/accounts')]);
    return { ...payingFetch, ...evm, ...accounts };
  } catch (cause) {
    throw new Error('This chapter pays with the packages of x402, which are not installed: npm install --include=optional', { cause });
  }
}

async function payByX402(teller: Teller, endpointId: string, sides: Sides): Promise<void> {
  const { token } = sides;
  const door = `/x402/${endpointId}`;
  const required = await teller.ask('A calls it too, and is told what it costs', 'GET', door, null, undefined, {}, 402);
  const header = { 'PAYMENT-SIGNATURE': paymentFor(required, sides) };
  const paid = await teller.ask('A signs that with its own key, and calls again', 'GET', door, null, undefined, header);
  if (paid['paid'] !== true) throw new Error('the call was not paid');
  await teller.ask('The same payment does not pay twice', 'GET', door, null, undefined, header, 402);
  const asSeller = `Bearer ${token}`;
  const { data: verified } = await teller.ask('B checks the proof before it serves the call', 'POST', '/v1/x402/verify', asSeller, {
    proof: paid['proof'],
    endpoint_id: endpointId,
  });
  await teller.ask('And uses it up', 'POST', `/v1/x402/payments/${paid['payment_id']}/consume`, asSeller, {});
  if (verified.valid !== true) throw new Error('the proof was no good');
}

/** The header that pays what a 402 asks for: a payload of x402, version 2, for the ledger network. */
function paymentFor({ x402Version, accepts }: Json, { walletA, secretKey }: Sides): string {
  const accepted = accepts.find(({ network }: Json) => network.startsWith('ledger:'));
  const authorization = {
    network: accepted.network,
    endpoint_id: accepted.extra.endpoint_id,
    // The offer counts in millionths of a USDC.
    amount: (Number(accepted.amount) / 1_000_000).toFixed(6),
    currency: accepted.extra.currency,
    pay_to: accepted.payTo,
    payer_wallet: walletA,
    nonce: randomUUID(),
    valid_before: String(Math.floor(systemClock.now().getTime() / 1000) + accepted.maxTimeoutSeconds),
  };
  const text = Buffer.from(canonicalize(authorization) ?? '', 'utf8');
  const signature = Buffer.from(nacl.sign.detached(text, secretKey)).toString('base64');
  return Buffer.from(JSON.stringify({ x402Version, accepted, payload: { signature, authorization } })).toString('base64');
}

async function payByMpp(teller: Teller, { agent, session, walletA, walletB, token }: Sides): Promise<void> {
  const opened = await teller.ask('A opens a session of MPP with a service, and leaves a deposit', 'POST', '/v1/mpp/sessions', session, {
    service_url: 'https://pages.example/read',
    payee_wallet_id: walletB,
    deposit_amount: '1.00',
    agent_id: agent,
    wallet_id: walletA,
  });
  const path = `/v1/mpp/sessions/${opened['data'].id}`;
  await teller.ask('A promises the price of a page', 'POST', `${path}/vouchers`, session, { amount: '0.02' });
  const { data: voucher } = await teller.ask('And of two more: no money moves', 'POST', `${path}/vouchers`, session, {
    cumulative_amount: '0.06',
  });
  const receipt = { signed_voucher: voucher.signed_voucher };
  const checked = await teller.ask('The service checks the last voucher', 'POST', '/v1/mpp/receipts/verify', null, receipt);
  const closed = await teller.ask('And closes: three pages are paid, the rest goes back', 'POST', `${path}/close`, `Bearer ${token}`, {});
  if (checked['data'].valid !== true || closed['data'].settled_amount !== '0.06') throw new Error('the session was not settled');
}

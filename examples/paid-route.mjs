// A seller with a paid route, and an agent that buys from it: the seller answers 402 until a call is paid by x402, and serves it once. The
// agent calls it with a fetch that pays, within 0.25 a call and 1.00 in all. Start the platform (npm start), then:
//   node examples/paid-route.mjs --key pk_test_...
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient, PaymentError, paid, payingFetch } from '@agent-payments/sdk';
import { begin, hire } from './example.mjs';

const { url, key, step } = begin(import.meta.url);
const company = createClient({ baseUrl: url, credential: key });

step('The seller puts a price on its route');
const seller = await hire(company, 'Weather Ltd');
const { data: endpoint } = await company.POST('/v1/x402/endpoints', {
  body: {
    name: 'Weather',
    path: '/weather',
    method: 'GET',
    account_id: seller.account.id,
    receiver_wallet_id: seller.walletId,
    base_price: '0.10',
    currency: 'USDC',
  },
});

const sell = paid(company, { endpointId: endpoint.id }, () => Response.json({ weather: 'fine' }));

const server = createServer(async (request, response) => {
  const headers = Object.entries(request.headers).map(([name, value]) => /** @type {[string, string]} */ ([name, String(value)]));
  const answer = await sell(new Request(`http://127.0.0.1${request.url}`, { headers })).catch((error) => {
    console.error(error);
    return new Response(null, { status: 500 });
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const route = `http://127.0.0.1:${port}/weather`;
console.log(`   ${endpoint.base_price} ${endpoint.currency} for a call of ${route}`);

step('Somebody calls it without paying, and with a payment that is none');
console.log(`   ${(await fetch(route)).status}`);
console.log(`   ${(await fetch(route, { headers: { 'PAYMENT-SIGNATURE': 'made up' } })).status}`);

step('An agent with 100.00 USDC calls it three times, and pays each call');
const buyer = await hire(company, 'Traveller Ltd');
await company.POST('/v1/wallets/{id}/fund', { params: { path: { id: buyer.walletId } }, body: { amount: '100.00' } });
const agent = createClient({ baseUrl: url, credential: buyer.credential });
const pay = payingFetch(agent, { walletId: buyer.walletId, maxPerCall: '0.25', maxTotal: '1.00' });
for (let call = 1; call <= 3; call += 1) {
  const answer = await pay(route);
  console.log(`   ${answer.status} ${await answer.text()}, ${pay.spent} USDC spent`);
}

step('The price goes up beyond what the agent pays for a call');
await company.PATCH('/v1/x402/endpoints/{id}', { params: { path: { id: endpoint.id } }, body: { base_price: '0.50' } });
await pay(route).catch((error) => {
  if (!(error instanceof PaymentError)) throw error;
  console.log(`   ${error.reason}: ${error.message}`);
});

step('The seller looks at its wallet');
const { data: wallet } = await company.GET('/v1/wallets/{id}', { params: { path: { id: seller.walletId } } });
console.log(`   available: ${wallet.balance.available} ${wallet.currency}`);
server.close();

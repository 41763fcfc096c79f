// A fetch that pays: sellers of x402 and MPP outside of the platform, within a maximum for each call and in total.
import { type PayingFetch, PaymentError, payingFetch } from '@agent-payments/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { balanceOf } from '../factories/payment.js';
import { type Buyer, newBuyer, newEndpoint } from '../factories/x402.js';
import { type Json, useHarness } from '../harness.js';
import { byMpp, byX402, type Seller } from './seller.js';
import { StandIn } from './stand-in.js';
import { collectGarbage, Wire } from './wire.js';

const h = useHarness();
let buyer: Buyer;
let endpoint: Json;
let sellers: { x402: Seller; mpp: Seller };
let wire: Wire;
/** What the buyer had before. */
let before: number;

beforeAll(async () => {
  // Challenges and proofs live in the time of this machine, as sellers do.
  h.clock.set(new Date().toISOString());
  endpoint = await newEndpoint(h.test);
  buyer = await newBuyer(h.test);
  sellers = {
    x402: await byX402(h.test, () => endpoint).start(),
    mpp: await byMpp(h.test, () => ({ id: endpoint.receiver_wallet_id })).start(),
  };
});
afterAll(() => {
  for (const seller of Object.values(sellers)) seller.stop();
});
beforeEach(async () => {
  before = await left();
  wire = new Wire();
  for (const seller of Object.values(sellers)) Object.assign(seller, { served: 0, isDeaf: false, isStubborn: false });
});

const payer = (limits: object = {}): PayingFetch =>
  payingFetch(wire.client(h.test.url, buyer.token), {
    walletId: buyer.wallet.id,
    agentId: buyer.id,
    maxPerCall: '0.50',
    maxTotal: '5.00',
    ...limits,
  });
const left = async () => Number((await balanceOf(h.test, buyer.wallet)).available);
const paid = async () => (before - (await left())).toFixed(2);
const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'paid',
    (error) => (error instanceof PaymentError ? error.reason : error),
  );

describe('a fetch that pays', () => {
  it.each(['x402', 'mpp'] as const)('pays a 402 of %s, and gets what it asked for', async (protocol) => {
    const pay = payer();
    const answer = await pay(sellers[protocol].url, { method: 'POST', body: 'Where?' });
    expect([answer.status, await answer.json()]).toEqual([200, { weather: 'fine' }]);
    const price = protocol === 'x402' ? '0.10' : '0.02';
    expect([pay.spent, await paid()]).toEqual([price, price]);
    expect(wire.attempts.filter(({ path }) => path.endsWith('/pay'))).toHaveLength(1);
  });

  it('takes any other answer as it is', async () => {
    const open = payer({ fetch: async () => new Response('free', { status: 200 }) });
    expect(await (await open('https://free.example')).text()).toBe('free');
    const foreign = payer({
      fetch: async () =>
        new Response('{}', { status: 402, headers: { 'WWW-Authenticate': 'Payment id="1", method="card", intent="charge"' } }),
    });
    expect((await foreign('https://cards.example')).status).toBe(402);
    expect(await paid()).toBe('0.00');
  });

  it('ends with its signal while an answer is read, also when memory was tidied up meanwhile', async () => {
    const endless = await new StandIn((_, response) => void response.writeHead(200).write('one')).start();
    const stop = new AbortController();
    try {
      const answer = await payer({ fetch: (request: Request) => fetch(request) })(endless.url, { signal: stop.signal });
      const text = answer.text().catch((error) => error.name);
      await collectGarbage();
      stop.abort();
      expect(await text).toBe('AbortError');
    } finally {
      endless.stop();
    }
  });

  it('pays nothing above the maximum of a call, beyond the total, or in another currency', async () => {
    expect(await reasonOf(payer({ maxPerCall: '0.09' })(sellers.x402.url))).toBe('over_maximum');
    expect(await reasonOf(payer({ maxPerCall: '0.0199' })(sellers.mpp.url))).toBe('over_maximum');
    expect(await reasonOf(payer({ currency: 'USD' })(sellers.x402.url))).toBe('wrong_currency');
    expect(() => payer({ maxTotal: 'much' })).toThrow(RangeError);
    expect(await paid()).toBe('0.00');
    const pay = payer({ maxTotal: '0.35' });
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => reasonOf(pay(sellers.x402.url))));
    expect(outcomes.sort()).toEqual(['over_total', 'over_total', 'paid', 'paid', 'paid']);
    expect([pay.spent, await paid()]).toEqual(['0.30', '0.30']);
  });

  it('pays once when the platform’s answer is lost', async () => {
    const lossy = payer();
    const tries = () => wire.attempts.filter(({ path }) => path === '/v1/x402/pay').length;
    wire.decide = () => (tries() === 1 || tries() === 2 ? 'lost' : undefined);
    expect((await lossy(sellers.x402.url)).status).toBe(200);
    expect([tries(), await paid()]).toEqual([3, '0.10']);
  });

  it('counts a payment whose end nobody knows, such as behind a gateway that gave up', async () => {
    const gateway = async (request: Request): Promise<Response> => {
      const answer = await wire.fetch(request);
      return request.url.endsWith('/pay') ? new Response('<html>', { status: 504 }) : answer;
    };
    const client = wire.client(h.test.url, buyer.token, { fetch: gateway });
    const pay = payingFetch(client, { walletId: buyer.wallet.id, agentId: buyer.id, maxPerCall: '0.50', maxTotal: '0.15' });
    await expect(pay(sellers.x402.url)).rejects.toMatchObject({ status: 504 });
    expect([pay.spent, await paid()]).toEqual(['0.10', '0.10']);
    expect(await reasonOf(pay(sellers.x402.url))).toBe('over_total');
  });

  it('pays nothing at another host than the one that was called', async () => {
    const elsewhere = await new StandIn((_, response) => response.writeHead(307, { Location: sellers.x402.url }).end()).start();
    try {
      expect(await reasonOf(payer()(elsewhere.url))).toBe('redirected');
      expect(await paid()).toBe('0.00');
    } finally {
      elsewhere.stop();
    }
  });

  it('pays nothing for a call that was ended meanwhile', async () => {
    const stop = new AbortController();
    wire.decide = (path) => void (path === '/v1/x402/quote' && stop.abort());
    await expect(payer()(sellers.x402.url, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await paid()).toBe('0.00');
  });

  it('shows the offer that it has paid, and the challenge alone, whatever stands beside them', async () => {
    const shown: Json[] = [];
    const seen = (request: Request): void => {
      const [, text] =
        /^(?:Payment )?(.+)$/.exec(request.headers.get('PAYMENT-SIGNATURE') ?? request.headers.get('Authorization') ?? '') ?? [];
      if (text !== undefined) shown.push(JSON.parse(Buffer.from(text, 'base64url').toString()));
    };
    const asks = (headers: Record<string, string>) => async (request: Request) => {
      seen(request);
      return shown.length === 0 ? new Response('{}', { status: 402, headers }) : new Response('served');
    };
    const required = (await h.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null })).body;
    const [offer] = required.accepts;
    const offers = { ...required, accepts: [{ ...offer, network: 'ledger:elsewhere', payTo: 'somebody' }, offer] };
    const x402 = asks({ 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(offers)).toString('base64') });
    expect(await (await payer({ fetch: x402 })('https://weather.example')).text()).toBe('served');
    expect(shown.pop()).toMatchObject({ accepted: { network: offer.network, payTo: offer.payTo } });
    const price = { amount: '20000', currency: 'usdc', recipient: endpoint.receiver_wallet_id, methodDetails: { decimals: 6 } };
    const request = Buffer.from(JSON.stringify(price)).toString('base64url');
    const members = `id="once", realm="weather", method=ledger, intent = "charge", request="${request}"`;
    const mpp = asks({ 'WWW-Authenticate': `Negotiate abc==, Payment ${members}, Bearer realm="api", error="x"` });
    expect(await (await payer({ fetch: mpp })('https://weather.example')).text()).toBe('served');
    expect(shown.pop().challenge).toEqual({ id: 'once', realm: 'weather', method: 'ledger', intent: 'charge', request });
  });

  it('says what was paid when the seller does not answer, or asks again', async () => {
    sellers.x402.isDeaf = true;
    const failed = await payer()(sellers.x402.url).catch((error) => error);
    expect(failed).toMatchObject({ reason: 'unanswered', payment: { protocol: 'x402', amount: '0.10', proof: expect.any(String) } });
    Object.assign(sellers.x402, { isDeaf: false, isStubborn: true });
    expect(await reasonOf(payer()(sellers.x402.url))).toBe('not_accepted');
    expect(sellers.x402.served).toBe(0);
  });

  it('gives the payment at the platform’s own door, which sells nothing beside', async () => {
    const answer = await payer()(`${h.test.url}/x402/${endpoint.id}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { paid: true, payment_id: expect.stringMatching(/^pay_/), proof: expect.any(String) },
    ]);
  });

  it('stops at the limits of the platform, and counts nothing that was refused', async () => {
    await h.test.make(`/v1/agents/${buyer.id}/freeze`, { reason: 'Enough' });
    const pay = payer();
    await expect(pay(sellers.x402.url)).rejects.toMatchObject({ name: 'ApiError', code: 'agent_frozen' });
    expect(pay.spent).toBe('0.00');
  });
});

// A route that is sold with paid() of the SDK: its answer is what was delivered for the payment.
import { createHash } from 'node:crypto';
import { type PayingFetch, paid, payingFetch } from '@agent-payments/sdk';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { balanceOf } from '../factories/payment.js';
import { type Buyer, newBuyer, newEndpoint } from '../factories/x402.js';
import { type Json, useHarness } from '../harness.js';
import { Wire } from './wire.js';

const h = useHarness();
const route = 'https://weather.example/today';
let [endpoint, buyer]: [Json, Buyer] = [{}, {} as Buyer];
let serve: (request: Request) => Promise<Response>;
/** What the seller was asked, with what showed a payment. */
let asked: Request[];
let sell: (request: Request) => Promise<Response>;

beforeAll(async () => {
  h.clock.set(new Date().toISOString());
  [endpoint, buyer] = [await newEndpoint(h.test), await newBuyer(h.test)];
});
beforeEach(() => {
  asked = [];
  serve = async () => Response.json({ weather: 'fine' }, { headers: { 'X-Place': 'here' } });
  const seller = paid(new Wire().client(h.test.url, h.test.key), { endpointId: endpoint.id }, (request) => serve(request));
  sell = (request) => {
    asked.push(request.clone());
    return seller(request);
  };
});

const pay = (): PayingFetch =>
  payingFetch(new Wire().client(h.test.url, buyer.token), {
    walletId: buyer.wallet.id,
    agentId: buyer.id,
    maxPerCall: '0.50',
    maxTotal: '5.00',
    fetch: (request) => sell(request),
  });
/** What the leaves of the newest payment say was delivered. */
async function delivered(): Promise<Json[]> {
  const [{ transfer_id: id }] = (await h.test.get('/v1/x402/payments?limit=1')).body.data;
  const { leaves } = (await h.test.get(`/v1/transfers/${id}/evidence?parts=delivery`)).body;
  return leaves
    .flatMap(({ disclosures }: Json) => disclosures)
    .map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())[2]);
}

describe('a route that is sold', () => {
  it('answers once for a payment, and the hash of the answer is what was delivered', async () => {
    const answer = await pay()(route, { method: 'POST', body: 'Where?' });
    const text = await answer.text();
    expect([answer.status, text, answer.headers.get('X-Place')]).toEqual([200, '{"weather":"fine"}', 'here']);
    expect(await asked.at(-1)?.clone().text()).toBe('Where?');
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(await delivered()).toMatchObject([{ sha256, by: { side: 'payee' } }]);
    expect(await balanceOf(h.test, { id: endpoint.receiver_wallet_id })).toMatchObject({ available: '0.10' });
    const again = await sell(asked.at(-1) as Request);
    expect([again.status, (await again.json()).accepts]).toEqual([402, [expect.objectContaining({ amount: '100000' })]]);
    expect(again.headers.get('PAYMENT-REQUIRED')).not.toBeNull();
  });

  it('leaves a payment as it is where the call fails, and answers the same proof later', async () => {
    const works = serve;
    serve = async () => new Response('broken', { status: 500 });
    const failed = await pay()(route).catch((error) => error);
    expect(failed.status ?? failed.reason).toBe(500);
    serve = works;
    expect((await sell(asked.at(-1) as Request)).status).toBe(200);
  });

  it('answers one of two calls that show one payment', async () => {
    const works = serve;
    serve = async () => new Response('not now', { status: 503 });
    await pay()(route).catch(() => {});
    const shown = () => (asked.at(-1) as Request).clone();
    let arrived = 0;
    serve = async (request) => {
      arrived += 1;
      return works(request);
    };
    const answers = await Promise.all([sell(shown()), sell(shown())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
    expect(arrived).toBe(1);
    // The other one came while the payment was used up elsewhere.
    const elsewhere = paid(new Wire().client(h.test.url, h.test.key), { endpointId: endpoint.id }, works);
    expect((await elsewhere(shown())).status).toBe(402);
  });

  it.each([
    '',
    'made up',
    Buffer.from('{"payload":{"proof":7}}').toString('base64'),
    Buffer.from('{"payload":{"proof":"a.b.c"}}').toString('base64'),
  ])('says what a call costs to who shows "%s"', async (header) => {
    const answer = await sell(new Request(route, { headers: { 'PAYMENT-SIGNATURE': header } }));
    expect(answer.status).toBe(402);
  });

  it('answers nothing in a body where there is none', async () => {
    serve = async () => new Response(null, { status: 204 });
    const answer = await pay()(route);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await delivered()).toMatchObject([{ sha256: createHash('sha256').digest('hex') }]);
  });
});

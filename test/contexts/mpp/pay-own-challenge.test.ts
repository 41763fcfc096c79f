// POST /v1/mpp/pay by challenges of our own paid door: where that is, and what else pays by the same nonce.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Challenge, printChallenge } from '../../../src/contexts/mpp/challenge.js';
import { answerTo, ledgerChallenge, paidRequest } from '../../factories/mpp-call.js';
import { balanceOf } from '../../factories/payment.js';
import { type Buyer, base64, newBuyer, newEndpoint, signedOnLedger } from '../../factories/x402.js';
import { type Client, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const ask = (client: Client, { uuid, wallet, token }: Buyer, service_url: string, extra: object = {}) => {
  const body = { service_url, amount: '0.10', agent_id: uuid, wallet_id: wallet.id, ...extra };
  return client.post('/v1/mpp/pay', body, { as: token });
};

describe('with the challenge for its nonce', () => {
  const harness = useHarness();
  beforeEach(() => harness.clock.set('2026-03-02T10:00:00.000Z'));

  it('nothing is paid over x402, before the challenge is answered or after', async () => {
    const [buyer, endpoint] = [await newBuyer(harness.test), await newEndpoint(harness.test)];
    const service_url = `${harness.test.url}/x402/${endpoint.id}`;
    const [offer] = (await harness.test.get(`/x402/${endpoint.id}`, { as: null })).body.accepts;
    const byX402 = async (nonce: string) => {
      const signed = signedOnLedger(buyer, offer, '0.10', harness.clock.now(), { nonce });
      const headers = { 'PAYMENT-SIGNATURE': base64(signed) };
      return harness.test.get(`/x402/${endpoint.id}`, { as: null, headers });
    };
    const byMpp = (challenge: Challenge) => ask(harness.test, buyer, service_url, { challenge: printChallenge(challenge) });
    const [first, second] = [await ledgerChallenge(harness.test, endpoint), await ledgerChallenge(harness.test, endpoint)];
    expect((await byMpp(first)).status).toBe(201);
    expect((await byX402(first.id)).body.error).toBe('invalid_transaction_state');
    expect((await byX402(second.id)).status).toBe(200);
    expectRefused(await byMpp(second), 422, 'payment_invalid', { reason: 'nonce_used' });
    const atTheDoor = await paidRequest(harness.test, endpoint, answerTo(buyer, second));
    expect([atTheDoor.status, atTheDoor.body.code]).toEqual([402, 'payment_invalid']);
    expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.80');
  });
});

describe('where the platform is reached below a path', () => {
  const below = useHarness({ env: { SANDBOX_URL: 'https://pay.example/sandbox/' } });

  it('pays an endpoint at the address that its 402 names', async () => {
    const [buyer, endpoint] = [await newBuyer(below.test), await newEndpoint(below.test)];
    const { resource } = (await below.test.get(`/x402/${endpoint.id}`, { as: null })).body;
    expect(resource.url).toBe(`https://pay.example/sandbox/x402/${endpoint.id}`);
    const challenge = printChallenge(await ledgerChallenge(below.test, endpoint));
    const pay = (service_url: string, extra: object = {}) => ask(below.test, buyer, service_url, extra);
    for (const extra of [{ challenge }, {}]) expect((await pay(resource.url, extra)).status).toBe(201);
    for (const elsewhere of [`https://pay.example/x402/${endpoint.id}`, `${resource.url}/more`])
      expectInvalid(await pay(elsewhere), 'payee_wallet_id');
  });
});

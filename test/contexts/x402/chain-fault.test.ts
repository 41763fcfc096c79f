// Payments whose chain fails at the paid door: before it was told of them, and at any moment afterwards.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Chain, chains } from '../../../src/contexts/x402/chain/chain.js';
import { chainBalance, chainName, newPayer, signed } from '../../factories/chain.js';
import { balanceOf } from '../../factories/payment.js';
import { base64, endpointBody, newEndpoint, someAddress, unbase64 } from '../../factories/x402.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
// The official client signs in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const door = ({ id }: Json, headers: Record<string, string> = {}) => harness.test.get(`/x402/${id}`, { as: null, headers });
const offersOf = async (endpoint: Json): Promise<Json[]> => (await door(endpoint)).body.accepts;
const paidRequest = (endpoint: Json, payload: Json) => door(endpoint, { 'PAYMENT-SIGNATURE': base64(payload) });
const onChain = () => newEndpoint(harness.test, { network: chainName });
const paymentsOf = async ({ id }: Json) => (await harness.test.get(`/v1/x402/payments?endpoint_id=${id}`)).body.data;

function expectUnpaid(answer: Answer, reason: string): void {
  expect([answer.status, answer.body.error], JSON.stringify(answer.body)).toEqual([402, reason]);
  expect(unbase64(answer.headers.get('payment-response'))).toMatchObject({ success: false, errorReason: reason, transaction: '' });
}

describe('a chain that fails', () => {
  async function withChain(changed: (chain: Chain) => Partial<Chain>, work: () => Promise<void>): Promise<void> {
    const connected = harness.platform.extensions.of(chains);
    const chain = connected.of({ environment: 'test' }, chainName) as Chain;
    connected.connect({ environment: 'test', name: chainName, provider: { ...chain, ...changed(chain) } });
    try {
      await work();
    } finally {
      connected.connect({ environment: 'test', name: chainName, provider: chain });
    }
  }
  /** Runs `work` with a chain that does `fault` in place of, or around, settling. */
  const withFault = (fault: (chain: Chain) => Chain['settle'], work: () => Promise<void>) =>
    withChain((chain) => ({ settle: fault(chain) }), work);
  const lost = () => Promise.reject(new Error('the connection is gone'));

  it('when it is asked whether a payment is good: 503, and nothing was changed', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const [offer] = await offersOf(endpoint);
    const payload = await signed(payer, offer);
    const { account, wallet } = await openWallet(harness.test, { currency: 'USDC' });
    const another = endpointBody(account, { receiver_wallet_id: wallet.id, network: chainName });
    const asked = { x402Version: 2, paymentPayload: payload, paymentRequirements: offer };
    const down = { faultOf: lost, depositAddress: lost };
    const refusal = [503, 'dependency_unavailable', { retry: { safe: true } }] as const;
    await withChain(
      () => down,
      async () => {
        expectRefused(await paidRequest(endpoint, payload), ...refusal);
        expectRefused(await harness.test.post('/v1/x402/facilitator/verify', asked), ...refusal);
        expectRefused(await harness.test.post('/v1/x402/facilitator/settle', asked), ...refusal);
        expectRefused(await harness.test.post('/v1/x402/endpoints', another), ...refusal);
      },
    );
    expect(await paymentsOf(endpoint)).toEqual([]);
    expect((await paidRequest(endpoint, payload)).status).toBe(200);
  });

  it('after it has carried the authorization out: it is asked, and the money posted once', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const payload = await signed(payer, (await offersOf(endpoint))[0]);
    const afterwards =
      (chain: Chain): Chain['settle'] =>
      async (...order) => {
        await chain.settle(...order);
        return lost();
      };
    await withFault(afterwards, async () => expectUnpaid(await paidRequest(endpoint, payload), 'unexpected_settle_error'));
    const [before] = await paymentsOf(endpoint);
    expect(before).toMatchObject({ status: 'pending' });
    expect((await harness.test.post(`/v1/wallets/${endpoint.receiver_wallet_id}/close`, {})).status).toBe(409);
    await harness.advance(31);
    const [after] = await paymentsOf(endpoint);
    expect(after).toMatchObject({ id: before.id, status: 'settled', proof: expect.any(String) });
    await harness.advance(3_600);
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
  });

  it('before it: the authorization is handed in again', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const payload = await signed(payer, (await offersOf(endpoint))[0]);
    await withFault(
      () => lost,
      async () => expectUnpaid(await paidRequest(endpoint, payload), 'unexpected_settle_error'),
    );
    await harness.advance(31);
    expect((await paymentsOf(endpoint))[0]).toMatchObject({ status: 'settled' });
    expect(await chainBalance(harness.test, payer.address)).toBe('9.90');
  });

  it('after the payer has used the nonce for itself: nobody is paid what has not come', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const payload = await signed(payer, (await offersOf(endpoint))[0]);
    const elsewhere =
      (chain: Chain): Chain['settle'] =>
      async (ctx, order) => {
        await chain.settle(ctx, { ...order, authorization: { ...order.authorization, to: someAddress } });
        return chain.settle(ctx, order);
      };
    await withFault(elsewhere, async () => expectUnpaid(await paidRequest(endpoint, payload), 'invalid_transaction_state'));
    expect((await paymentsOf(endpoint))[0]).toMatchObject({ status: 'failed', failure_reason: 'invalid_transaction_state' });
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.00');
    expect(await chainBalance(harness.test, someAddress)).toBe('0.10');
    await harness.runDue();
    expect((await harness.test.get('/v1/test/convergence')).body).toMatchObject({ converged: true });
  });

  it('until the authorization has expired: the payment has failed, and nothing moved', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const payload = await signed(payer, (await offersOf(endpoint))[0]);
    await withFault(
      () => lost,
      async () => {
        await paidRequest(endpoint, payload);
        await harness.advance(31);
      },
    );
    await harness.advance(61);
    const [payment] = await paymentsOf(endpoint);
    expect(payment).toMatchObject({ status: 'failed', failure_reason: 'invalid_exact_evm_payload_authorization_valid_before' });
    expect(await chainBalance(harness.test, payer.address)).toBe('10.00');
  });
});

// MPP at ANY /x402/{endpoint_id} by the method evm: authorizations of EIP-3009, by hand and with the official client.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Chain, chains } from '../../../src/contexts/x402/chain/chain.js';
import { chainBalance, chainName, newPayer } from '../../factories/chain.js';
import { challengesIn, evmClient, evmCredential, expectProblem, paidRequest } from '../../factories/mpp-call.js';
import { balanceOf } from '../../factories/payment.js';
import { newEndpoint, unbase64 } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
// The official client lives in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const received = async ({ receiver_wallet_id: id }: Json) => (await balanceOf(harness.test, { id })).available;
const paymentsOf = async ({ id }: Json) => (await harness.test.get(`/v1/x402/payments?endpoint_id=${id}`)).body.data;

describe('a credential of the method evm', () => {
  it('200: the official client pays by its own method', async () => {
    const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
    const answer = await evmClient(payer).fetch(`${harness.test.url}/x402/${endpoint.id}`);
    const body = (await answer.json()) as Json;
    expect([answer.status, body.receipt]).toEqual([200, expect.objectContaining({ method: 'evm', reference: body.payment_id })]);
    expect([await received(endpoint), await chainBalance(harness.test, payer.address)]).toEqual(['0.10', '9.90']);
    const [payment] = await paymentsOf(endpoint);
    expect((await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data).toMatchObject({ protocol: 'mpp' });
    await harness.runDue();
    expect((await harness.test.get('/v1/test/convergence')).body).toMatchObject({ converged: true });
  });

  it('402 for another nonce, payee, payer, amount, and an authorization that ends too soon', async () => {
    const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
    const other = await newEndpoint(harness.test, { network: chainName });
    const challenge = challengesIn(await paidRequest(harness.test, endpoint))['evm'] as Json;
    const changes: [Json, string][] = [
      [{ nonce: `0x${'11'.repeat(32)}` }, 'verification-failed'],
      [{ to: other.pay_to }, 'verification-failed'],
      [{ value: '1' }, 'verification-failed'],
      [{ validBefore: String(Math.floor(harness.clock.now().getTime() / 1000) + 5) }, 'payment-expired'],
      [{ validAfter: String(Math.floor(harness.clock.now().getTime() / 1000) + 60) }, 'verification-failed'],
      [{ type: 'hash' }, 'malformed-credential'],
    ];
    for (const [change, type] of changes)
      expectProblem(await paidRequest(harness.test, endpoint, await evmCredential(payer, challenge, change)), type);
    const forged = await evmCredential(payer, challenge, {}, { from: (await newPayer(harness.test)).address });
    expectProblem(await paidRequest(harness.test, endpoint, forged), 'verification-failed');
    const poor = await newPayer(harness.test, { funded: '0.01' });
    expectProblem(await paidRequest(harness.test, endpoint, await evmCredential(poor, challenge)), 'payment-insufficient');
    const good = await evmCredential(payer, challenge);
    expectProblem(await paidRequest(harness.test, other, good), 'invalid-challenge');
    expect((await paidRequest(harness.test, endpoint, good)).status).toBe(200);
    expectProblem(await paidRequest(harness.test, endpoint, good), 'invalid-challenge', { reason: 'challenge_used' });
    // Another address, and a wallet of the platform, cannot answer it again either.
    const second = await newPayer(harness.test);
    expectProblem(await paidRequest(harness.test, endpoint, await evmCredential(second, challenge)), 'invalid-challenge', {
      reason: 'challenge_used',
    });
    expect([await received(endpoint), await chainBalance(harness.test, second.address)]).toEqual(['0.10', '10.00']);
  });

  it('402 with the payment while the chain is silent, which is settled when it has answered', async () => {
    const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
    const challenge = challengesIn(await paidRequest(harness.test, endpoint))['evm'] as Json;
    const connected = harness.platform.extensions.of(chains);
    const chain = connected.of({ environment: 'test' }, chainName) as Chain;
    const silentChain = { ...chain, settle: () => Promise.reject(new Error('the connection is gone')) };
    connected.connect({ environment: 'test', name: chainName, provider: silentChain });
    try {
      const silent = await paidRequest(harness.test, endpoint, await evmCredential(payer, challenge));
      expectProblem(silent, 'verification-failed', { reason: 'unexpected_settle_error', payment_id: expect.stringMatching(/^pay_/) });
    } finally {
      connected.connect({ environment: 'test', name: chainName, provider: chain });
    }
    await harness.advance(31);
    const [payment] = await paymentsOf(endpoint);
    expect(payment).toMatchObject({ status: 'settled' });
    expect(unbase64(payment.payment_signature)).toMatchObject({ x402Version: 2 });
    expect((await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data).toMatchObject({ protocol: 'mpp' });
    expect(await received(endpoint)).toBe('0.10');
  });
});

// POST /v1/x402/facilitator/verify and /settle, GET /supported, GET /v1/x402/discovery/resources. The official facilitator is the oracle.
import { readFileSync } from 'node:fs';
import { ExactEvmScheme as Facilitator } from '@x402/evm/exact/facilitator';
import fc from 'fast-check';
import { verifyTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it } from 'vitest';
import { chainBalance, chainName, newPayer, signed, signedV1 } from '../../factories/chain.js';
import { balanceOf } from '../../factories/payment.js';
import { newBuyer, newEndpoint, signedOnLedger } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const base = '/v1/x402/facilitator';
beforeEach(() => harness.clock.set(new Date().toISOString()));

/** What anybody may ask for: tokens, to an address that is nobody's here. */
const outside = {
  scheme: 'exact',
  network: chainName,
  amount: '100000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
};
const asked = (paymentPayload: Json, paymentRequirements: Json) => ({
  x402Version: paymentPayload.x402Version,
  paymentPayload,
  paymentRequirements,
});
const verify = async (payload: Json, requirements: Json) => (await harness.test.post(`${base}/verify`, asked(payload, requirements))).body;
const settle = async (payload: Json, requirements: Json, as = harness.test.key) =>
  (await harness.test.post(`${base}/settle`, asked(payload, requirements), { as })).body;
const offerOf = async ({ id }: Json, index = 0) => (await harness.test.get(`/x402/${id}`, { as: null })).body.accepts[index];

describe('POST /v1/x402/facilitator/verify and /settle', () => {
  it('settles between addresses of the chain, in version 2, once', async () => {
    const payer = await newPayer(harness.test);
    const payload = await signed(payer, outside);
    expect(await verify(payload, outside)).toEqual({ isValid: true, payer: payer.address.toLowerCase() });
    const done = await settle(payload, outside);
    expect(done).toEqual({
      success: true,
      payer: payer.address,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: chainName,
      amount: '100000',
    });
    expect(await chainBalance(harness.test, payer.address)).toBe('9.90');
    const again = { success: false, errorReason: 'invalid_transaction_state', transaction: '', network: chainName, payer: payer.address };
    expect(await settle(payload, outside)).toEqual(again);
    expect(await verify(payload, outside)).toEqual({ isValid: false, invalidReason: 'invalid_transaction_state', payer: payer.address });
  });

  it('and in version 1', async () => {
    const payer = await newPayer(harness.test);
    const { amount: maxAmountRequired, ...rest } = outside;
    const requirements = {
      ...rest,
      maxAmountRequired,
      network: 'base-sepolia',
      resource: 'https://a.example',
      description: '',
      mimeType: '',
    };
    const payload = await signedV1(payer, requirements);
    expect(await verify(payload, requirements)).toMatchObject({ isValid: true });
    expect(await settle(payload, requirements)).toMatchObject({ success: true, network: 'base-sepolia' });
  });

  it('credits the wallet whose address is paid', async () => {
    const endpoint = await newEndpoint(harness.test, { network: chainName });
    const payer = await newPayer(harness.test);
    const offer = await offerOf(endpoint);
    expect(await settle(await signed(payer, offer), offer)).toMatchObject({ success: true });
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
  });

  it('settles on the ledger network, for an agent’s own credential too', async () => {
    const [endpoint, buyer, seller] = [await newEndpoint(harness.test), await newBuyer(harness.test), await newBuyer(harness.test)];
    const offer = await offerOf(endpoint);
    const payload = signedOnLedger(buyer, offer, '0.10', harness.clock.now());
    expect(await verify(payload, offer)).toEqual({ isValid: true, payer: buyer.wallet.id });
    expect(await settle(payload, offer, seller.token)).toMatchObject({ success: true, network: 'ledger:test', payer: buyer.wallet.id });
    expect(await verify(payload, offer)).toMatchObject({ isValid: false, invalidReason: 'invalid_transaction_state' });
    const poor = await newBuyer(harness.test, { funded: '0.01' });
    expect(await verify(signedOnLedger(poor, offer, '0.10', harness.clock.now()), offer)).toMatchObject({
      isValid: false,
      invalidReason: 'insufficient_funds',
    });
  });

  it('takes of an upto authorization what the seller asks for', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test, { scheme: 'upto', base_price: '1.00' }), await newBuyer(harness.test)];
    const offer = await offerOf(endpoint);
    const payload = signedOnLedger(buyer, offer, '1.00', harness.clock.now());
    expect(await settle(payload, { ...offer, amount: '1000001' })).toMatchObject({
      success: false,
      errorReason: 'invalid_payment_requirements',
    });
    expect(await settle(payload, { ...offer, amount: '250000' })).toMatchObject({ success: true, amount: '250000' });
    expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.75');
    // Its payer would settle little, and leave the seller nothing to settle.
    const second = signedOnLedger(buyer, offer, '1.00', harness.clock.now());
    expect(await settle(second, { ...offer, amount: '1' }, buyer.token)).toMatchObject({
      success: false,
      errorReason: 'unexpected_settle_error',
    });
    expect(await settle(second, offer)).toMatchObject({ success: true, amount: '1000000' });
    const [used] = (await harness.test.get('/v1/x402/payments')).body.data;
    expectRefused(await harness.test.post(`/v1/x402/payments/${used.id}/consume`, {}), 409, 'state_conflict', { reason: 'consumed' });
  });

  it('refuses a payment of nothing, one that is signed for another token, and a payload that is longer than a header', async () => {
    const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
    const nothing = { ...(await offerOf(endpoint)), amount: '0' };
    expect(await settle(await signed(payer, nothing), nothing)).toMatchObject({
      success: false,
      errorReason: 'invalid_payment_requirements',
    });
    const misnamed = { ...outside, extra: { name: 'USD Coin', version: '2' } };
    expect(await settle(await signed(payer, misnamed), misnamed)).toMatchObject({ errorReason: 'invalid_exact_evm_payload_signature' });
    const long = { ...(await signed(payer, outside)), extensions: { other: 'x'.repeat(13_000) } };
    expect(await verify(long, outside)).toMatchObject({ isValid: false, invalidReason: 'invalid_payload' });
    expect(await settle(long, outside)).toMatchObject({ success: false, errorReason: 'invalid_payload' });
    expect(await chainBalance(harness.test, payer.address)).toBe('10.00');
  });

  it('knows the signature that the specification prints, and that it has expired', async () => {
    const { v2 } = JSON.parse(readFileSync(new URL('../../vectors/x402/http_headers.json', import.meta.url), 'utf8'));
    const payload = v2.find(({ header }: Json) => header === 'PAYMENT-SIGNATURE').decoded;
    const reason = async (extra: object) => {
      const requirements = { ...payload.accepted, extra };
      return (await verify({ ...payload, accepted: requirements }, requirements)).invalidReason;
    };
    expect(await reason({ name: 'USDC', version: '2' })).toBe('invalid_exact_evm_payload_authorization_valid_before');
    expect(await reason({ name: 'USD Coin', version: '2' })).toBe('invalid_exact_evm_payload_signature');
  });

  it('400 for what is no body of x402', async () => {
    expectRefused(await harness.test.post(`${base}/verify`, {}), 400, 'validation_failed');
    const payer = privateKeyToAccount(`0x${'1'.repeat(64)}`);
    const payload = await signed(payer, outside);
    for (const amount of ['0100000', '1e5', '-1', '0.1'])
      expectRefused(await harness.test.post(`${base}/settle`, asked(payload, { ...outside, amount })), 400, 'validation_failed');
  });
});

describe('beside the official facilitator', () => {
  /** Its words for what ours says. */
  const words: Record<string, string> = {
    invalid_exact_evm_scheme: 'unsupported_scheme',
    unsupported_scheme: 'unsupported_scheme',
    invalid_exact_evm_missing_eip712_domain: 'invalid_payment_requirements',
    invalid_exact_evm_network_mismatch: 'invalid_network',
    invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
    invalid_exact_evm_recipient_mismatch: 'invalid_exact_evm_payload_recipient_mismatch',
    invalid_exact_evm_payload_authorization_valid_before: 'invalid_exact_evm_payload_authorization_valid_before',
    invalid_exact_evm_payload_authorization_valid_after: 'invalid_exact_evm_payload_authorization_valid_after',
    invalid_exact_evm_authorization_value_mismatch: 'invalid_exact_evm_payload_authorization_value_mismatch',
  };
  // It asks the chain no more than whether the token is there.
  const facilitator = new Facilitator({
    getAddresses: () => [outside.payTo],
    readContract: async () => true,
    getCode: async ({ address }: Json) => (address.toLowerCase() === outside.asset.toLowerCase() ? '0x6001' : '0x'),
    verifyTypedData: (typed: Json) => verifyTypedData(typed).catch(() => false),
    writeContract: () => Promise.reject(new Error('no chain')),
    sendTransaction: () => Promise.reject(new Error('no chain')),
    waitForTransactionReceipt: () => Promise.reject(new Error('no chain')),
  } as never);

  it('agrees on 200 payments of which some part was changed, and on those that were not', { timeout: 60_000 }, async () => {
    const payer = await newPayer(harness.test);
    const now = Math.floor(Date.now() / 1000);
    const hex = (bytes: number) =>
      fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => `0x${Buffer.from(value).toString('hex')}`);
    const changes = fc.oneof(
      fc.constant({}),
      fc.record({ authorization: fc.record({ value: fc.nat(200_000).map(String) }) }),
      fc.record({ authorization: fc.record({ to: hex(20) }) }),
      fc.record({ authorization: fc.record({ from: hex(20) }) }),
      fc.record({ authorization: fc.record({ nonce: hex(32) }) }),
      fc.record({ authorization: fc.record({ validBefore: fc.integer({ min: now - 100, max: now + 100 }).map(String) }) }),
      fc.record({ signature: hex(65) }),
      fc.record({ accepted: fc.record({ scheme: fc.constantFrom('upto', 'exact'), network: fc.constantFrom(chainName, 'eip155:8453') }) }),
      fc.record({ required: fc.record({ amount: fc.constantFrom('99999', '100000', '100001') }) }),
      fc.record({ required: fc.record({ payTo: hex(20) }) }),
      fc.record({ required: fc.record({ extra: fc.constantFrom({}, { name: 'USDC' }, { name: 'USD Coin', version: '2' }) }) }),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (change: Json) => {
        const payload = structuredClone(await signed(payer, outside));
        Object.assign(payload.accepted, change.accepted);
        Object.assign(payload.payload.authorization, change.authorization);
        if (change.signature) payload.payload.signature = change.signature;
        const requirements = { ...outside, ...change.required };
        const [ours, theirs] = [await verify(payload, requirements), await facilitator.verify(payload, requirements as never)];
        const said = theirs.isValid ? 'valid' : (words[theirs.invalidReason ?? ''] ?? theirs.invalidReason);
        expect(ours.isValid ? 'valid' : ours.invalidReason, JSON.stringify(change)).toBe(said);
      }),
      { numRuns: 200 },
    );
  });
});

describe('GET /v1/x402/facilitator/supported', () => {
  it('the ledger network and the chain in the sandbox, the ledger alone in production', async () => {
    const { kinds, extensions } = (await harness.test.get(`${base}/supported`, { as: null })).body;
    expect(extensions).toEqual(['payment-identifier', 'offer-receipt']);
    expect(kinds).toContainEqual({ x402Version: 2, scheme: 'exact', network: chainName });
    expect(kinds).toContainEqual({ x402Version: 1, scheme: 'exact', network: 'base-sepolia' });
    const live = (await harness.live.get(`${base}/supported`, { as: null })).body.kinds;
    expect(new Set(live.map(({ network }: Json) => network))).toEqual(new Set(['ledger:live']));
  });
});

describe('GET /v1/x402/discovery/resources', () => {
  it('lists what is discoverable and active, in pages', async () => {
    const hosted = await newEndpoint(harness.test, { discoverable: true });
    const listed = await newEndpoint(harness.test, { discoverable: true, url: 'https://api.example/weather' });
    await newEndpoint(harness.test);
    const paused = await newEndpoint(harness.test, { discoverable: true });
    await harness.test.patch(`/v1/x402/endpoints/${paused.id}`, { status: 'paused' });
    const { items, pagination } = (await harness.test.get('/v1/x402/discovery/resources?type=http&limit=1')).body;
    expect(pagination).toEqual({ limit: 1, offset: 0, total: 2 });
    expect(items).toEqual([
      {
        resource: 'https://api.example/weather',
        type: 'http',
        x402Version: 2,
        accepts: [await offerOf(listed)],
        lastUpdated: Math.floor(harness.clock.now().getTime() / 1000),
        metadata: { endpoint_id: listed.id, name: 'Weather', description: 'Weather', method: 'GET' },
      },
    ]);
    // One without an address of its own is where its paid door is, as its 402 says.
    const [door] = (await harness.test.get('/v1/x402/discovery/resources?offset=1')).body.items;
    expect(door.resource).toBe((await harness.test.get(`/x402/${hosted.id}`, { as: null })).body.resource.url);
    expectInvalid(await harness.test.get('/v1/x402/discovery/resources?limit=101'), 'limit');
  });
});

describe('the faucet of the simulated chain', () => {
  it('adds to what an address has, in the sandbox alone', async () => {
    const address = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
    const { body } = await harness.test.post('/v1/test/chain/fund', { address, amount: '1.50' });
    expect(body).toEqual({ data: { address: address.toLowerCase(), balance: '1.50', currency: 'USDC' } });
    const headers = { 'Idempotency-Key': 'faucet-1' };
    for (let n = 0; n < 2; n += 1) await harness.test.post('/v1/test/chain/fund', { address, amount: '1.00' }, { headers });
    expect(await chainBalance(harness.test, address)).toBe('2.50');
    expect(await chainBalance(harness.other, address)).toBe('0.00');
    expectInvalid(await harness.test.post('/v1/test/chain/fund', { address: '0x1', amount: '1.00' }), 'address');
    expectRefused(await harness.test.get('/v1/test/chain/nobody'), 404, 'not_found');
    expectRefused(await harness.live.get(`/v1/test/chain/${address}`), 403, 'test_mode_only');
    expectRefused(await harness.live.post('/v1/test/chain/fund', { address, amount: '1.00' }), 403, 'test_mode_only');
  });

  it('400 for more than an address is ever given', async () => {
    const { address } = await newPayer(harness.test, { funded: '100000000000.00' });
    const fund = (amount: string) => harness.test.post('/v1/test/chain/fund', { address, amount });
    for (let n = 1; n < 9; n += 1) expect((await fund('100000000000.00')).status).toBe(200);
    for (const amount of ['0.000001', '100000000000.00']) expectInvalid(await fund(amount), 'amount');
    expect(await chainBalance(harness.test, address)).toBe('900000000000.00');
  });
});

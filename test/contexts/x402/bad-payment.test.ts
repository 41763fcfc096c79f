// Payments from a chain that are no good: each is refused with the protocol's own reason, at the door and by the facilitator, and nothing
// has moved. What a payment may well look like is taken.
import { beforeEach, describe, expect, it } from 'vitest';
import { chainBalance, chainName, newPayer, signed, signedAs, signedV1 } from '../../factories/chain.js';
import { balanceOf } from '../../factories/payment.js';
import { base64, endpointBody, newBuyer, newEndpoint, signedOnLedger, someAddress, unbase64 } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
// The official client signs in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const paidRequest = (endpoint: Json, headers: Record<string, string>) => harness.test.get(`/x402/${endpoint.id}`, { as: null, headers });
const pay = (endpoint: Json, payload: Json) => paidRequest(endpoint, { 'PAYMENT-SIGNATURE': base64(payload) });
const offersOf = async (endpoint: Json): Promise<Json[]> => (await paidRequest(endpoint, {})).body.accepts;
const seconds = (from: number) => String(Math.floor(harness.clock.now().getTime() / 1000) + from);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const v = (signature: string) => Number.parseInt(signature.slice(-2), 16);
const withV = (signature: string, byte: number) => signature.slice(0, -2) + byte.toString(16).padStart(2, '0');

/** The other half of s, which signs the same. */
function high(signature: string): string {
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return withV(signature.slice(0, 66) + s + signature.slice(130), v(signature) === 27 ? 28 : 27);
}

/** An endpoint that takes payments of a chain, and somebody with money on it. */
async function world() {
  const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
  const offer = (await offersOf(endpoint))[0] as Json;
  return { endpoint, payer, offer };
}

describe('a payment that is no good', () => {
  it('is refused with the reason of the specification, and moves nothing', async () => {
    const { endpoint, payer, offer } = await world();
    const good = await signed(payer, offer);
    const { signature } = good.payload;
    const accepting = (changes: object) => signed(payer, { ...offer, ...changes });
    const resigned = (spoilt: string) => ({ ...good, payload: { ...good.payload, signature: spoilt } });
    const authorizing = (changes: object) => signedAs(payer, offer, changes);
    const refused: [what: string, payload: Json, reason: string][] = [
      ['another network', { ...good, accepted: { ...offer, network: 'eip155:8453' } }, 'invalid_payment_requirements'],
      ['another asset', await accepting({ asset: someAddress }), 'invalid_payment_requirements'],
      ['another amount', await accepting({ amount: '1' }), 'invalid_payment_requirements'],
      ['another payTo', await accepting({ payTo: someAddress }), 'invalid_payment_requirements'],
      ['another scheme', await accepting({ scheme: 'upto' }), 'invalid_payment_requirements'],
      ['a signature to somebody else', await authorizing({ to: someAddress }), 'invalid_exact_evm_payload_recipient_mismatch'],
      ['a signature for less', await authorizing({ value: '99999' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
      ['a signature for more', await authorizing({ value: '100001' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
      [
        'one that has expired by a second',
        await authorizing({ validBefore: seconds(-1) }),
        'invalid_exact_evm_payload_authorization_valid_before',
      ],
      ['one that ends too soon', await authorizing({ validBefore: seconds(3) }), 'invalid_exact_evm_payload_authorization_valid_before'],
      ['one that is not good yet', await authorizing({ validAfter: seconds(30) }), 'invalid_exact_evm_payload_authorization_valid_after'],
      [
        'somebody else’s name',
        resigned((await signed(await newPayer(harness.test), offer)).payload.signature),
        'invalid_exact_evm_payload_signature',
      ],
      ['the high s', resigned(high(signature)), 'invalid_exact_evm_payload_signature'],
      ['the other v', resigned(withV(signature, v(signature) === 27 ? 28 : 27)), 'invalid_exact_evm_payload_signature'],
      ['a v of 29', resigned(withV(signature, 29)), 'invalid_exact_evm_payload_signature'],
      ['the signature of a contract', resigned(`${signature}00`), 'invalid_exact_evm_payload_signature'],
      [
        'one of a contract that is not there yet',
        resigned(`0x${'11'.repeat(300)}${'6492'.repeat(16)}`),
        'invalid_exact_evm_payload_signature',
      ],
      ['no signature', resigned('0x'), 'invalid_exact_evm_payload_signature'],
    ];
    for (const value of ['0100000', '1e5', ' 100000', '0x186a0', '-100000', '100000.0'])
      refused.push([
        `a value of ${value}`,
        { ...good, payload: { signature, authorization: { ...good.payload.authorization, value } } },
        'invalid_payload',
      ]);
    for (const [what, payload, reason] of refused) {
      const answer = await pay(endpoint, payload);
      expect([what, answer.status, answer.body.error]).toEqual([what, 402, reason]);
      expect(unbase64(answer.headers.get('payment-response')), what).toMatchObject({
        success: false,
        errorReason: reason,
        transaction: '',
      });
      if (reason === 'invalid_payment_requirements') continue;
      const asked = { x402Version: 2, paymentPayload: payload, paymentRequirements: offer };
      const { body } = await harness.test.post('/v1/x402/facilitator/settle', asked);
      expect(body, what).toMatchObject({ success: false, errorReason: reason, transaction: '' });
    }
    expect(await chainBalance(harness.test, payer.address)).toBe('10.00');
    expect((await harness.test.get(`/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data).toEqual([]);
    expect((await pay(endpoint, good)).status).toBe(200);
  });

  it('400 for a header that is none of its version', async () => {
    const { endpoint, payer, offer } = await world();
    const good = await signed(payer, offer);
    const v1 = await signedV1(payer, (await paidRequest(endpoint, {})).body.v1.accepts[0]);
    const amounts = ['010000', '1e4', '-1', ''].map((amount) => ({ ...good, accepted: { ...offer, amount } }));
    const nul = { ...good, payload: { ...good.payload, authorization: { ...good.payload.authorization, from: '\u0000' } } };
    const v2 = [
      base64(good).slice(0, -5),
      `${base64(good)}=`,
      base64(good).replace(/.$/, ' '),
      base64(v1),
      base64(nul),
      ...amounts.map(base64),
    ];
    for (const header of v2) expectInvalid(await paidRequest(endpoint, { 'PAYMENT-SIGNATURE': header }), 'PAYMENT-SIGNATURE');
    for (const header of [base64(good), base64(v1).slice(1)])
      expectInvalid(await paidRequest(endpoint, { 'X-PAYMENT': header }), 'X-PAYMENT');
    const verified = (await harness.test.post('/v1/x402/verify', { payment_signature: base64(nul) })).body.data;
    expect(verified).toEqual({ valid: false, reason: 'invalid_payload' });
    expect(await chainBalance(harness.test, payer.address)).toBe('10.00');
  });

  it('402 for a nonce that has paid, at an endpoint that offers the same and in version 1', async () => {
    const { endpoint, payer, offer } = await world();
    const twin = await harness.test.make('/v1/x402/endpoints', {
      name: 'Twin',
      path: '/twin',
      method: 'GET',
      account_id: endpoint.account_id,
      receiver_wallet_id: endpoint.receiver_wallet_id,
      network: chainName,
      base_price: '0.10',
    });
    const payload = await signed(payer, offer);
    expect((await pay(endpoint, payload)).status).toBe(200);
    expect((await pay(twin, payload)).body.error).toBe('invalid_transaction_state');
    const again = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: payload.payload };
    expect((await paidRequest(twin, { 'X-PAYMENT': base64(again) })).body.error).toBe('invalid_transaction_state');
    expect(await chainBalance(harness.test, payer.address)).toBe('9.90');
  });
});

describe('a payment that is spelled in another way', () => {
  it('with a v of 0 and 1, in other capitals, and its members in another order, pays; and verifies in every spelling', async () => {
    const { endpoint, payer, offer } = await world();
    const plain = await signed(payer, offer);
    const low = await signed(payer, offer);
    low.payload.signature = withV(low.payload.signature, v(low.payload.signature) - 27);
    const upper = await signed(payer, {
      ...offer,
      asset: offer.asset.toUpperCase().replace('0X', '0x'),
      payTo: offer.payTo.toUpperCase().replace('0X', '0x'),
    });
    const turned = Object.fromEntries(Object.entries(await signed(payer, offer)).reverse());
    const v1 = await signedV1(payer, (await paidRequest(endpoint, {})).body.v1.accepts[0]);
    const paid: [Record<string, string>, Json][] = [plain, low, upper, turned].map((payload) => [
      { 'PAYMENT-SIGNATURE': base64(payload) },
      payload,
    ]);
    for (const [headers, payload] of [...paid, [{ 'X-PAYMENT': base64(v1) }, v1] as (typeof paid)[number]]) {
      const answer = await paidRequest(endpoint, headers);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { data } = (await harness.test.post('/v1/x402/verify', { payment_signature: base64(payload) })).body;
      expect(data).toMatchObject({ valid: true, payment_id: answer.body.payment_id });
    }
    expect(await chainBalance(harness.test, payer.address)).toBe('9.50');
  });
});

describe('a payment with a payment-identifier', () => {
  const identified = (payload: Json, id: string): Json => ({
    ...payload,
    extensions: { 'payment-identifier': { info: { required: false, id } } },
  });

  it.each(['ledger', 'chain'] as const)('on the %s pays once, is answered alike again, and 409 for another payload', async (network) => {
    const { endpoint, payer } = await world();
    const buyer = await newBuyer(harness.test);
    const required = (await paidRequest(endpoint, {})).body;
    expect(required.extensions['payment-identifier']).toMatchObject({ info: { required: false }, schema: { type: 'object' } });
    const [onChain, onLedger] = required.accepts;
    const sign = () => (network === 'chain' ? signed(payer, onChain) : signedOnLedger(buyer, onLedger, '0.10', harness.clock.now()));
    const id = 'pay_7d5d747be160e280504c099d984bcfe0';
    const payload = identified(await sign(), id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => pay(endpoint, payload)));
    const { payment_id, proof } = answers[0]?.body ?? {};
    for (const { status, body } of answers) expect([status, body]).toMatchObject([200, { paid: true, payment_id, proof }]);
    const other = identified(await sign(), id);
    expectRefused(await pay(endpoint, other), 409, 'already_exists', { reason: 'payment_identifier_used' });
    const offer = network === 'chain' ? onChain : onLedger;
    const settle = { x402Version: 2, paymentPayload: other, paymentRequirements: offer };
    expectRefused(await harness.test.post('/v1/x402/facilitator/settle', settle), 409, 'already_exists');
    const again = await harness.test.post('/v1/x402/facilitator/settle', { ...settle, paymentPayload: payload });
    expect(again.body).toMatchObject({ success: true, transaction: answers[0]?.body.receipt.transaction });
    const stranger = network === 'chain' ? signed(await newPayer(harness.test), onChain) : sign();
    const elsewhere = network === 'chain' ? id : `${id}-2`;
    expect((await pay(endpoint, identified(await stranger, elsewhere))).status).toBe(200);
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.20');
    expectInvalid(await pay(endpoint, identified(await sign(), 'short')), 'PAYMENT-SIGNATURE');
    harness.clock.advance(3_600);
    expect((await pay(endpoint, payload)).body.error).toBe('invalid_transaction_state');
  });

  it('that waits for an approval waits on, whoever asks and however long; then it is paid', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await newBuyer(harness.test)];
    const approval = { threshold: '0.05', currency: 'USDC', timeout_seconds: 7_200 };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: buyer.uuid }, rules: [], approval });
    for (const scheme of ['exact', 'upto']) {
      const body = endpointBody(seller.account, { receiver_wallet_id: seller.wallet.id, scheme });
      const endpoint = await harness.test.make('/v1/x402/endpoints', body);
      const [offer] = (await paidRequest(endpoint, {})).body.accepts;
      const payload = identified(signedOnLedger(buyer, offer, '0.10', harness.clock.now()), `pay_0123456789abcdef_${scheme}`);
      const first = await pay(endpoint, payload);
      expect([first.status, first.body]).toMatchObject([202, { paid: false, approval: { status: 'pending' } }]);
      harness.clock.advance(3_601);
      expect((await pay(endpoint, payload)).body).toEqual(first.body);
      const asked = { x402Version: 2, paymentPayload: payload, paymentRequirements: offer };
      const again = await harness.test.post('/v1/x402/facilitator/settle', asked, { as: seller.token });
      expect([again.status, again.body]).toMatchObject([200, { success: false, errorReason: 'approval_required' }]);
      await harness.test.post(`/v1/approvals/${first.body.approval.id}/approve`, {});
      const paid = { paid: scheme === 'exact', payment_id: first.body.payment_id };
      const after = await pay(endpoint, payload);
      expect([after.status, after.body]).toMatchObject([200, paid]);
    }
  });

  it('of another endpoint with the same offer is none', async () => {
    const { endpoint, payer, offer } = await world();
    const { account_id, receiver_wallet_id } = endpoint;
    const twin = { name: 'Twin', path: '/twin', method: 'GET', account_id, receiver_wallet_id, network: chainName, base_price: '0.10' };
    const payload = identified(await signed(payer, offer), 'pay_7d5d747be160e280504c099d984bcfe0');
    expect((await pay(endpoint, payload)).status).toBe(200);
    expect((await pay(await harness.test.make('/v1/x402/endpoints', twin), payload)).body.error).toBe('invalid_transaction_state');
  });
});

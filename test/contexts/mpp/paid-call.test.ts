// MPP at ANY /x402/{endpoint_id}: paid by agents and from the chain, by hand and with the official client.
import { once } from 'node:events';
import { request } from 'node:http';
import { Challenge as PeerChallenge, Receipt as PeerReceipt } from 'mppx';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeChallenge, readChallenges } from '../../../src/contexts/mpp/challenge.js';
import { chainName } from '../../factories/chain.js';
import { answerTo, challengesIn, expectProblem, ledgerChallenge, ledgerClient, paidRequest, problems } from '../../factories/mpp-call.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { base64, newBuyer, newEndpoint, signedOnLedger } from '../../factories/x402.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
// The official client lives in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const received = ({ receiver_wallet_id: id }: Json) => available({ id });
const sides = async (extra: object = {}) => ({ endpoint: await newEndpoint(harness.test, extra), buyer: await newBuyer(harness.test) });
const paymentsOf = async ({ id }: Json) => (await harness.test.get(`/v1/x402/payments?endpoint_id=${id}`)).body.data;

/** The challenge that the door gives to who reaches it under another name. */
async function challengeAs(name: string, { id }: Json): Promise<Json> {
  const { port } = new URL(harness.test.url);
  const asked = request({ host: '127.0.0.1', port, path: `/x402/${id}`, headers: { Host: name } });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  const [found] = readChallenges(answer.headers['www-authenticate']);
  expect(found).toMatchObject({ realm: name.split(':')[0] });
  return found as Json;
}

describe('a 402', () => {
  it('challenges by each method, in one header line, for this host and for five minutes', async () => {
    const { endpoint } = await sides({ network: chainName, description: 'Weather "now"' });
    const asked = await harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null });
    for (const answer of [await paidRequest(harness.test, endpoint), asked]) {
      expect(answer.headers.get('www-authenticate')?.match(/Payment id=/g)).toHaveLength(2);
      const found = challengesIn(answer);
      const common = {
        realm: new URL(harness.test.url).hostname,
        intent: 'charge',
        description: 'Weather "now"',
        expires: new Date(harness.clock.now().getTime() + 300_000).toISOString(),
      };
      expect(found).toMatchObject({ evm: { method: 'evm', ...common }, ledger: { method: 'ledger', ...common } });
      const terms = (method: string) => JSON.parse(Buffer.from(found[method]?.request ?? '', 'base64url').toString());
      const price = { amount: '100000', externalId: endpoint.id };
      expect(terms('ledger')).toEqual({
        ...price,
        currency: 'usdc',
        recipient: endpoint.receiver_wallet_id,
        methodDetails: { network: 'ledger:test', decimals: 6 },
      });
      expect(terms('evm')).toEqual({
        ...price,
        currency: expect.stringMatching(/^0x/),
        recipient: endpoint.pay_to,
        methodDetails: { chainId: 84532, credentialTypes: ['authorization'], decimals: 6 },
      });
    }
    // Nobody takes away what another was asked in the same instant.
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await ledgerChallenge(harness.test, endpoint)).id));
    expect(new Set(ids).size).toBe(20);
    const inVersion1 = await harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null, headers: { 'X-PAYMENT': 'x' } });
    expect(inVersion1.headers.get('www-authenticate')).toBeNull();
  });

  it('has the challenges in the order of Accept-Payment, without those of weight 0', async () => {
    const { endpoint } = await sides({ network: chainName });
    const methodsFor = async (preferred: string) => {
      const answer = await harness.test.get(`/x402/${endpoint.id}`, { as: null, headers: { 'Accept-Payment': preferred } });
      expect(answer.status, preferred).toBe(402);
      return readChallenges(answer.headers.get('www-authenticate') ?? '').map(({ method }) => method);
    };
    const cases: [string, string[]][] = [
      ['ledger/charge, evm/charge;q=0.5', ['ledger', 'evm']],
      ['evm/charge;q=0.2, ledger/*;q=0.25', ['ledger', 'evm']],
      ['*/*', ['evm', 'ledger']],
      ['ledger/charge', ['ledger', 'evm']],
      ['evm/charge;q=0', ['ledger']],
      // The narrower one counts, whichever comes first.
      ['*/*;q=0, ledger/charge', ['ledger']],
      ['evm/charge;q=0, */charge', ['ledger']],
      ['ledger/session;q=0', ['evm', 'ledger']],
      ['*/*;q=0', []],
      // What cannot be read is no preference.
      ['evm/charge;q=2', ['evm', 'ledger']],
      ['ledger', ['evm', 'ledger']],
      [',', ['evm', 'ledger']],
      [Array.from({ length: 33 }, () => 'evm/charge;q=0').join(','), ['evm', 'ledger']],
    ];
    for (const [preferred, methods] of cases) expect(await methodsFor(preferred), preferred).toEqual(methods);
  });

  it('has a digest where there is a body, no description that a header cannot carry, and no charge of an upto endpoint', async () => {
    const { endpoint } = await sides({ name: 'Wetter für 東京' });
    const challenge = await ledgerChallenge(harness.test, endpoint, { city: 'Rome' });
    expect(challenge.digest).toMatch(/^sha-256=:.{44}:$/);
    expect(challenge.description).toBeUndefined();
    const upto = await paidRequest(harness.test, await newEndpoint(harness.test, { scheme: 'upto' }));
    expect([upto.status, upto.headers.get('www-authenticate')]).toEqual([402, null]);
  });
});

describe('the official client', () => {
  it('pays from a wallet by the method ledger, and reads challenge and receipt', async () => {
    const { endpoint, buyer } = await sides({ network: chainName });
    const url = `${harness.test.url}/x402/${endpoint.id}`;
    const read = PeerChallenge.fromResponseList(await fetch(url));
    expect(read.map(({ method }) => method)).toEqual(['evm', 'ledger']);
    const init = { method: 'POST', body: '{"city":"Rome"}', headers: { 'Content-Type': 'text/plain' } };
    const answer = await ledgerClient(buyer).fetch(url, init);
    const body = (await answer.json()) as Json;
    expect([answer.status, body]).toEqual([200, expect.objectContaining({ paid: true, endpoint_id: endpoint.id })]);
    expect(PeerReceipt.fromResponse(answer)).toEqual(body.receipt);
    expect(body.receipt).toMatchObject({ status: 'success', method: 'ledger', reference: body.payment_id });
    expect(answer.headers.get('cache-control')).toBe('private');
    expect([await received(endpoint), await available(buyer.wallet)]).toEqual(['0.10', '99.90']);
    const [payment] = await paymentsOf(endpoint);
    const transfer = (await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data;
    expect(transfer).toMatchObject({ protocol: 'mpp', agent_id: buyer.uuid, protocol_metadata: { payment_id: body.payment_id } });
    const { rows } = await harness.platform.database.pool.query('SELECT protocol, operation FROM operation WHERE subject_id = $1', [
      transfer.id,
    ]);
    expect(rows).toEqual([{ protocol: 'mpp', operation: 'mpp.pay' }]);
    const told = (await eventsOf(harness, transfer.id)).map(({ type }) => type);
    expect(told.sort()).toEqual(['transfer.completed', 'transfer.created', 'x402.payment.completed']);
    expect((await harness.test.post('/v1/x402/verify', { proof: body.proof })).body.data).toMatchObject({ valid: true });
    expect((await harness.test.post(`/v1/x402/payments/${body.payment_id}/consume`, {})).status).toBe(200);
    expect((await harness.test.post(`/v1/x402/payments/${body.payment_id}/consume`, {})).status).toBe(409);
  });
});

describe('a credential of the method ledger', () => {
  it('200 in Payment-Authorization, where Authorization is something else or nothing', async () => {
    const { endpoint, buyer } = await sides();
    for (const others of [{}, { Authorization: `Bearer ${harness.test.key}` }, { Authorization: 'Basic eDp5' }]) {
      const headers = { ...others, 'Payment-Authorization': answerTo(buyer, await ledgerChallenge(harness.test, endpoint)) };
      const answer = await harness.test.get(`/x402/${endpoint.id}`, { as: null, headers });
      expect([answer.status, answer.headers.get('payment-receipt')]).toEqual([200, expect.any(String)]);
    }
    expect(await available(buyer.wallet)).toBe('99.70');
  });

  it('200 for a challenge of before, whose realm has the port', async () => {
    const { endpoint, buyer } = await sides();
    const { id: _, request, opaque = '', ...members } = await ledgerChallenge(harness.test, endpoint);
    const { rows } = await harness.platform.database.pool.query('SELECT workspace_id AS id FROM x402_endpoint WHERE id = $1', [
      endpoint.id.slice('epd_'.length),
    ]);
    const secret = harness.platform.vault.sign('mpp_challenge', rows[0].id).toString('hex');
    const [decoded, nonce] = [request, opaque].map((member) => JSON.parse(Buffer.from(member, 'base64url').toString()));
    const realm = new URL(harness.test.url).host;
    const former = makeChallenge(secret, { ...members, realm, request: decoded, opaque: nonce });
    expect(former.realm).toMatch(/:\d+$/);
    expect((await paidRequest(harness.test, endpoint, answerTo(buyer, former))).status).toBe(200);
  });

  it('202 while it waits for an approval, with the challenge taken and no receipt', async () => {
    const { endpoint, buyer } = await sides();
    const approval = { threshold: '0.05', currency: 'USDC' };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: buyer.uuid }, rules: [], approval });
    const authorization = answerTo(buyer, await ledgerChallenge(harness.test, endpoint));
    const answer = await paidRequest(harness.test, endpoint, authorization);
    expect([answer.status, answer.body]).toMatchObject([202, { paid: false, approval: { status: 'pending' } }]);
    expect(answer.headers.get('payment-receipt')).toBeNull();
    expectProblem(await paidRequest(harness.test, endpoint, authorization), 'invalid-challenge', { reason: 'challenge_used' });
    const { payment, transfer } = (await harness.test.post(`/v1/approvals/${answer.body.approval.id}/approve`, {})).body;
    expect(transfer).toMatchObject({ id: payment.transfer_id, protocol: 'mpp' });
    expect(payment).toMatchObject({ id: answer.body.payment_id, status: 'settled', proof: expect.any(String) });
    const second = await paidRequest(harness.test, endpoint, answerTo(buyer, await ledgerChallenge(harness.test, endpoint)));
    await harness.test.post(`/v1/approvals/${second.body.approval.id}/reject`, {});
    expect((await harness.test.get(`/v1/x402/payments/${second.body.payment_id}`)).body.data).toMatchObject({ status: 'failed' });
    expect(await available(buyer.wallet)).toBe('99.90');
  });

  it('400 for a method that nobody takes, and for two payments at once', async () => {
    const { endpoint, buyer } = await sides();
    const challenge = await ledgerChallenge(harness.test, endpoint);
    const foreign = await paidRequest(harness.test, endpoint, answerTo(buyer, challenge, { challenge: { method: 'stripe' } }));
    expect([foreign.status, foreign.body.type]).toEqual([400, `${problems}method-unsupported`]);
    expect([foreign.headers.get('www-authenticate'), foreign.headers.get('payment-receipt')]).toEqual([null, null]);
    const { body } = await paidRequest(harness.test, endpoint);
    const payload = base64(signedOnLedger(buyer, body.accepts[0], '0.10', harness.clock.now()));
    const headers = { Authorization: answerTo(buyer, challenge), 'PAYMENT-SIGNATURE': payload };
    expectInvalid(await harness.test.get(`/x402/${endpoint.id}`, { as: null, headers }), 'Authorization');
    const twice = { Authorization: answerTo(buyer, challenge), 'Payment-Authorization': answerTo(buyer, challenge) };
    expectInvalid(await harness.test.get(`/x402/${endpoint.id}`, { as: null, headers: twice }), 'Payment-Authorization');
    expect(await available(buyer.wallet)).toBe('100.00');
  });

  it('401 everywhere else: it is understood at the paid door alone', async () => {
    const { endpoint, buyer } = await sides();
    const headers = { Authorization: answerTo(buyer, await ledgerChallenge(harness.test, endpoint)) };
    for (const path of ['/v1/wallets', `/v1/x402/endpoints/${endpoint.id}`])
      expectRefused(await harness.test.get(path, { as: null, headers }), 401, 'malformed_credential');
    expect((await harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null, headers })).status).toBe(402);
  });

  it('402 for what is no credential, or answers no challenge of this door', async () => {
    const { endpoint, buyer } = await sides();
    const other = await newEndpoint(harness.test);
    const [good, elsewhere] = [await ledgerChallenge(harness.test, endpoint), await ledgerChallenge(harness.test, other)];
    for (const header of [
      'Payment',
      'Payment x',
      'payment e30',
      `${answerTo(buyer, good)}=`,
      answerTo(buyer, good, { payload: { more: 1 } }),
      answerTo(buyer, good, { payload: { payer_wallet: '\ud800' } }),
    ])
      expectProblem(await paidRequest(harness.test, endpoint, header), 'malformed-credential');
    const changed: Json[] = [
      { realm: 'other.example.com' },
      { request: elsewhere.request },
      { expires: '2099-01-01T00:00:00.000Z' },
      { expires: undefined },
      { digest: 'sha-256=:x:' },
      { id: elsewhere.id },
      { method: 'evm' },
    ];
    for (const challenge of changed)
      expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, { ...good, ...challenge })), 'invalid-challenge');
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, elsewhere)), 'invalid-challenge');
    // The same secret under another name of the host.
    const renamed = await challengeAs('localhost:1', endpoint);
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, renamed as never)), 'invalid-challenge');
    expect(await available(buyer.wallet)).toBe('100.00');
    expect((await paidRequest(harness.test, endpoint, answerTo(buyer, good, { source: buyer.id }))).status).toBe(200);
  });

  it('402 for another signature, another payer, another body, a second too late, and terms that have changed', async () => {
    const { endpoint, buyer } = await sides();
    const stranger = await newBuyer(harness.test);
    const challenge = await ledgerChallenge(harness.test, endpoint, { city: 'Rome' });
    const ask = (authorization: string, body: object = { city: 'Rome' }) => paidRequest(harness.test, endpoint, authorization, body);
    const forged = answerTo(stranger, challenge, { payload: { payer_wallet: buyer.wallet.id } });
    expectProblem(await ask(forged), 'verification-failed', { reason: 'invalid_signature' });
    expectProblem(await ask(answerTo(buyer, challenge, { source: stranger.id })), 'verification-failed', { reason: 'source' });
    for (const payer_wallet of [nowhere, endpoint.receiver_wallet_id, 'x'])
      expectProblem(await ask(answerTo(buyer, challenge, { payload: { payer_wallet } })), 'verification-failed');
    expectProblem(await ask(answerTo(buyer, challenge), { city: 'Paris' }), 'invalid-challenge', { reason: 'digest' });
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, challenge)), 'invalid-challenge', { reason: 'digest' });
    harness.clock.advance(299);
    const fresh = await ledgerChallenge(harness.test, endpoint);
    harness.clock.advance(1);
    expectProblem(await ask(answerTo(buyer, challenge)), 'payment-expired');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.20' });
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, fresh)), 'invalid-challenge');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.10' });
    expect((await paidRequest(harness.test, endpoint, answerTo(buyer, fresh))).status).toBe(200);
    expect([await available(buyer.wallet), await available(stranger.wallet)]).toEqual(['99.90', '100.00']);
  });

  it('402 with the code of the layer that refuses, which takes no challenge', async () => {
    const { endpoint, buyer } = await sides();
    const poor = await newBuyer(harness.test, { funded: '0.01' });
    const dollars = await newBuyer(harness.test, { currency: 'USD' });
    const challenge = await ledgerChallenge(harness.test, endpoint);
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(poor, challenge)), 'payment-insufficient', {
      code: 'insufficient_balance',
    });
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(dollars, challenge)), 'verification-failed', {
      code: 'currency_mismatch',
    });
    await harness.test.post(`/v1/agents/${buyer.id}/freeze`, {});
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(buyer, challenge)), 'verification-failed', { code: 'agent_frozen' });
    await harness.test.post(`/v1/agents/${buyer.id}/unfreeze`, {});
    expect((await paidRequest(harness.test, endpoint, answerTo(buyer, challenge))).status).toBe(200);
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(poor, challenge)), 'invalid-challenge', { reason: 'challenge_used' });
  });

  it('404 and 409 have no challenge: an endpoint of production, of nobody, and one that is paused', async () => {
    const { endpoint, buyer } = await sides();
    const authorization = answerTo(buyer, await ledgerChallenge(harness.test, endpoint));
    expectRefused(await paidRequest(harness.live, endpoint, authorization), 404, 'not_found');
    expectRefused(await paidRequest(harness.test, { id: nowhere }, authorization), 404, 'not_found');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { status: 'paused' });
    const paused = await paidRequest(harness.test, endpoint, authorization);
    expectRefused(paused, 409, 'state_conflict');
    expect([paused.headers.get('www-authenticate'), paused.headers.get('payment-receipt')]).toEqual([null, null]);
  });

  it('knows no agent and no wallet of another tenant', async () => {
    const { endpoint } = await sides();
    const foreign = await newBuyer(harness.other);
    const challenge = await ledgerChallenge(harness.test, endpoint);
    expectProblem(await paidRequest(harness.test, endpoint, answerTo(foreign, challenge)), 'verification-failed', {
      reason: 'invalid_signature',
    });
    expect((await balanceOf(harness.other, foreign.wallet)).available).toBe('100.00');
  });
});

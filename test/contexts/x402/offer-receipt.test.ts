// The extension offer-receipt: signed offers in 402s, signed receipts of settled payments. Its official code is the oracle: it looks the key
// up by did:web, over http on this machine.
import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { didOf } from '../../../src/contexts/identity/did.js';
import { chainName, newPayer, signed, signedV1 } from '../../factories/chain.js';
import { base64, newBuyer, newEndpoint, payFor, signedOnLedger, unbase64 } from '../../factories/x402.js';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';

const harness = useHarness();
// The official clients live in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const extension = 'offer-receipt';
const door = ({ id }: Json, headers: Record<string, string> = {}): Promise<Answer> =>
  harness.test.get(`/x402/${id}`, { as: null, headers });
const challenge = ({ id }: Json) => harness.test.get(`/v1/x402/endpoints/${id}/challenge`, { as: null });
const paid = (endpoint: Json, payload: Json) => door(endpoint, { 'PAYMENT-SIGNATURE': base64(payload) });
const requiredOf = async (endpoint: Json): Promise<Json> => unbase64((await door(endpoint)).headers.get('payment-required'));
const offersOf = async (endpoint: Json): Promise<Json[]> => extractOffersFromPaymentRequired(await requiredOf(endpoint));
const read = async (payment: Json, as?: string): Promise<Json> =>
  (await harness.test.get(`/v1/x402/payments/${payment.id}`, as === undefined ? {} : { as })).body.data;
/** The receipt in the answer of the paid door; undefined where there is none. */
const receiptIn = (answer: Answer): Json => unbase64(answer.headers.get('payment-response')).extensions?.[extension]?.info.receipt;
const bareId = ({ id }: Json) => String(id).replace(/^wal_/, '');

function expectOwnSchema({ info, schema }: Json): void {
  expect(new Ajv2020().validate(schema, info)).toBe(true);
}

describe('signed offers', () => {
  it('are in the 402 of the door and of the challenge, one for each way to pay, and verify by the key of the DID', async () => {
    const endpoint = await newEndpoint(harness.test, { network: chainName });
    for (const answer of [await door(endpoint), await challenge(endpoint)]) {
      const required = unbase64(answer.headers.get('payment-required'));
      expect(answer.body.extensions).toEqual(required.extensions);
      expectOwnSchema(required.extensions[extension]);
      const offers = extractOffersFromPaymentRequired(required);
      const found = offers.map((offer) => findAcceptsObjectFromSignedOffer(offer, required.accepts));
      expect(found).toEqual(required.accepts);
      for (const [at, offer] of offers.entries()) {
        const { scheme, network, asset, payTo, amount } = required.accepts[at];
        const now = Math.floor(harness.clock.now().getTime() / 1000);
        const { validUntil, ...terms } = await verifyOfferSignatureJWS(offer as never);
        expect(terms).toEqual({ version: 1, resourceUrl: required.resource.url, scheme, network, asset, payTo, amount });
        expect(validUntil - now).toBeGreaterThanOrEqual(required.accepts[at].maxTimeoutSeconds);
        expect(validUntil - now).toBeLessThanOrEqual(120);
      }
    }
  });

  it('are signed once for each price and minute', async () => {
    harness.clock.set('2026-11-26T10:00:10.000Z');
    const endpoint = await newEndpoint(harness.test);
    const first = await offersOf(endpoint);
    harness.clock.advance(40);
    expect(await offersOf(endpoint)).toEqual(first);
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.20' });
    const [dearer] = decodeSignedOffers((await offersOf(endpoint)) as never);
    expect(dearer).toMatchObject({ amount: '200000', validUntil: Date.parse('2026-11-26T10:02:00Z') / 1000 });
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.10' });
    expect(await offersOf(endpoint)).toEqual(first);
    harness.clock.advance(20);
    const [later] = decodeSignedOffers((await offersOf(endpoint)) as never);
    expect(later).toMatchObject({ amount: '100000', validUntil: Date.parse('2026-11-26T10:03:00Z') / 1000 });
  });

  it('that a client changes and sends back change nothing', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const { accepts, extensions } = await requiredOf(endpoint);
    const [offer] = accepts;
    const [, terms, signature] = extensions[extension].info.offers[0].signature.split('.');
    const cheap = { ...JSON.parse(Buffer.from(terms, 'base64url').toString()), amount: '1' };
    const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(cheap)).toString('base64url')}.${signature}`;
    const sent = { [extension]: { info: { offers: [{ format: 'jws', acceptIndex: 0, signature: forged }] } } };
    const low = { ...signedOnLedger(buyer, { ...offer, amount: '1' }, '0.000001', harness.clock.now()), extensions: sent };
    expect((await paid(endpoint, low)).body.error).toBe('invalid_payment_requirements');
    for (const junk of [sent, { [extension]: 'x' }, { [extension]: { info: { offers: [null, 1] } } }]) {
      const answer = await paid(endpoint, { ...signedOnLedger(buyer, offer, '0.10', harness.clock.now()), extensions: junk });
      expect([answer.status, answer.body.receipt?.amount], JSON.stringify(junk)).toEqual([200, '100000']);
    }
    // Nor are they kept with the payment.
    const kept = await query(harness, 'SELECT payment_signature AS signature FROM x402_payment WHERE payment_signature IS NOT NULL');
    expect(kept.map((row) => unbase64(String(row['signature'])).extensions)).toEqual([{}, {}, {}]);
  });

  it('are left out where the headers would be longer than clients read', async () => {
    const urlOf = (length: number) => 'https://api.example/'.padEnd(length, 'x');
    const longest = { network: chainName, description: 'ü'.repeat(500) };
    for (const [length, count] of [
      [1_000, 2],
      [1_001, 0],
      [2_048, 0],
    ] as const) {
      const endpoint = await newEndpoint(harness.test, { ...longest, url: urlOf(length) });
      // The client of Node reads headers of 16 KiB.
      const answer = await fetch(`${harness.test.url}/x402/${endpoint.id}`);
      expect([answer.status, extractOffersFromPaymentRequired((await answer.json()) as never).length], String(length)).toEqual([
        402,
        count,
      ]);
      // It sends back what the 402 said, which has to fit too.
      const client = new x402Client().register(chainName, new ExactEvmScheme(await newPayer(harness.test)));
      expect((await wrapFetchWithPayment(fetch, client)(`${harness.test.url}/x402/${endpoint.id}`)).status, String(length)).toBe(200);
    }
  });
});

describe('signed receipts', () => {
  it('come with what the official client has paid, match their offer, and are read again with the payment', async () => {
    const [endpoint, payer] = [await newEndpoint(harness.test, { network: chainName }), await newPayer(harness.test)];
    const [offer] = decodeSignedOffers((await offersOf(endpoint)) as never);
    const client = new x402Client().register(chainName, new ExactEvmScheme(payer));
    const answer = await wrapFetchWithPayment(fetch, client)(`${harness.test.url}/x402/${endpoint.id}`);
    const receipt = extractReceiptFromResponse(answer);
    if (receipt === undefined || offer === undefined) throw new Error('nothing was signed');
    expect(verifyReceiptMatchesOffer(receipt, offer, [payer.address])).toBe(true);
    const said = await verifyReceiptSignatureJWS(receipt as never);
    const issuedAt = Math.floor(harness.clock.now().getTime() / 1000);
    const payload = { version: 1, network: chainName, resourceUrl: offer.resourceUrl, payer: payer.address.toLowerCase(), issuedAt };
    expect(said).toEqual(payload);
    const { payment_id: id, receipt: settlement } = (await answer.json()) as Json;
    expectOwnSchema(settlement.extensions[extension]);
    harness.clock.advance(3_600);
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.20' });
    const again = { format: 'jws', signature: (await read({ id })).receipt } as const;
    expect(await verifyReceiptSignatureJWS(again)).toEqual(payload);
  });

  it('come from the ledger too: at the door, and by `pay` for buyer and seller alike', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const { accepts, resource } = await requiredOf(endpoint);
    const answer = await paid(endpoint, signedOnLedger(buyer, accepts[0], '0.10', harness.clock.now()));
    const said = await verifyReceiptSignatureJWS(receiptIn(answer));
    expect(said).toMatchObject({ network: 'ledger:test', payer: bareId(buyer.wallet), resourceUrl: resource.url });
    const payment = await payFor(harness.test, buyer, endpoint);
    const [mine, theirs] = [await read(payment, buyer.token), await read(payment)];
    expect(mine.receipt).toBe(theirs.receipt);
    expect(await verifyReceiptSignatureJWS({ format: 'jws', signature: mine.receipt })).toEqual(said);
    await harness.test.delete(`/v1/x402/endpoints/${endpoint.id}`);
    expect((await read(payment)).receipt).toBe(mine.receipt);
  });

  it('are none before the money has moved, nor in version 1', async () => {
    const buyer = await newBuyer(harness.test);
    const upto = await newEndpoint(harness.test, { scheme: 'upto' });
    const [most] = (await requiredOf(upto)).accepts;
    const held = await paid(upto, signedOnLedger(buyer, most, '0.10', harness.clock.now()));
    const payment = { id: held.body.payment_id };
    expect([held.status, receiptIn(held), (await read(payment)).receipt ?? null]).toEqual([200, undefined, null]);
    await harness.test.make(`/v1/x402/payments/${payment.id}/consume`, { amount: '0.05' });
    expect(await verifyReceiptSignatureJWS({ format: 'jws', signature: (await read(payment)).receipt })).toMatchObject({ version: 1 });

    const endpoint = await newEndpoint(harness.test, { network: chainName });
    const [offer] = (await requiredOf(endpoint)).accepts;
    const refused = await paid(endpoint, await signed(await newPayer(harness.test, { funded: '0.01' }), offer));
    expect([refused.status, receiptIn(refused)]).toEqual([402, undefined]);
    const asked = await harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null, headers: { 'X-PAYMENT': 'x' } });
    expect(asked.body.extensions).toBeUndefined();
    const v1 = await door(endpoint, { 'X-PAYMENT': base64(await signedV1(await newPayer(harness.test), asked.body.accepts[0])) });
    expect([v1.status, unbase64(v1.headers.get('x-payment-response')).extensions]).toEqual([200, undefined]);
  });
});

describe('the DID document', () => {
  it('is where the DID of the address leads', () => {
    expect(didOf('https://api.example')).toBe('did:web:api.example');
    expect(didOf('https://api.example:8443/pay/v2')).toBe('did:web:api.example%3A8443:pay:v2');
    expect(didOf('http://[::1]:4001')).toBe('did:web:%5B%3A%3A1%5D%3A4001');
  });

  it('has the keys of the key set under the DID of the host, in either environment', async () => {
    for (const client of [harness.test, harness.live]) {
      const { host } = new URL(client.url);
      const id = `did:web:${encodeURIComponent(host)}`;
      const { keys } = (await client.get('/.well-known/jwks.json', { as: null })).body;
      const answer = await fetch(`${client.url}/.well-known/did.json`);
      expect(answer.headers.get('content-type')).toBe('application/did+json');
      const { verificationMethod, assertionMethod, ...document } = (await answer.json()) as Json;
      expect(document).toEqual({ '@context': expect.any(Array), id });
      expect(verificationMethod.map(({ publicKeyJwk }: Json) => publicKeyJwk)).toEqual(keys);
      expect(assertionMethod).toEqual(keys.map(({ kid }: Json) => `${id}#${kid}`));
      expect(verificationMethod.map((method: Json) => [method.id, method.controller])).toEqual(
        assertionMethod.map((one: string) => [one, id]),
      );
    }
  });
});

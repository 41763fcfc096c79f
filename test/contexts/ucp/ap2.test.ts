// The AP2 extension of UCP: the merchant's signature of the terms, and the mandate by which the buyer agreed to them.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CompactSign, compactVerify, exportJWK, generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { ap2Name, byWallet, checkoutName, ProfileHost, profileOf, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: host.host } });
const pair = await generateKeyPair('ES256', { extractable: true });
const holder = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256', { extractable: true });

let merchant: Json;
let wallet: Json;
let plain: Talk;
let talk: Talk;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  ({ wallet } = await openWallet(harness.test, { funded: '100.00' }));
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'provider' }];
  talk = new Talk(harness.test, merchant, host.publish(profileOf([checkoutName, ap2Name], { keys })));
  plain = new Talk(harness.test, merchant, host.publish(profileOf([checkoutName])));
});

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const inAnHour = () => Math.floor(harness.clock.now().getTime() / 1000) + 3_600;

const sign = (claims: Json, key = pair.privateKey, header: Json = { kid: 'provider' }) =>
  new CompactSign(bytes(claims)).setProtectedHeader({ alg: 'ES256', typ: 'dc+sd-jwt', ...header }).sign(key);
const mandateOf = (checkout: Json, claims: Json = {}) => sign({ exp: inAnHour(), checkout, ...claims });
const pay = (id: string, mandate?: string, by = talk) =>
  by.complete(id, { ...byWallet(wallet), ...(mandate !== undefined && { ap2: { checkout_mandate: mandate } }) });
const refusedWith = (code: string) => ({ status: 200, body: { status: 'ready_for_complete', messages: [{ code }] } });

describe('merchant_authorization', () => {
  it('is a detached JWS over the canonical checkout without ap2, by a key of the profile', async () => {
    const made = await talk.ready();
    const { ap2, ...terms } = made;
    const [header, middle, signature] = ap2.merchant_authorization.split('.');
    expect(middle).toBe('');
    const { body: profile } = await harness.test.get('/.well-known/ucp', { as: null });
    const payload = Buffer.from(canonicalize(terms) ?? '').toString('base64url');
    const verified = await compactVerify(`${header}.${payload}.${signature}`, ({ kid }) =>
      importJWK(
        profile.signing_keys.find((key: Json) => key.kid === kid),
        'ES256',
      ),
    );
    expect(verified.protectedHeader).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
  });
  it('is there only where both sides know AP2', async () => {
    expect((await plain.ready()).ap2).toBeUndefined();
  });
});

describe('checkout_mandate', () => {
  it('pays with one that embeds the terms, disclosed or open, bound to a holder or not', async () => {
    const open = await talk.ready();
    expect((await pay(open.id, await mandateOf(open))).body.status).toBe('completed');

    const hidden = await talk.ready();
    const disclosure = Buffer.from(JSON.stringify(['salt', 'checkout', hidden])).toString('base64url');
    const issued = await sign({
      exp: inAnHour(),
      _sd: [digest(disclosure)],
      _sd_alg: 'sha-256',
      cnf: { jwk: await exportJWK(holder.publicKey) },
    });
    const bound = `${issued}~${disclosure}~`;
    const proof = (of: string, key = holder.privateKey) =>
      new CompactSign(bytes({ sd_hash: digest(of) })).setProtectedHeader({ alg: 'ES256', typ: 'kb+jwt' }).sign(key);
    for (const wrong of [bound, `${bound}${await proof(`${bound}x`)}`, `${bound}${await proof(bound, stranger.privateKey)}`]) {
      expect(await pay(hidden.id, wrong)).toMatchObject(refusedWith('mandate_invalid_signature'));
    }
    expect((await pay(hidden.id, `${bound}${await proof(bound)}`)).body.status).toBe('completed');
  });
  it('mandate_required without one, also from an agent that left AP2 out later', async () => {
    const made = await talk.ready();
    expect(await pay(made.id)).toMatchObject(refusedWith('mandate_required'));
    expect(await pay(made.id, undefined, plain)).toMatchObject(refusedWith('mandate_required'));
    const before = await plain.ready();
    expect(await pay(before.id)).toMatchObject(refusedWith('mandate_required'));
    expect((await pay(before.id, undefined, plain)).body.status).toBe('completed');
  });
  it('agent_missing_key from a profile without a key that could have signed it', async () => {
    const keyless = new Talk(harness.test, merchant, host.publish(profileOf([checkoutName, ap2Name])));
    const made = await keyless.ready();
    expect(await pay(made.id, await mandateOf(made), keyless)).toMatchObject(refusedWith('agent_missing_key'));
  });
  it('mandate_invalid_signature for what no key of the profile signed', async () => {
    const made = await talk.ready();
    const claims = { exp: inAnHour(), checkout: made };
    const none = `${Buffer.from('{"alg":"none","kid":"provider"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.publicKey)));
    const hmac = await new CompactSign(bytes(claims)).setProtectedHeader({ alg: 'HS256', kid: 'provider' }).sign(secret);
    const forged = [
      none,
      hmac,
      await sign(claims, stranger.privateKey),
      await sign(claims, pair.privateKey, { kid: 'other' }),
      'x',
      'a.b.c~d',
    ];
    for (const mandate of forged) expect(await pay(made.id, mandate)).toMatchObject(refusedWith('mandate_invalid_signature'));
  });
  it('mandate_expired', async () => {
    const made = await talk.ready();
    for (const exp of [inAnHour() - 3_600, undefined, 'never']) {
      expect(await pay(made.id, await mandateOf(made, { exp }))).toMatchObject(refusedWith('mandate_expired'));
    }
  });
  it('mandate_scope_mismatch for another checkout, for other terms of this one, and for none', async () => {
    const [made, other] = [await talk.ready(), await talk.ready()];
    expect(await pay(made.id, await mandateOf(other))).toMatchObject(refusedWith('mandate_scope_mismatch'));
    await talk.update(made.id, songs(3));
    expect(await pay(made.id, await mandateOf(made))).toMatchObject(refusedWith('mandate_scope_mismatch'));
    expect(await pay(made.id, await mandateOf(made, { checkout: undefined }))).toMatchObject(refusedWith('mandate_scope_mismatch'));
  });
  it('merchant_authorization_missing and _invalid', async () => {
    const made = await talk.ready();
    const { ap2: _, ...unsigned } = made;
    expect(await pay(made.id, await mandateOf(unsigned))).toMatchObject(refusedWith('merchant_authorization_missing'));
    const cheaper = { ...made, totals: made.totals.map((total: Json) => ({ ...total, amount: 1 })) };
    expect(await pay(made.id, await mandateOf(cheaper))).toMatchObject(refusedWith('merchant_authorization_invalid'));
    const own = { ...made, ap2: { merchant_authorization: (await sign(unsigned)).replace(/\..*\./, '..') } };
    expect(await pay(made.id, await mandateOf(own))).toMatchObject(refusedWith('merchant_authorization_invalid'));
  });
});

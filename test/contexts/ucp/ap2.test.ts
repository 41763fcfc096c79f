// The AP2 extension of UCP: the merchant's signature of the terms, and the mandate by which the buyer agreed to them.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CompactSign, compactVerify, exportJWK, generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disclosedClaims } from '../../../src/contexts/ucp/disclosure.js';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { ap2Name, byWallet, checkoutName, fulfillmentName, home, mugs, ProfileHost, profileOf, shipping, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
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
  talk = new Talk(harness.test, merchant, host.publish(profileOf([checkoutName, fulfillmentName, ap2Name], { keys })));
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
  it('mandate_scope_mismatch where it would go elsewhere, or to somebody else', async () => {
    const { body: made } = await talk.create(mugs(1, { fulfillment: shipping() }));
    expect(made.status).toBe('ready_for_complete');
    const mandate = await mandateOf(made);
    const same = { line_items: made.line_items };
    for (const change of [
      { fulfillment: shipping('standard', { ...home, street_address: '2 Side St' }) },
      { fulfillment: shipping(), buyer: { email: 'eve@example.com' } },
    ]) {
      const { body: changed } = await talk.update(made.id, { ...same, ...change });
      expect(changed.totals).toEqual(made.totals);
      expect(await pay(made.id, mandate)).toMatchObject(refusedWith('mandate_scope_mismatch'));
    }
  });
  it('mandate_scope_mismatch where it is changed between the look at its mandate and its payment', async () => {
    const made = await talk.ready();
    const client = await harness.platform.database.pool.connect();
    try {
      await client.query('BEGIN');
      const id = made.id.replace('ucp_chk_', '');
      await client.query('SELECT 1 FROM checkout WHERE id = $1 FOR UPDATE', [id]);
      const payment = pay(made.id, await mandateOf(made));
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`;
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      await expect.poll(async () => (await harness.platform.database.pool.query(waiting, [rows[0].pid])).rowCount).toBe(1);
      await client.query(`UPDATE checkout SET details = jsonb_set(details, '{wire,buyer}', '{"email": "eve@example.com"}') WHERE id = $1`, [
        id,
      ]);
      await client.query('COMMIT');
      expect(await payment).toMatchObject(refusedWith('mandate_scope_mismatch'));
    } finally {
      client.release();
    }
  });
  it('mandate_expired before its time', async () => {
    const made = await talk.ready();
    for (const nbf of [inAnHour(), 'soon']) {
      expect(await pay(made.id, await mandateOf(made, { nbf }))).toMatchObject(refusedWith('mandate_expired'));
    }
    expect((await pay(made.id, await mandateOf(made, { nbf: inAnHour() - 3_600 }))).body.status).toBe('completed');
  });
  it('mandate_invalid_signature for keys of holders that are none, and for text that JSON cannot hold', async () => {
    const made = await talk.ready();
    const point = await exportJWK(holder.publicKey);
    for (const jwk of [{ kty: 'oct', k: 'AAAA' }, { kty: 'EC', crv: 'P-256' }, { ...point, crv: 'P-384' }, { ...point, x: 'AA' }, {}]) {
      const bound = `${await mandateOf(made, { cnf: { jwk } })}~`;
      const proof = await sign({ sd_hash: digest(bound) }, holder.privateKey, {});
      expect(await pay(made.id, bound + proof)).toMatchObject(refusedWith('mandate_invalid_signature'));
    }
    for (const wrong of ['1e999', '"\\ud800"', '"\\u0000"']) {
      const text = JSON.stringify({ exp: inAnHour(), checkout: { ...made, more: 'x' } }).replace('"x"', wrong);
      const mandate = await new CompactSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'ES256', kid: 'provider' })
        .sign(pair.privateKey);
      expect(await pay(made.id, mandate)).toMatchObject(refusedWith('mandate_invalid_signature'));
    }
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

describe('disclosures', () => {
  const disclose = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const [name, other, element] = [disclose('s', 'a', 1), disclose('s', 'b', { c: 2 }), disclose('s', 'e')];
  const hidden = { '...': digest(element) };

  it('come to their places; what stays hidden is not there', () => {
    const payload = { iss: 'x', _sd_alg: 'sha-256', _sd: [digest(name), digest('decoy')], in: { _sd: [digest(other)] }, list: [0, hidden] };
    expect(disclosedClaims(payload, [name, other, element])).toEqual({ iss: 'x', a: 1, in: { b: { c: 2 } }, list: [0, 'e'] });
    expect(disclosedClaims(payload, [])).toEqual({ iss: 'x', in: {}, list: [0] });
  });
  it.each<[string, Json, string[]]>([
    ['one that nothing names', {}, [name]],
    ['one that is there twice', { _sd: [digest(name)] }, [name, name]],
    ['a digest that is there twice', { _sd: [digest(name)], in: { _sd: [digest(name)] } }, [name]],
    ['a digest that is no text', { _sd: [1] }, []],
    ['digests that are no list', { _sd: digest(name) }, [name]],
    ['a claim that is there already', { a: 0, _sd: [digest(name)] }, [name]],
    ['a claim in the place of an element', { list: [{ '...': digest(name) }] }, [name]],
    ['an element in the place of a claim', { _sd: [digest(element)] }, [element]],
    ['another hash', { _sd_alg: 'sha-512' }, []],
    ['a name of the format', { _sd: [digest(disclose('s', '_sd', []))] }, [disclose('s', '_sd', [])]],
    ['what is none', { _sd: [digest('x')] }, ['x']],
    ['claims without end', JSON.parse(`{"a": ${'['.repeat(9_000)}${']'.repeat(9_000)}}`), []],
  ])('are refused with %s', (_, payload, disclosures) => {
    expect(disclosedClaims(payload, disclosures)).toBeNull();
  });
  it('grow no faster than they are long', () => {
    let list: unknown = 'x';
    const disclosures = Array.from({ length: 14 }, (_, at) => {
      const disclosure = disclose(`s${at}`, list);
      list = Array.from({ length: 9 }, () => ({ '...': digest(disclosure) }));
      return disclosure;
    });
    // 9 to the power of 14 elements, were each digest good for many places.
    expect(disclosedClaims({ list }, disclosures)).toBeNull();
  });
});

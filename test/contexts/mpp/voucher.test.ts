// POST /v1/mpp/sessions/{id}/vouchers, and POST /v1/mpp/receipts/verify
import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newMppSession, type TestSession } from '../../factories/mpp.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const verifyIt = (body: object, as?: string) => harness.test.post('/v1/mpp/receipts/verify', body, { as: as ?? null });

describe('POST /v1/mpp/sessions/{id}/vouchers', () => {
  it('201: promises more, signed by the key of the session', async () => {
    const { session, voucher, read } = await newMppSession(harness.test);
    expect((await voucher({ amount: '1.25' })).status).toBe(201);
    const { status, body } = await voucher({ cumulative_amount: '3.00', description: 'Ten pages', request_id: 'r-2' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^vch_/),
      session_id: session.id,
      sequence: 2,
      amount: '1.75',
      cumulative_amount: '3.00',
      description: 'Ten pages',
      request_id: 'r-2',
    });
    const [head, claims, signature] = body.data.signed_voucher.split('.');
    const x = Buffer.from(session.voucher_key, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg: 'EdDSA' });
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: session.id,
      jti: body.data.id,
      aud: session.service_url,
      cumulative_amount: '3.00',
    });
    expect(await read()).toMatchObject({
      accepted_cumulative: '3.00',
      budget_used: '3.00',
      budget_remaining: '97.00',
      vouchers: [body.data, { sequence: 1, cumulative_amount: '1.25' }],
    });
  });

  it('201: by its other path', async () => {
    const { session } = await newMppSession(harness.test);
    const answer = await harness.test.post(`/v1/mpp/sessions/${session.id}/voucher`, { amount: '1.00' });
    expect(answer).toMatchObject({ status: 201, body: { data: { cumulative_amount: '1.00' } } });
  });

  it('200: the same again, the highest where less is asked for, and the one of the same request_id', async () => {
    const { voucher } = await newMppSession(harness.test);
    const { body: first } = await voucher({ amount: '2.00', request_id: 'r-1' });
    const { body: second } = await voucher({ cumulative_amount: '5.00' });
    for (const cumulative of ['5.00', '4.99', '0.01']) {
      const { status, body } = await voucher({ cumulative_amount: cumulative });
      expect({ status, data: body.data, repeated: body.repeated }).toEqual({ status: 200, data: second.data, repeated: true });
    }
    const { status, body } = await voucher({ amount: '2.00', request_id: 'r-1' });
    expect({ status, data: body.data }).toEqual({ status: 200, data: first.data });
  });

  it('makes one voucher for a key', async () => {
    const { voucher, read } = await newMppSession(harness.test);
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [await voucher({ amount: '1.00' }, { headers }), await voucher({ amount: '1.00' }, { headers })];
    expect(second.body.data).toMatchObject({ id: first.body.data.id });
    expect(await read()).toMatchObject({ accepted_cumulative: '1.00' });
  });

  it('400: no amount, both, and more than one voucher may add', async () => {
    const { voucher } = await newMppSession(harness.test, { max_voucher_amount: '2.00' });
    expectInvalid(await voucher({}), 'amount');
    expectInvalid(await voucher({ amount: '1.00', cumulative_amount: '1.00' }), 'amount');
    expectInvalid(await voucher({ amount: '2.01' }), 'amount');
    expectInvalid(await voucher({ cumulative_amount: '2.01' }), 'cumulative_amount');
    expect((await voucher({ amount: '2.00' })).status).toBe(201);
    expect((await voucher({ cumulative_amount: '4.00' })).status).toBe(201);
  });

  const freezes: [string, string, (made: TestSession) => Promise<unknown>][] = [
    ['the payer’s wallet', 'wallet_frozen', ({ from }) => harness.test.post(`/v1/wallets/${from.id}/freeze`, {})],
    ['its agent', 'agent_frozen', ({ payer }) => harness.test.post(`/v1/agents/${payer.id}/freeze`, {})],
  ];
  it.each(freezes)('403: while %s is frozen', async (_name, code, freeze) => {
    const made = await newMppSession(harness.test);
    await freeze(made);
    for (const as of [made.payer.token, harness.test.key]) expectRefused(await made.voucher({ amount: '1.00' }, { as }), 403, code);
  });

  it('403: while the workspace is frozen, and for the agent of the payee', async () => {
    const { payee, voucher } = await newMppSession(harness.test);
    expectRefused(await voucher({ amount: '1.00' }, { as: payee.token }), 403, 'forbidden');
    await harness.test.post('/v1/spending/freeze', {});
    expectRefused(await voucher({ amount: '1.00' }), 403, 'workspace_frozen');
    await harness.test.post('/v1/spending/unfreeze', {});
    expect((await voucher({ amount: '1.00' })).status).toBe(201);
  });

  it('409: one that has ended, or whose time is over', async () => {
    const { session, voucher } = await newMppSession(harness.test, { expires_in: 60 });
    harness.clock.advance(60);
    expectRefused(await voucher({ amount: '1.00' }), 409, 'state_conflict', { current_status: 'open' });
    await harness.test.post(`/v1/mpp/sessions/${session.id}/close`, {});
    expectRefused(await voucher({ amount: '1.00' }), 409, 'state_conflict', { current_status: 'closed' });
  });

  it('422: more than the deposit, and another amount under the same request_id', async () => {
    const { voucher } = await newMppSession(harness.test);
    await voucher({ amount: '60.00', request_id: 'r-1' });
    const left = { available: '40.00', deposit_amount: '100.00' };
    expectRefused(await voucher({ amount: '40.01' }), 422, 'insufficient_balance', left);
    expectRefused(await voucher({ cumulative_amount: '100.01' }), 422, 'insufficient_balance', left);
    expectRefused(await voucher({ amount: '59.99', request_id: 'r-1' }), 422, 'idempotency_key_reused');
    expect((await voucher({ cumulative_amount: '100.00' })).status).toBe(201);
  });

  it('takes the greatest of a race, and of parts exactly as many as fit', async () => {
    const { voucher, read } = await newMppSession(harness.test);
    await Promise.all(Array.from({ length: 100 }, (_, n) => voucher({ cumulative_amount: (((n * 37) % 100) / 2 + 0.5).toFixed(2) })));
    expect(await read()).toMatchObject({ accepted_cumulative: '50.00' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => voucher({ amount: '0.70' }, { as: harness.test.key })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(71);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(29);
    const { vouchers, accepted_cumulative: accepted } = await read();
    expect(accepted).toBe('99.70');
    const sequences = vouchers.map(({ sequence }: Json) => sequence);
    expect(sequences).toEqual(sequences.map((_: number, n: number) => sequences[0] - n));
  });
});

describe('POST /v1/mpp/receipts/verify', () => {
  it('200: says what a voucher is worth, to who holds it and to who may read its session', async () => {
    const { payee, session, voucher } = await newMppSession(harness.test, { expires_in: 600 });
    const { data } = (await voucher({ amount: '4.00' })).body;
    const good = {
      valid: true,
      session_id: session.id,
      amount: '4.00',
      cumulative_amount: '4.00',
      issued_at: data.created_at,
      expires_at: session.expires_at,
    };
    expect((await verifyIt({ signed_voucher: data.signed_voucher })).body.data).toEqual(good);
    expect((await verifyIt({ voucher_id: data.id }, payee.token)).body.data).toEqual(good);
    const stranger = await newMppSession(harness.test);
    const unknown = { valid: false, reason: 'unknown_voucher' };
    for (const as of [undefined, stranger.payer.token]) expect((await verifyIt({ voucher_id: data.id }, as)).body.data).toEqual(unknown);
    harness.clock.advance(600);
    expect((await verifyIt({ signed_voucher: data.signed_voucher })).body.data).toEqual({
      ...good,
      valid: false,
      reason: 'session_expired',
    });
    await harness.test.post(`/v1/mpp/sessions/${session.id}/close`, {});
    expect((await verifyIt({ signed_voucher: data.signed_voucher })).body.data).toMatchObject({ valid: false, reason: 'session_closed' });
  });

  it('200: knows no voucher that was changed, or signed by another key', async () => {
    const { voucher } = await newMppSession(harness.test);
    const other = await newMppSession(harness.test);
    const token: string = (await voucher({ amount: '4.00' })).body.data.signed_voucher;
    const foreign: string = (await other.voucher({ amount: '4.00' })).body.data.signed_voucher;
    const [head, claims = '', signature] = token.split('.');
    const more = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('"4.00"', '"9.00"')).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'mpp-voucher+jwt' })).toString('base64url');
    const forged = [
      [head, more, signature],
      [head, claims, foreign.split('.')[2]],
      [none, claims, ''],
      [none, claims, signature],
      [head, claims, `${signature}=`],
      ['x', 'y', 'z'],
    ];
    for (const parts of forged) {
      expect((await verifyIt({ signed_voucher: parts.join('.') })).body.data).toEqual({ valid: false, reason: 'unknown_voucher' });
    }
  });

  it('400: neither, and both', async () => {
    expectInvalid(await verifyIt({}), 'voucher_id');
    expectInvalid(await verifyIt({ voucher_id: nowhere, signed_voucher: 'x' }), 'voucher_id');
  });
});

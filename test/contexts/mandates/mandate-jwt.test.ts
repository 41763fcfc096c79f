// What is presented as the JWT of a mandate and is not the one that it has now: 422, and nothing moves.
import { createHmac } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { signingKey } from '../../../src/contexts/identity/signing-key.js';
import { mandateClaimsOf } from '../../../src/contexts/mandates/mandate-jwt.js';
import { sessionOf } from '../../factories/approval.js';
import { claimsIn, type Holder, newHolder, readMandate, whileChanging } from '../../factories/mandate.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { countQueries } from '../agents/identity.js';

const harness = useHarness();

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The claims of a mandate, changed, under the platform's own key. */
async function signed({ mandate }: Holder, claims: Json = {}, header: Json = {}): Promise<string> {
  const { kid, privateKey } = await signingKey(harness.platform);
  return new SignJWT({ ...claimsIn(mandate.mandate_jwt), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'mandate+jwt', ...header })
    .sign(privateKey);
}

/** One signed with HMAC, by the public key that everybody knows. */
async function byPublicKey({ mandate }: Holder): Promise<string> {
  const { keys } = (await harness.test.get('/.well-known/jwks.json', { as: null })).body;
  const text = `${part({ alg: 'HS256', kid: keys[0].kid, typ: 'mandate+jwt' })}.${mandate.mandate_jwt.split('.')[1]}`;
  return `${text}.${createHmac('sha256', JSON.stringify(keys[0])).update(text).digest('base64url')}`;
}

async function byStranger({ mandate }: Holder): Promise<string> {
  const { kid } = await signingKey(harness.platform);
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT(claimsIn(mandate.mandate_jwt)).setProtectedHeader({ alg: 'ES256', kid, typ: 'mandate+jwt' }).sign(privateKey);
}

describe('invalid_mandate_jwt', () => {
  it.each<[string, (holder: Holder) => string | Promise<string>]>([
    ['nonsense', () => 'x'],
    ['alg none', ({ mandate }) => `${part({ alg: 'none' })}.${mandate.mandate_jwt.split('.')[1]}.`],
    ['alg none with the signature', ({ mandate }) => `${part({ alg: 'none' })}.${mandate.mandate_jwt.split('.').slice(1).join('.')}`],
    ['HS256 with the public key', byPublicKey],
    ['the key of a stranger', byStranger],
    ['another aud', (holder) => signed(holder, { aud: 'agent-payments' })],
    ['another type', (holder) => signed(holder, {}, { typ: 'JWT' })],
    ['another issuer', (holder) => signed(holder, { iss: 'https://example.com' })],
    ['claims that we would have to have signed', (holder) => signed(holder, { scope: { max_per_tx: '1000.00', currency: 'USD' } })],
    [
      'a signature with one bit changed',
      ({ mandate }) => mandate.mandate_jwt.replace(/.(?=.{20}$)/, (c: string) => (c === 'A' ? 'B' : 'A')),
    ],
    ['a session of an API key', () => sessionOf(harness.test)],
    ['padding', ({ mandate }) => `${mandate.mandate_jwt}=`],
    ['the mandate of another agent', async () => (await newHolder(harness.test)).mandate.mandate_jwt],
    ['the mandate of another tenant', async () => (await newHolder(harness.other)).mandate.mandate_jwt],
  ])('for %s', async (_what, forge) => {
    const holder = await newHolder(harness.test);
    expectRefused(await holder.spend('1.00', { mandate_jwt: await forge(holder) }), 422, 'invalid_mandate_jwt');
    expect(await balanceOf(harness.test, holder.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(0);
  });

  it('for one that is replaced between the look at it and the posting, with the way to the last one', async () => {
    const holder = await newHolder(harness.test);
    expect((await holder.spend('1.00')).status).toBe(201);
    const answer = await whileChanging(harness, holder.mandate, () => holder.spend('1.00'));
    const path = `/v1/ap2/mandates/${holder.mandate.id}`;
    expectRefused(answer, 422, 'invalid_mandate_jwt', { next_actions: [{ rel: 'mandate', method: 'GET', path }] });
    expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(1);
  });
});

describe('a JWT that was checked', () => {
  it('leaves an execution with two statements: its posting, and what is left after it', async () => {
    const holder = await newHolder(harness.test);
    expect((await holder.spend('1.00')).status).toBe(201);
    const count = await countQueries(harness.platform, async () => expect((await holder.spend('1.00')).status).toBe(201));
    expect(count).toBe(2);
  });

  it('is not checked again because an old one is presented in between', async () => {
    const holder = await newHolder(harness.test);
    const changed = await harness.test.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { scope: { max_per_tx: '5.00' } });
    const last = { mandate_jwt: changed.body.data.mandate_jwt };
    expect((await holder.spend('1.00', last)).status).toBe(201);
    expectRefused(await holder.spend('1.00'), 422, 'invalid_mandate_jwt');
    const verify = vi.spyOn(crypto.subtle, 'verify');
    try {
      for (let n = 0; n < 3; n += 1) {
        expectRefused(await holder.spend('1.00'), 422, 'invalid_mandate_jwt');
        expect((await holder.spend('1.00', last)).status).toBe(201);
      }
      expect(verify).not.toHaveBeenCalled();
    } finally {
      verify.mockRestore();
    }
  });

  it('is not checked again, until its mandate changes', async () => {
    const { mandate } = await newHolder(harness.test);
    const verify = vi.spyOn(crypto.subtle, 'verify');
    try {
      const check = () => mandateClaimsOf(harness.platform, mandate.mandate_jwt);
      expect(await check()).toEqual(await check());
      expect(verify).toHaveBeenCalledTimes(1);
      harness.platform.cache.drop(`mandate:${mandate.id.slice('ap2_mnd_'.length)}`);
      verify.mockClear();
      expect((await check())?.mandateId).toBe(mandate.id.slice('ap2_mnd_'.length));
      expect(verify).toHaveBeenCalledTimes(1);
    } finally {
      verify.mockRestore();
    }
  });
});

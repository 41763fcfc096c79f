// Agents that prove at a card network who they are and what they pay: in both forms, and everything that proves nothing.
import { describe, expect, it } from 'vitest';
import { signatureHeaders, verify as verifyBot } from 'web-bot-auth';
import { signerFromJWK, verifierFromJWK } from 'web-bot-auth/crypto';
import {
  inBase64,
  jwsIdentity,
  messageIdentity,
  messageParts,
  someIntent,
  thumbprintOf,
  verifiedRef,
  verify,
} from '../../factories/bot-identity.js';
import { newBudget } from '../../factories/budget.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const now = () => harness.clock.now();
const at = (seconds: number) => Math.floor(now().getTime() / 1000) + seconds;
const reasonOf = async (agent: TestAgent, identity: string, extra: Json = {}): Promise<string> => {
  const { verified, rejection_reason, network_ref } = await verify(harness.test, agent, identity, extra);
  expect([verified, network_ref === undefined]).toEqual(verified ? [true, false] : [false, true]);
  return rejection_reason ?? 'verified';
};
const jwkOf = ({ privateKey }: TestAgent): JsonWebKey => {
  const bytes = Buffer.from(privateKey, 'base64');
  return { kty: 'OKP', crv: 'Ed25519', d: bytes.subarray(0, 32).toString('base64url'), x: bytes.subarray(32).toString('base64url') };
};

describe('POST /v1/cards/verify', () => {
  it('200: verifies a JWS and a message signature, by either name of the key, for fifteen minutes', async () => {
    const agent = await enrol(harness.test);
    const found = await verify(harness.test, agent, jwsIdentity(agent, now()));
    const expires_at = new Date(now().getTime() + 900_000).toISOString();
    const network_ref = expect.stringMatching(/^nref_/);
    expect(found).toEqual({ verified: true, network: 'visa', network_ref, profile: 'jws', expires_at });
    for (const kid of [thumbprintOf(agent), agent.keyId]) {
      expect(await reasonOf(agent, jwsIdentity(agent, now(), { header: { kid } }))).toBe('verified');
      expect(await reasonOf(agent, messageIdentity(agent, now(), { parameters: { keyid: `"${kid}"` } }))).toBe('verified');
    }
    const byAgent = await verify(harness.test, agent, messageIdentity(agent, now()), { as: agent.token, network: 'mastercard' });
    expect(byAgent).toMatchObject({ verified: true, network: 'mastercard' });
    for (const changes of [
      { parameters: { tag: '"web-bot-auth"', alg: null } },
      { covered: '"@authority" "content-digest";key="sha-256" "@method" "@path"', lines: digestLine(agent) },
      { covered: '"@authority" "content-digest" "signature-agent"', agentField: 'sig1="https://agents.example"' },
    ])
      expect([changes, await reasonOf(agent, messageIdentity(agent, now(), changes))]).toEqual([changes, 'verified']);
    const parts = { ...messageParts(agent, now()), authority: 'SHOP.example:443' };
    expect(await reasonOf(agent, inBase64(parts))).toBe('verified');
    expect(await reasonOf(agent, Buffer.from(JSON.stringify(messageParts(agent, now()))).toString('base64url'))).toBe('verified');
    const { description: _, ...bare } = someIntent;
    expect(await reasonOf(agent, jwsIdentity(agent, now(), { intent: bare }), { transaction_intent: bare })).toBe('verified');
  });

  it('200: verifies what the package web-bot-auth signs, and the package verifies what is signed by hand', async () => {
    const agent = await enrol(harness.test);
    const { content_digest } = messageParts(agent, now());
    const headers = { 'content-digest': content_digest, 'signature-agent': '"https://agents.example"' };
    const request = { method: 'POST', url: 'https://shop.example/', headers };
    const components = ['@authority', 'content-digest', 'signature-agent'];
    const [created, expires] = [now(), new Date(now().getTime() + 300_000)];
    const signed = await signatureHeaders(request, await signerFromJWK(jwkOf(agent)), { created, expires, components });
    const identity = {
      signature_input: signed['Signature-Input'],
      signature: signed.Signature,
      signature_agent: headers['signature-agent'],
      content_digest,
      authority: 'shop.example',
    };
    expect(await reasonOf(agent, inBase64(identity))).toBe('verified');
    const parameters = { tag: '"web-bot-auth"' };
    const parts = messageParts(agent, new Date(), {
      covered: '"@authority" "content-digest" "signature-agent"',
      parameters,
      agentField: '"https://agents.example"',
    });
    const { x } = jwkOf(agent);
    const message = {
      ...request,
      headers: { ...headers, 'content-digest': parts.content_digest, 'Signature-Input': parts.signature_input, Signature: parts.signature },
    };
    await verifyBot(message, await verifierFromJWK({ kty: 'OKP', crv: 'Ed25519', x: String(x) }));
    const tampered = { ...message, url: 'https://other.example/' };
    await expect(verifyBot(tampered, await verifierFromJWK({ kty: 'OKP', crv: 'Ed25519', x: String(x) }))).rejects.toThrow();
  });
});

describe('what proves nothing', () => {
  it('is rejected with its reason', async () => {
    const agent = await enrol(harness.test);
    const other = await enrol(harness.test, { parent_account_id: agent.account.id });
    const thief = { ...agent, privateKey: other.privateKey };
    const parts = messageParts(agent, now());
    const jws = jwsIdentity(agent, now());
    const [head, body, signature] = jws.split('.') as [string, string, string];
    const message = (changes: Json) => messageIdentity(agent, now(), changes);
    const covered = (text: string, lines: object = {}) => message({ covered: text, lines });
    const parameters = (said: Json) => message({ parameters: said });
    const payload = (said: Json) => jwsIdentity(agent, now(), { payload: said });
    const header = (said: Json) => jwsIdentity(agent, now(), { header: said });
    const otherIntent = { ...someIntent, amount: '43.00' };
    const cases: [string, string, string][] = [
      ['no base64', '!!!', 'bad_signature'],
      ['bad padding', `${inBase64(parts).replace(/=+$/, '')}===`, 'bad_signature'],
      ['both alphabets', `+-${inBase64(parts)}`, 'bad_signature'],
      ['no JSON', Buffer.from('sig1').toString('base64'), 'bad_signature'],
      ['an unknown member', inBase64({ ...parts, scheme: 'http' }), 'bad_signature'],
      ['no digest', inBase64({ ...parts, content_digest: undefined }), 'bad_signature'],
      ['a component twice', covered('"@authority" "content-digest" "@authority"'), 'bad_signature'],
      ['an unknown component', covered('"@authority" "content-digest" "@status"', { '"@status"': '200' }), 'bad_signature'],
      ['a field that is not there', covered('"@authority" "content-digest" "host"', { '"host"': 'shop.example' }), 'bad_signature'],
      ['bs', covered('"@authority" "content-digest";bs', { '"content-digest";bs': ':AA==:' }), 'bad_signature'],
      ['the authority not covered', covered('"content-digest"'), 'bad_signature'],
      ['the digest not covered', covered('"@authority"'), 'bad_signature'],
      [
        'another digest covered',
        covered('"@authority" "content-digest";key="sha-512"', { '"content-digest";key="sha-512"': ':AA==:' }),
        'bad_signature',
      ],
      ['Signature-Agent not covered', inBase64({ ...parts, signature_agent: 'sig1="https://x.example"' }), 'bad_signature'],
      ['a label twice', inBase64({ ...parts, signature_input: `${parts.signature_input}, ${parts.signature_input}` }), 'bad_signature'],
      ['two labels', inBase64(twice(parts)), 'bad_signature'],
      ['another label', inBase64({ ...parts, signature: parts.signature.replace('sig1', 'sig2') }), 'bad_signature'],
      ['another authority', inBase64({ ...parts, authority: 'shop.example:8443' }), 'bad_signature'],
      ['the port of the scheme in what was signed', message({ authority: 'shop.example:443' }), 'bad_signature'],
      ['no authority', inBase64({ ...parts, authority: 'shop.example/x' }), 'bad_signature'],
      ['an unknown tag', parameters({ tag: '"agent-browser-auth"' }), 'bad_signature'],
      ['no tag', parameters({ tag: null }), 'bad_signature'],
      ['no nonce', parameters({ nonce: null }), 'bad_signature'],
      ['an empty nonce', parameters({ nonce: '""' }), 'bad_signature'],
      ['no end', parameters({ expires: null }), 'bad_signature'],
      ['a time as text', parameters({ created: `"${at(0)}"` }), 'bad_signature'],
      ['an alg of another key', parameters({ alg: '"ecdsa-p256-sha256"' }), 'bad_signature'],
      ['HMAC', parameters({ alg: '"hmac-sha256"' }), 'bad_signature'],
      ['no keyid', parameters({ keyid: null }), 'bad_signature'],
      ["another agent's keyid", parameters({ keyid: `"${thumbprintOf(other)}"` }), 'bad_signature'],
      ["another agent's key", messageIdentity(thief, now(), { parameters: { keyid: `"${thumbprintOf(agent)}"` } }), 'bad_signature'],
      ["another agent's key in a JWS", jwsIdentity(thief, now()), 'bad_signature'],
      ['a changed bit', `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`, 'bad_signature'],
      ['none', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`, 'bad_signature'],
      ['HS256', header({ alg: 'HS256' }), 'bad_signature'],
      ['crit', header({ crit: ['exp'] }), 'bad_signature'],
      ["another agent's kid", header({ kid: other.keyId }), 'bad_signature'],
      ['another agent', payload({ agent_id: other.id }), 'bad_signature'],
      ['another tag of a JWS', payload({ tag: 'web-bot-auth' }), 'bad_signature'],
      ['a member that is not known', payload({ aud: 'visa' }), 'bad_signature'],
      ['expired', parameters({ created: at(-300), expires: at(0) }), 'expired'],
      ['too long lived', parameters({ expires: at(481) }), 'expired'],
      ['ends before it begins', parameters({ created: at(30), expires: at(20) }), 'expired'],
      ['made in the future', parameters({ created: at(61), expires: at(120) }), 'expired'],
      ['an expired JWS', payload({ iat: at(-300), exp: at(0) }), 'expired'],
      ['a long-lived JWS', payload({ exp: at(481) }), 'expired'],
      ['the digest of another intent', messageIdentity(agent, now(), { intent: otherIntent }), 'intent_mismatch'],
      ['the hash of another intent', jwsIdentity(agent, now(), { intent: otherIntent }), 'intent_mismatch'],
      [
        'the digest exchanged',
        inBase64({ ...parts, content_digest: messageParts(agent, now(), { intent: otherIntent }).content_digest }),
        'bad_signature',
      ],
    ];
    for (const [what, identity, reason] of cases) expect([what, await reasonOf(agent, identity)]).toEqual([what, reason]);
    // What was rejected has used up no nonce.
    expect(await reasonOf(agent, jws)).toBe('verified');
    expect(await reasonOf(agent, inBase64(parts))).toBe('verified');
  });

  it('is an intent that differs in anything from what was signed', async () => {
    const agent = await enrol(harness.test);
    const jws = jwsIdentity(agent, now());
    for (const changes of [{ amount: '42' }, { merchant_id: 'shop-4712' }, { currency: 'EUR' }, { description: undefined }]) {
      const transaction_intent = { ...someIntent, ...changes };
      expect([changes, await reasonOf(agent, jws, { transaction_intent })]).toEqual([changes, 'intent_mismatch']);
    }
  });

  it('is a nonce that the agent has used, in whatever form and however many at once', async () => {
    const agent = await enrol(harness.test);
    const payload = { nonce: 'one' };
    const reasons = await Promise.all(Array.from({ length: 8 }, () => reasonOf(agent, jwsIdentity(agent, now(), { payload }))));
    expect(reasons.sort()).toEqual([...Array(7).fill('replayed_nonce'), 'verified']);
    expect(await reasonOf(agent, messageIdentity(agent, now(), { parameters: { nonce: '"one"' } }))).toBe('replayed_nonce');
    const other = await enrol(harness.test);
    expect(await reasonOf(other, jwsIdentity(other, now(), { payload }))).toBe('verified');
  });

  it('is an agent that is not known, has no key that counts, or is let in nowhere', async () => {
    const agent = await enrol(harness.test);
    const old = { ...agent };
    expect(await reasonOf(agent, jwsIdentity(agent, now()), { agent_id: nowhere })).toBe('unknown_agent');
    const stranger = await enrol(harness.other);
    expect(await reasonOf(stranger, jwsIdentity(stranger, now()))).toBe('unknown_agent');
    expect((await verify(harness.test, agent, jwsIdentity(agent, now()), { as: (await enrol(harness.test)).token })).rejection_reason).toBe(
      'unknown_agent',
    );
    const rotated = await harness.test.post(`/v1/agents/${agent.id}/auth-keys/rotate`, { reason: 'lost' });
    expect(rotated.status).toBe(200);
    expect(await reasonOf(agent, jwsIdentity(old, now()))).toBe('bad_signature');
    await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    expect(await reasonOf(agent, jwsIdentity(old, now()))).toBe('no_active_key');
    const revoked = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${revoked.id}/suspend`, {});
    expect(await reasonOf(revoked, jwsIdentity(revoked, now()))).toBe('no_active_key');
    await harness.test.post(`/v1/agents/${revoked.id}/revoke`, {});
    expect(await reasonOf(revoked, jwsIdentity(revoked, now()))).toBe('no_active_key');
  });

  it('is a payment that the limits of the agent refuse, and one of an agent that is frozen, or whose account is suspended', async () => {
    const agent = await enrol(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: agent.uuid }, amount: '41.99' });
    expect(await reasonOf(agent, jwsIdentity(agent, now(), { payload: { nonce: 'denied' } }))).toBe('policy_denied');
    expect(await reasonOf(agent, jwsIdentity(agent, now(), { payload: { nonce: 'denied' } }))).toBe('replayed_nonce');
    const frozen = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${frozen.id}/freeze`, {});
    expect(await reasonOf(frozen, jwsIdentity(frozen, now()))).toBe('policy_denied');
    const stopped = await enrol(harness.test);
    await harness.test.patch(`/v1/accounts/${stopped.agent.parent_account_id}`, { status: 'suspended' });
    expect(await reasonOf(stopped, jwsIdentity(stopped, now()))).toBe('policy_denied');
  });

  it('is a payment in production, where no network is enrolled', async () => {
    const agent = await enrol(harness.live);
    const found = await verify(harness.live, agent, jwsIdentity(agent, now()));
    expect(found).toEqual({ verified: false, rejection_reason: 'network_not_enrolled' });
  });
});

describe('a request that is none', () => {
  it('400, 401, 422', async () => {
    const agent = await enrol(harness.test);
    const identity = jwsIdentity(agent, now());
    const ask = (extra: object, options = {}) =>
      harness.test.post(
        '/v1/cards/verify',
        { agent_id: agent.uuid, transaction_intent: someIntent, signed_bot_identity: identity, ...extra },
        options,
      );
    for (const [extra, path] of [
      [{ transaction_intent: { ...someIntent, amount: '0' } }, 'transaction_intent.amount'],
      [{ transaction_intent: { ...someIntent, amount: '1.001' } }, 'transaction_intent.amount'],
      [{ transaction_intent: { ...someIntent, currency: 'XXX' } }, 'transaction_intent.currency'],
      [{ transaction_intent: { ...someIntent, items: [] } }, 'transaction_intent.items'],
      [{ network: 'amex' }, 'network'],
      [{ signed_bot_identity: '' }, 'signed_bot_identity'],
    ] as const)
      expectRefused(await ask(extra), 400, 'validation_failed', { fields: [{ path }] });
    expectRefused(await ask({}, { as: null }), 401, 'missing_credential');
    const description = 'paid with 4242 4242 4242 4242';
    expectRefused(await ask({ transaction_intent: { ...someIntent, description } }), 422, 'validation_failed');
  });

  it('400: in production a key of the standards, whose private half everybody has', async () => {
    const account = await harness.live.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const public_key = Buffer.from('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', 'base64url').toString('base64');
    const agent = await enrol(harness.live, { parent_account_id: account.id });
    await harness.live.delete(`/v1/agents/${agent.id}/auth-keys`);
    const answer = await harness.live.post(`/v1/agents/${agent.id}/auth-keys`, { public_key });
    expectRefused(answer, 400, 'validation_failed', { fields: [{ path: 'public_key' }] });
  });

  it('with an Idempotency-Key is verified once, and answered again', async () => {
    const agent = await enrol(harness.test);
    const body = { agent_id: agent.uuid, transaction_intent: someIntent, signed_bot_identity: jwsIdentity(agent, now()) };
    const send = () => harness.test.post('/v1/cards/verify', body, { headers: { 'Idempotency-Key': 'verify-1' } });
    const [first, second] = [await send(), await send()];
    expect(first.body.data.verified).toBe(true);
    expect(second.body).toEqual(first.body);
    expect(await verifiedRef(harness.test, agent, now())).not.toBe(first.body.data.network_ref);
  });
});

/** The parts with the same signature under a second label. */
function twice({ signature_input, signature, ...parts }: Json): Json {
  const again = (text: string) => `${text}, ${text.replace('sig1', 'sig2')}`;
  return { ...parts, signature_input: again(signature_input), signature: again(signature) };
}

/** The line of a component that a key picks out of its field. */
function digestLine(agent: TestAgent): object {
  const { content_digest } = messageParts(agent, now());
  return { lines: { '"content-digest";key="sha-256"': content_digest.slice('sha-256='.length) } }.lines;
}

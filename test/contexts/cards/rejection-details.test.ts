// Which part of a signature does not fit, and the example of the document, which fits.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { jwsIdentity, someIntent, thumbprintOf, verify } from '../../factories/bot-identity.js';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const now = () => harness.clock.now();
const at = (seconds: number) => Math.floor(now().getTime() / 1000) + seconds;

describe('the example in openapi.json', () => {
  it('verifies: its signature with the key that it names, its claims as those that are taken, its hash as that of its intent', async () => {
    const text = await readFile('openapi.json', 'utf8');
    const [jws = ''] = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/.exec(text.slice(text.indexOf('11qYAYKxCrfVS'))) ?? [];
    const [head = '', body = '', signature = ''] = jws.split('.');
    const publicKey = createPublicKey({
      format: 'jwk',
      key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    });
    expect(verifySignature(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const said = JSON.parse(Buffer.from(body, 'base64url').toString());
    const intent = '{"amount":"42.00","currency":"USD","merchant_id":"shop-4711"}';
    expect(text).toContain(JSON.stringify(intent).slice(1, -1));
    expect(said.intent_hash).toBe(createHash('sha256').update(intent).digest('base64url'));
    const agent = await enrol(harness.test);
    const { agent_id: _, iat: __, exp: ___, ...claims } = said;
    const taken = await verify(harness.test, agent, jwsIdentity(agent, now(), { intent: JSON.parse(intent), payload: claims }), {
      transaction_intent: JSON.parse(intent),
    });
    expect(taken.verified).toBe(true);
  });
});

describe('rejection_details', () => {
  it('say which part does not fit, and in the sandbox what would have fitted', async () => {
    const agent = await enrol(harness.test);
    const other = await enrol(harness.test, { parent_account_id: agent.account.id });
    const detailsOf = async (identity: string) => (await verify(harness.test, agent, identity)).rejection_details;
    expect(await detailsOf('!!!')).toMatchObject({ part: 'encoding' });
    expect(await detailsOf(jwsIdentity(agent, now(), { header: { alg: 'HS256' } }))).toMatchObject({
      part: 'header',
      message: 'alg must be one of EdDSA, Ed25519',
    });
    expect(await detailsOf(jwsIdentity(agent, now(), { payload: { nonce: undefined } }))).toMatchObject({
      part: 'claims',
      message: 'nonce is required',
    });
    expect(await detailsOf(jwsIdentity(agent, now(), { header: { kid: other.keyId } }))).toMatchObject({
      part: 'key',
      expected: thumbprintOf(agent),
      received: other.keyId,
    });
    expect(await detailsOf(jwsIdentity({ ...agent, privateKey: other.privateKey }, now()))).toMatchObject({ part: 'signature' });
    const intent = await detailsOf(jwsIdentity(agent, now(), { intent: { ...someIntent, amount: '43.00' } }));
    expect(intent).toMatchObject({ part: 'intent', expected: expect.stringContaining('"amount":"42.00"') });
    expect(await detailsOf(jwsIdentity(agent, now(), { payload: { exp: at(4_000) } }))).toMatchObject({ part: 'time' });
  });
});

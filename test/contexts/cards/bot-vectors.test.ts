// The vectors of Web Bot Auth, as a seller asks about them: its key is that of an agent here, and the time is theirs. What each signature is by
// itself, test/platform/http-signature.test.ts looks at.
import { beforeAll, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import older from '../../vectors/web-bot-auth/web_bot_auth_architecture_v1.json' with { type: 'json' };
import newer from '../../vectors/web-bot-auth/web_bot_auth_architecture_v2.json' with { type: 'json' };
import agents from '../../vectors/web-bot-auth/web_bot_auth_signature_agent_v1.json' with { type: 'json' };
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
let agent: TestAgent;
beforeAll(async () => {
  harness.clock.set('2025-01-01T00:00:30.000Z');
  agent = await enrol(harness.test, { generate_keypair: false });
  const x = older.find(({ key }) => key.kty === 'OKP')?.key.x ?? '';
  await harness.test.make(`/v1/agents/${agent.id}/auth-keys`, { public_key: Buffer.from(x, 'base64url').toString('base64') });
});

const ask = (headers: Record<string, string>, url: string): Promise<Json> =>
  harness.test.make('/v1/signatures/verify', { method: 'GET', url, headers });

/** What is said of a vector: its outcome, the profile, and why it is not verified. */
async function finding(vector: Json): Promise<unknown[]> {
  const { target_url: url, signature, signature_input: input, signature_agent: field } = vector;
  const headers = { Signature: signature, 'Signature-Input': input, ...(field !== undefined && { 'Signature-Agent': field }) };
  const { outcome, profile, reason, agent_id: id } = await ask(headers, url);
  expect(id).toBe(outcome === 'verified' ? agent.id : undefined);
  return [vector.key.kty, outcome, profile, reason];
}

it('of the form before the drafts: the one by our key and of no other address is verified, once', async () => {
  const found = [];
  for (const vector of older) found.push(await finding(vector));
  expect(found).toEqual([
    ['RSA', 'unverified', 'wba-00', 'unknown_key'],
    ['RSA', 'unverified', 'wba-legacy', 'unknown_key'],
    ['OKP', 'verified', 'wba-00', undefined],
    ['OKP', 'unverified', 'wba-legacy', 'unknown_key'],
  ]);
  expect(await finding(older[2])).toEqual(['OKP', 'invalid', 'wba-00', 'replayed_nonce']);
});

it('of the drafts: they live for a century, and those with an agent name it by another label than their own', async () => {
  const found = [];
  for (const vector of newer) found.push(await finding(vector));
  expect(found).toEqual([
    ['RSA', 'unverified', 'wba-00', 'unknown_key'],
    ['RSA', 'invalid', undefined, 'not_covered'],
    ['OKP', 'invalid', 'wba-00', 'expired'],
    ['OKP', 'invalid', undefined, 'not_covered'],
  ]);
});

it.each(agents)('of Signature-Agent, $name: the address, and the draft that writes it so', async ({ header, entries: [entry] }) => {
  const input = `sig1=("@authority" "signature-agent";key="sig1");created=1735689600;expires=1735693200;keyid="k";tag="web-bot-auth"`;
  const headers = { Signature: 'sig1=:AA==:', 'Signature-Input': input, 'Signature-Agent': header };
  const found = await ask(headers, 'https://example.com/');
  expect(found).toMatchObject({
    profile: header.includes(';type=') ? 'wba-00' : 'wba-01',
    signature_agent: entry?.uri,
    reason: 'unknown_key',
  });
});

it('name the key as the directory of the agent does', async () => {
  const { body } = await harness.test.get(`/.well-known/http-message-signatures-directory/${agent.id}`, { as: null });
  expect(older[2]?.signature_input).toContain(`keyid="${body.keys[0].kid}"`);
});

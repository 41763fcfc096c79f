// What agents sign to pay at a card network, in both forms, and with everything changed that a test is about.
import { createHash, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import { sign, type TestAgent } from '../contexts/agents/identity.js';
import type { Client, Json } from '../harness.js';

export const someIntent = { merchant_id: 'shop-4711', amount: '42.00', currency: 'USD', description: 'A mug' };

type Signer = Pick<TestAgent, 'id' | 'privateKey'>;
const digestOf = (value: unknown, encoding: 'base64' | 'base64url') =>
  createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest(encoding);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
export const newNonce = () => randomBytes(32).toString('base64');

/** The thumbprint of the JWK of a signer, worked out by hand. */
export function thumbprintOf({ privateKey }: Pick<Signer, 'privateKey'>): string {
  const x = Buffer.from(privateKey, 'base64').subarray(32).toString('base64url');
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}

/** A compact JWS of an intent. */
export function jwsIdentity(signer: Signer, now: Date, { intent = someIntent, header = {}, payload = {} }: Json = {}): string {
  const at = seconds(now);
  const said = {
    agent_id: signer.id,
    intent_hash: digestOf(intent, 'base64url'),
    nonce: newNonce(),
    iat: at,
    exp: at + 300,
    tag: 'agent-payer-auth',
  };
  const text = `${encode({ alg: 'EdDSA', ...header })}.${encode({ ...said, ...payload })}`;
  return `${text}.${Buffer.from(sign(text, signer.privateKey), 'base64').toString('base64url')}`;
}

/** The fields of a signed request, before they are put into base64. */
export function messageParts(signer: Signer, now: Date, changes: Json = {}): Json {
  const at = seconds(now);
  const {
    intent = someIntent,
    authority = 'shop.example',
    covered = '"@authority" "content-digest"',
    parameters = {},
    lines = {},
    label = 'sig1',
    agentField,
  } = changes;
  const digest = `sha-256=:${digestOf(intent, 'base64')}:`;
  const said: Json = {
    created: at,
    expires: at + 300,
    keyid: `"${thumbprintOf(signer)}"`,
    alg: '"ed25519"',
    nonce: `"${newNonce()}"`,
    tag: '"agent-payer-auth"',
    ...parameters,
  };
  const input = `(${covered})${Object.entries(said)
    .flatMap(([name, value]) => (value === null ? [] : [`;${name}=${value}`]))
    .join('')}`;
  const values: Json = {
    '"@authority"': authority,
    '"content-digest"': digest,
    '"signature-agent"': agentField,
    '"@path"': '/',
    '"@method"': 'POST',
    ...lines,
  };
  const names: string[] = covered === '' ? [] : covered.split(' ');
  const base = [...names.map((name) => `${name}: ${values[name] ?? ''}`), `"@signature-params": ${input}`].join('\n');
  return {
    signature_input: `${label}=${input}`,
    signature: `${label}=:${sign(base, signer.privateKey)}:`,
    content_digest: digest,
    authority,
    ...(agentField !== undefined && { signature_agent: agentField }),
  };
}

export const inBase64 = (parts: Json): string => Buffer.from(JSON.stringify(parts)).toString('base64');

/** A signed request, as it is sent. */
export function messageIdentity(signer: Signer, now: Date, changes: Json = {}): string {
  return inBase64(messageParts(signer, now, changes));
}

/** Asks whether an agent may pay, by default with a proof that is right. */
export async function verify(client: Client, agent: TestAgent, identity: string, extra: Json = {}): Promise<Json> {
  const { as, ...body } = extra;
  const request = { agent_id: agent.uuid, transaction_intent: someIntent, signed_bot_identity: identity, ...body };
  return client.make('/v1/cards/verify', request, as === undefined ? {} : { as });
}

/** The network_ref of a payment that was verified. */
export async function verifiedRef(
  client: Client,
  agent: TestAgent,
  now: Date,
  { intent = someIntent, ...extra }: Json = {},
): Promise<string> {
  const { network_ref, ...found } = await verify(client, agent, jwsIdentity(agent, now, { intent }), {
    transaction_intent: intent,
    ...extra,
  });
  if (network_ref === undefined) throw new Error(`not verified: ${JSON.stringify(found)}`);
  return network_ref;
}

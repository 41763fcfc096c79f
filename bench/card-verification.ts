// What it costs to read one signed identity of an agent at a card network, in this process: parsing, the digest of the intent and the
// signature. Without HTTP and without the row of the nonce.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import canonicalize from 'canonicalize';
import { readBotIdentity } from '../src/contexts/cards/verification/bot-identity.js';

/** Milliseconds of CPU that one verification may cost. */
const aimMs = 0.5;
const runs = 5_000;
const agentId = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const intent = { merchant_id: 'shop-4711', amount: '42.00', currency: 'USD', description: 'A mug, and what it is drunk from' };

/** One line for each form; none where another series is asked for `only`. */
export function cardVerifications(only: string | undefined): string[] {
  if (only !== undefined && only !== 'cards') return [];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const x = publicKey.export({ format: 'jwk' }).x ?? '';
  const key = { id: agentId, publicKey: Buffer.from(x, 'base64url') };
  const now = new Date();
  const claim = { agentId, intent, key, now };
  const forms = { 'RFC 9421': messageOf(privateKey, x, now), JWS: jwsOf(privateKey, now) };
  return Object.entries(forms).map(([name, text]) => {
    const read = () => {
      const proof = readBotIdentity(text, claim);
      if (!('nonce' in proof)) throw new Error(`the identity proves nothing: ${proof.reason}`);
    };
    for (let n = 0; n < runs / 5; n += 1) read();
    const before = process.cpuUsage();
    for (let n = 0; n < runs; n += 1) read();
    const { user, system } = process.cpuUsage(before);
    return `card verification, ${name}: ${((user + system) / 1000 / runs).toFixed(3)} ms of CPU (aim ${aimMs})`;
  });
}

const digestOf = (encoding: 'base64' | 'base64url') =>
  createHash('sha256')
    .update(canonicalize(intent) ?? '')
    .digest(encoding);
const seconds = (now: Date) => Math.floor(now.getTime() / 1000);

function messageOf(privateKey: KeyObject, x: string, now: Date): string {
  const keyid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const content_digest = `sha-256=:${digestOf('base64')}:`;
  const input =
    `("@authority" "@path" "content-digest");created=${seconds(now)};expires=${seconds(now) + 300};keyid="${keyid}";alg="ed25519"` +
    ';nonce="bench";tag="agent-payer-auth"';
  const base = `"@authority": shop.example\n"@path": /pay\n"content-digest": ${content_digest}\n"@signature-params": ${input}`;
  const signature = `sig1=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`;
  const parts = { signature_input: `sig1=${input}`, signature, content_digest, authority: 'shop.example', path: '/pay' };
  return Buffer.from(JSON.stringify(parts)).toString('base64');
}

function jwsOf(privateKey: KeyObject, now: Date): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const times = { iat: seconds(now), exp: seconds(now) + 300 };
  const payload = { agent_id: agentId, intent_hash: digestOf('base64url'), nonce: 'bench', ...times, tag: 'agent-payer-auth' };
  const text = `${encode({ alg: 'EdDSA' })}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

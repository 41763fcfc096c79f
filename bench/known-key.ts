// What it costs to verify the signature of a request by a key that is known, in this process: reading the fields, the base and the signature.
// Without HTTP and without the row of the nonce.
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { signatureAgentOf } from '../src/contexts/cards/verification/bot-profile.js';
import { parseSignatures, type SignedMessage, signatureBase, targetOf, verifies } from '../src/platform/http-signature.js';

/** Milliseconds of CPU that one may cost. */
const aimMs = 0.3;
const runs = 5_000;

/** A line. */
export function knownKey(): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const keyid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const created = Math.floor(Date.now() / 1000);
  const agent = 'sig1="https://agents.example/.well-known/http-message-signatures-directory/agt_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d"';
  const parameters =
    `("@method" "@authority" "@path" "signature-agent";key="sig1");created=${created};expires=${created + 60};keyid="${keyid}"` +
    ';alg="ed25519";nonce="bench";tag="web-bot-auth"';
  const field = agent.slice('sig1='.length);
  const lines = ['"@method": GET', '"@authority": shop.example', '"@path": /offers', `"signature-agent";key="sig1": ${field}`];
  const signature = sign(null, Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n')), privateKey).toString('base64');
  const fields: Readonly<Record<string, string>> = { 'signature-agent': agent };
  const message: SignedMessage = {
    derived: targetOf('GET', { scheme: 'https', authority: 'shop.example', target: '/offers' }),
    field: (name) => fields[name],
  };
  const key = { key: createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' }), alg: 'ed25519' } as const;
  const read = () => {
    const [found] = parseSignatures(`sig1=${parameters}`, `sig1=:${signature}:`) ?? [];
    const base = found && signatureBase(message, found);
    if (found === undefined || base == null || signatureAgentOf(found, message.field('signature-agent'))?.profile !== 'wba-01')
      throw new Error('the signature was not read');
    if (!verifies(key, found, base)) throw new Error('the signature is none');
  };
  for (let n = 0; n < runs / 5; n += 1) read();
  const before = process.cpuUsage();
  for (let n = 0; n < runs; n += 1) read();
  const { user, system } = process.cpuUsage(before);
  return `known-key: ${((user + system) / 1000 / runs).toFixed(3)} ms of CPU for a signature (aim ${aimMs})`;
}

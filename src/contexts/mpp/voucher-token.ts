// The signature of a voucher: a compact JWS (EdDSA) by the key of its session, which anybody can check with `voucher_key`. Ed25519 is
// deterministic, so a voucher is signed when it is shown, and its row needs no signature.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { MppVoucher } from '../../generated/prisma/client.js';
import type { Platform } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { generateKeyPair, verifySignature } from '../agents/ed25519.js';
import { issuerOf } from '../identity/jwt.js';
import type { SessionFacts } from './session.js';

/** Its own type, so that no other JWT is taken for a voucher. */
const type = 'mpp-voucher+jwt';
/** Characters of a signed voucher that are looked at: the longest address of a service is in it, in any script. */
export const mostTokenLength = 12_288;

/** Makes the key of a session: the public one raw, the private one sealed to its row. */
export function newVoucherKey({ vault }: Platform, sessionId: string) {
  const { publicKey, privateKey } = generateKeyPair();
  const seed = Buffer.from(privateKey, 'base64').subarray(0, 32).toString('base64url');
  return { voucherKey: publicKey, sealedKey: vault.seal(seed, sessionId) };
}

const keys = new LRUCache<string, KeyObject>({ max: 1_000 });

function privateKeyOf({ vault }: Platform, { id, voucherKey, sealedKey }: SessionFacts): KeyObject {
  let key = keys.get(id);
  if (key === undefined) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: vault.open(sealedKey, id), x: Buffer.from(voucherKey).toString('base64url') };
    key = createPrivateKey({ key: jwk, format: 'jwk' });
    keys.set(id, key);
  }
  return key;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a voucher. The same voucher has the same signature, whenever it is asked for. */
export function signVoucher(platform: Platform, session: SessionFacts, voucher: MppVoucher): string {
  const { currency, expiresAt } = session;
  const claims = {
    iss: issuerOf(platform),
    sub: printId('mppSession', session.id),
    aud: session.serviceUrl,
    jti: printId('mppVoucher', voucher.id),
    iat: Math.floor(voucher.createdAt.getTime() / 1000),
    exp: Math.floor(expiresAt.getTime() / 1000),
    agent_id: printId('agent', session.agentId),
    payee_wallet_id: session.payeeWalletId,
    sequence: voucher.sequence,
    amount: formatMinor(voucher.amount, currency),
    cumulative_amount: formatMinor(voucher.cumulativeAmount, currency),
    currency,
  };
  const text = `${encode({ alg: 'EdDSA', typ: type })}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKeyOf(platform, session)).toString('base64url')}`;
}

const header = z.object({ alg: z.literal('EdDSA'), typ: z.literal(type) });
const namedIn = z.object({ sub: z.string(), jti: z.string(), agent_id: z.string() });

/** What a signed voucher is about. Nothing of it is believed before its signature was checked. */
export interface NamedVoucher {
  sessionId: string;
  voucherId: string;
  agentId: string;
}

/** The ids that a signed voucher names; null for a text that is none. */
export function namedByToken(token: string): NamedVoucher | null {
  const [head, claims, signature, ...rest] = token.split('.');
  if (!head || !claims || !signature || rest.length > 0 || token.length > mostTokenLength) return null;
  try {
    header.parse(JSON.parse(Buffer.from(head, 'base64url').toString()));
    const { sub, jti, agent_id } = namedIn.parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
    const [sessionId, voucherId, agentId] = [parseId('mppSession', sub), parseId('mppVoucher', jti), parseId('agent', agent_id)];
    return sessionId === null || voucherId === null || agentId === null ? null : { sessionId, voucherId, agentId };
  } catch {
    return null;
  }
}

/** True when the key of the session has signed the text, which is then what it was when it was signed. */
export function isSignedBy({ voucherKey }: Pick<SessionFacts, 'voucherKey'>, token: string): boolean {
  const end = token.lastIndexOf('.');
  const bytes = Buffer.from(token.slice(end + 1), 'base64url');
  const isStrict = bytes.toString('base64url') === token.slice(end + 1);
  return isStrict && verifySignature(voucherKey, token.slice(0, end), bytes.toString('base64'));
}

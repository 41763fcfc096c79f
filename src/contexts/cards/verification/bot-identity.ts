// What an agent signs to prove at a card network who it is, and for which payment (CONTRACT.md 14): an HTTP message signature with the
// profile of Web Bot Auth, or a compact JWS. Nothing is fetched: the key is the one that the agent has here.
import { hash, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import {
  covers,
  derivedOf,
  isCurrent,
  isDigestOf,
  type MessageSignature,
  parseSignatures,
  type SignedMessage,
  signatureBase,
  verifies,
} from '../../../platform/http-signature.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import { keyThumbprint, verifyingKey } from '../../agents/ed25519.js';

/** The payment that is signed for, member by member as the request has it. */
export type Intent = Readonly<Record<string, string | null>>;

/** Who is said to have signed, and what. */
export interface IdentityClaim {
  agentId: string;
  intent: Intent;
  /** The active key of the agent: its id, and its raw bytes. */
  key: { id: string; publicKey: Uint8Array };
  /** Real time. */
  now: Date;
}

/** What a signature proves: the nonce that it may be used with once. */
export type Proven = { nonce: string };
export type NotProven = { reason: 'bad_signature' | 'expired' | 'intent_mismatch' };

/** A signature for a payment counts so long at most, seconds (Gap G-232). */
export const longestLifeSeconds = 480;
const paymentTag = 'agent-payer-auth';
const tags: readonly (string | undefined)[] = [paymentTag, 'web-bot-auth'];
const noSignature: NotProven = { reason: 'bad_signature' };

/** The bytes that are signed for an intent: its canonical JSON (RFC 8785). */
export function intentBytes(intent: Intent): Buffer {
  return Buffer.from(canonicalize(intent) ?? '', 'utf8');
}

/**
 * What `text` proves about the claim. The signature is checked before its time and its intent, so every other reason is about something
 * that the agent has really signed.
 */
export function readBotIdentity(text: string, claim: IdentityClaim): Proven | NotProven {
  return text.includes('.') ? readJws(text, claim) : readMessage(text, claim);
}

/** True for both names by which the key of an agent is known: its thumbprint, and its id. */
function isKeyId(named: unknown, { id, publicKey }: IdentityClaim['key']): boolean {
  return typeof named === 'string' && (named === keyThumbprint(publicKey) || parseId('authKey', named) === id);
}

const nonceText = z.string().min(1).max(256);

const messageParts = z.strictObject({
  signature_input: z.string().max(4_096),
  signature: z.string().max(1_024),
  signature_agent: z.string().max(2_048).optional(),
  content_digest: z.string().max(1_024),
  authority: z.string().max(261),
  path: z.string().max(2_048).optional(),
});
type MessageParts = z.output<typeof messageParts>;

/** Form b: the fields of a signed request `POST https://<authority><path>`, as base64 of JSON. */
function readMessage(text: string, { intent, key, now }: IdentityClaim): Proven | NotProven {
  const { data: parts } = messageParts.safeParse(parseJson(decodeAnyBase64(text)));
  const message = parts === undefined ? null : messageOf(parts);
  if (parts === undefined || message === null) return noSignature;
  const [signature, ...more] = parseSignatures(parts.signature_input, parts.signature) ?? [];
  if (signature === undefined || more.length > 0 || !isProfile(signature, parts)) return noSignature;
  const { nonce, keyId, created, expires } = signature;
  const base = isKeyId(keyId, key) ? signatureBase(message, signature) : null;
  if (base === null || !verifies({ key: verifyingKey(key.publicKey), alg: 'ed25519' }, signature, base)) return noSignature;
  if (!isInTime({ created, expires }, now)) return { reason: 'expired' };
  if (!isDigestOf(parts.content_digest, intentBytes(intent))) return { reason: 'intent_mismatch' };
  return { nonce: nonce ?? '' };
}

/** What the profile asks of a signature, and we of one for a payment (Gap G-233). */
function isProfile(signature: MessageSignature, { signature_agent }: MessageParts): boolean {
  const { tag, nonce, created, expires } = signature;
  return (
    tags.includes(tag) &&
    nonceText.safeParse(nonce).success &&
    created !== undefined &&
    expires !== undefined &&
    covers(signature, '@authority') &&
    covers(signature, 'content-digest', 'sha-256') &&
    (signature_agent === undefined || covers(signature, 'signature-agent'))
  );
}

const authorityPattern = /^(?:[a-z0-9]+(?:[.-]+[a-z0-9]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const pathPattern = /^\/[!$-~]*$/;

/** The request that was signed; null for an authority or a path that no request has. */
function messageOf({ authority, path = '/', content_digest, signature_agent }: MessageParts): SignedMessage | null {
  if (!authorityPattern.test(authority) || !pathPattern.test(path)) return null;
  // The scheme is https, whose port alone is left out.
  const host = authority.toLowerCase().replace(/:443$/, '');
  const derived = {
    ...derivedOf('POST', host, path),
    '@authority': host,
    '@scheme': 'https',
    '@target-uri': `https://${host}${path}`,
    '@request-target': path,
  };
  const fields: Readonly<Record<string, string | undefined>> = { 'content-digest': content_digest, 'signature-agent': signature_agent };
  return { derived, field: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined) };
}

/** Whether something that was made then, and ends then, counts now, and for no longer than it may. */
function isInTime({ created, expires }: Pick<MessageSignature, 'created' | 'expires'>, now: Date): boolean {
  if (created === undefined || expires === undefined) return false;
  const life = expires - created;
  return life > 0 && life <= longestLifeSeconds && isCurrent({ created, expires }, now);
}

const jwsHeader = z.looseObject({
  alg: z.enum(['EdDSA', 'Ed25519']),
  kid: z.string().optional(),
  crit: z.never().optional(),
  b64: z.never().optional(),
});
const jwsPayload = z.strictObject({
  agent_id: z.string(),
  intent_hash: z.string(),
  nonce: nonceText,
  iat: z.int(),
  exp: z.int(),
  tag: z.literal(paymentTag),
});

/** Form a: a compact JWS. */
function readJws(text: string, { agentId, intent, key, now }: IdentityClaim): Proven | NotProven {
  const parts = text.split('.');
  const [head = '', body = '', signed = ''] = parts;
  const { data: header } = jwsHeader.safeParse(parseJson(decodeBase64url(head)));
  const { data: said } = jwsPayload.safeParse(parseJson(decodeBase64url(body)));
  const bytes = decodeBase64url(signed);
  if (parts.length !== 3 || header === undefined || said === undefined || bytes === null) return noSignature;
  if (header.kid !== undefined && !isKeyId(header.kid, key)) return noSignature;
  if (said.agent_id !== agentId && said.agent_id !== printId('agent', agentId)) return noSignature;
  if (!verify(null, Buffer.from(`${head}.${body}`, 'ascii'), verifyingKey(key.publicKey), bytes)) return noSignature;
  if (!isInTime({ created: said.iat, expires: said.exp }, now)) return { reason: 'expired' };
  if (said.intent_hash !== hash('sha256', intentBytes(intent), 'base64url')) return { reason: 'intent_mismatch' };
  return { nonce: said.nonce };
}

function parseJson(bytes: Buffer | null): unknown {
  if (bytes === null) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Base64url without padding, written in the one way that there is; null for anything else. */
function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : null;
}

/** Base64 of either alphabet, padded or not; null for anything else. */
function decodeAnyBase64(text: string): Buffer | null {
  const bare = text.replace(/={1,2}$/, '');
  if (bare !== text && text.length % 4 !== 0) return null;
  return decodeBase64url(/[-_]/.test(bare) ? bare : bare.replaceAll('+', '-').replaceAll('/', '_'));
}

// What an agent signs to prove at a card network who it is, and for which payment (CONTRACT.md 14): an HTTP message signature with the
// profile of Web Bot Auth, or a compact JWS. Nothing is fetched: the key is the one that the agent has here.
import { hash, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import {
  contentDigest,
  covers,
  isCurrent,
  isDigestOf,
  type MessageSignature,
  parseSignatures,
  type SignedMessage,
  signatureBase,
  targetOf,
  verifies,
} from '../../../platform/http-signature.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import { keyThumbprint, verifyingKey } from '../../agents/ed25519.js';
import { type BotProfile, paymentTag, signatureAgentOf, webBotTag } from './bot-profile.js';

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

/** What a signature proves: the nonce that it may be used with once, and by which profile it was made. */
export type Proven = { nonce: string; profile: BotProfile };
export type NotProven = { reason: 'bad_signature' | 'expired' | 'intent_mismatch' } & Misfit;

/** Which part of what was signed does not fit. */
export interface Misfit {
  part: 'encoding' | 'header' | 'claims' | 'signature_input' | 'key' | 'agent' | 'signature' | 'time' | 'intent';
  message: string;
  /** What would have fitted, and what came; the sandbox alone shows them. */
  expected?: string;
  received?: string;
}

/** Gap G-232: A message signature for a payment lives at most 480 s and is made at most 60 s ahead of our clock; else `expired`. */
export const longestLifeSeconds = 480;
const tags: readonly (string | undefined)[] = [paymentTag, webBotTag];

function unfit(part: Misfit['part'], message: string, { expected, received }: Pick<Misfit, 'expected' | 'received'> = {}): NotProven {
  return {
    reason: 'bad_signature',
    part,
    message,
    ...(expected !== undefined && { expected }),
    ...(received !== undefined && { received }),
  };
}

/** The first thing that zod objects to, with its place. */
function faultOf({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join('.') ?? '';
  return `${place === '' ? 'it' : place} ${issue?.message ?? 'is not valid'}`;
}

const expired = (): NotProven => ({
  reason: 'expired',
  part: 'time',
  message: `it begins in the future, has ended, or counts for more than ${longestLifeSeconds} seconds of real time`,
});

function otherIntent(intent: Intent, expected: string, received: string): NotProven {
  const signed = intentBytes(intent).toString('utf8');
  const message = 'the hash is not that of transaction_intent as canonical JSON (RFC 8785)';
  return { reason: 'intent_mismatch', part: 'intent', message, expected: `${expected} of ${signed}`, received };
}

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
  const json = parseJson(decodeAnyBase64(text));
  if (json === undefined) return unfit('encoding', 'it is neither a compact JWS nor base64 of the JSON of a signed message');
  const { data: parts, error } = messageParts.safeParse(json);
  if (parts === undefined) return unfit('encoding', faultOf(error));
  const message = messageOf(parts);
  if (message === null) return unfit('encoding', 'authority or path is not one that a request has');
  const [signature, ...more] = parseSignatures(parts.signature_input, parts.signature) ?? [];
  if (signature === undefined || more.length > 0)
    return unfit('signature_input', 'signature_input and signature must have one signature, under the same label');
  const agent = signatureAgentOf(signature, parts.signature_agent);
  if (agent === null || !isProfile(signature))
    return unfit('signature_input', `it must have ${needed}`, { received: parts.signature_input });
  const { nonce, keyId, created, expires } = signature;
  if (!isKeyId(keyId, key)) return otherKey('keyid', key, keyId);
  const base = signatureBase(message, signature);
  if (base === null) return unfit('signature_input', 'it covers a component that the message does not have');
  if (!verifies({ key: verifyingKey(key.publicKey), alg: 'ed25519' }, signature, base))
    return unfit('signature', 'it does not verify with the active key of the agent', { expected: base, received: parts.signature });
  if (!isInTime({ created, expires }, now)) return expired();
  const bytes = intentBytes(intent);
  if (!isDigestOf(parts.content_digest, bytes)) return otherIntent(intent, contentDigest(bytes), parts.content_digest);
  return { nonce: nonce ?? '', profile: agent.profile };
}

const needed =
  'the tag agent-payer-auth or web-bot-auth, a nonce, created and expires, and cover @authority, content-digest and, where it is there, signature-agent (by ;key its own label)';

function otherKey(name: string, { publicKey }: IdentityClaim['key'], named: unknown): NotProven {
  const received = named === undefined ? 'none' : String(named);
  return unfit('key', `${name} must be the thumbprint or the id of the active key of the agent`, {
    expected: keyThumbprint(publicKey),
    received,
  });
}

// Gap G-233: A payment signature needs `created`, `expires`, a `nonce`, one label, and a POST over https.
/** What the profile asks of a signature, and we of one for a payment. */
function isProfile(signature: MessageSignature): boolean {
  const { tag, nonce, created, expires } = signature;
  return (
    tags.includes(tag) &&
    nonceText.safeParse(nonce).success &&
    created !== undefined &&
    expires !== undefined &&
    covers(signature, '@authority') &&
    covers(signature, 'content-digest', 'sha-256')
  );
}

const authorityPattern = /^(?:[a-z0-9]+(?:[.-]+[a-z0-9]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const pathPattern = /^\/[!$-~]*$/;

/** The request that was signed; null for an authority or a path that no request has. */
function messageOf({ authority, path = '/', content_digest, signature_agent }: MessageParts): SignedMessage | null {
  if (!authorityPattern.test(authority) || !pathPattern.test(path)) return null;
  const derived = targetOf('POST', { scheme: 'https', authority, target: path });
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
  const bytes = decodeBase64url(signed);
  if (parts.length !== 3 || bytes === null) return unfit('encoding', 'a compact JWS has three parts of base64url without padding');
  const { data: header, error: headerFault } = jwsHeader.safeParse(parseJson(decodeBase64url(head)));
  if (header === undefined) return unfit('header', faultOf(headerFault));
  const { data: said, error: payloadFault } = jwsPayload.safeParse(parseJson(decodeBase64url(body)));
  if (said === undefined) return unfit('claims', faultOf(payloadFault));
  if (header.kid !== undefined && !isKeyId(header.kid, key)) return otherKey('kid', key, header.kid);
  if (said.agent_id !== agentId && said.agent_id !== printId('agent', agentId))
    return unfit('agent', 'agent_id must be that of the request', { expected: printId('agent', agentId), received: said.agent_id });
  if (!verify(null, Buffer.from(`${head}.${body}`, 'ascii'), verifyingKey(key.publicKey), bytes))
    return unfit('signature', 'it does not verify with the active key of the agent', {
      expected: `an Ed25519 signature of ${head}.${body} by the key ${keyThumbprint(key.publicKey)}`,
      received: signed,
    });
  if (!isInTime({ created: said.iat, expires: said.exp }, now)) return expired();
  const intentHash = hash('sha256', intentBytes(intent), 'base64url');
  return said.intent_hash === intentHash ? { nonce: said.nonce, profile: 'jws' } : otherIntent(intent, intentHash, said.intent_hash);
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

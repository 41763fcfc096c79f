// HTTP message signatures (RFC 9421) and body digests (RFC 9530): reads the fields, makes the base that was signed, checks a signature by
// a public key. What it does not know is refused: a component left out of the base would be one that nobody signed.
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { type InnerList, type Item, parseDictionary, printMember } from './structured-field.js';

/** The parts of a message that may be covered. */
export interface SignedMessage {
  /** Derived components by name, such as `@method`. */
  derived: Readonly<Record<string, string>>;
  /** The value of a header field, its lines joined with ", "; undefined when it is not there. */
  field(name: string): string | undefined;
}

/** The derived components of a request. `host` is its Host header, `target` the path with the query as it was sent. */
export function derivedOf(method: string, host: string, target: string): Record<string, string> {
  const mark = target.indexOf('?');
  return {
    '@method': method.toUpperCase(),
    '@authority': host.toLowerCase().replace(/:(80|443)$/, ''),
    '@path': mark < 0 ? target : target.slice(0, mark),
    '@query': mark < 0 ? '?' : target.slice(mark),
  };
}

/** All derived components of a request whose address is known whole. `target` is the path with the query as it was sent. */
export function targetOf(
  method: string,
  { scheme, authority, target }: { scheme: 'http' | 'https'; authority: string; target: string },
): Record<string, string> {
  // The port of the scheme alone is left out.
  const host = authority.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const address = { '@authority': host, '@scheme': scheme, '@target-uri': `${scheme}://${host}${target}`, '@request-target': target };
  return { ...derivedOf(method, host, target), ...address };
}

/** One signature of a message, as its two fields say it. Times are seconds since 1970. */
export interface MessageSignature {
  label: string;
  covered: InnerList;
  /** The parameters as they came: they are part of what was signed. */
  input: string;
  bytes: Buffer;
  keyId: string | undefined;
  alg: string | undefined;
  tag: string | undefined;
  nonce: string | undefined;
  created: number | undefined;
  expires: number | undefined;
}

/**
 * The signatures of a message, by `Signature-Input` and `Signature`. Null when either is no such field, a label is in one of them alone, or
 * a parameter has another type than RFC 9421 gives it.
 */
export function parseSignatures(input: string, signature: string): MessageSignature[] | null {
  const inputs = parseDictionary(input);
  const values = parseDictionary(signature);
  if (inputs === null || values === null || inputs.size === 0 || inputs.size !== values.size) return null;
  const found: MessageSignature[] = [];
  for (const [label, member] of inputs) {
    const value = values.get(label);
    if (member.kind !== 'list' || value?.kind !== 'item' || value.value.type !== 'bytes') return null;
    const facts = factsOf(member);
    if (facts === null) return null;
    found.push({ label, covered: member, input: member.text, bytes: value.value.value, ...facts });
  }
  return found;
}

type Facts = Pick<MessageSignature, 'keyId' | 'alg' | 'tag' | 'nonce' | 'created' | 'expires'>;

/** Null where a parameter has the wrong type: a time as text would otherwise count as no time at all. */
function factsOf({ items, parameters }: InnerList): Facts | null {
  if (items.some(({ value }) => value.type !== 'string')) return null;
  const facts: Facts = { keyId: undefined, alg: undefined, tag: undefined, nonce: undefined, created: undefined, expires: undefined };
  for (const [name, { type, value }] of parameters) {
    if (name === 'created' || name === 'expires') {
      if (type !== 'integer') return null;
      facts[name] = value;
    } else if (name === 'keyid' || name === 'alg' || name === 'tag' || name === 'nonce') {
      if (type !== 'string') return null;
      facts[name === 'keyid' ? 'keyId' : name] = value;
    }
  }
  return facts;
}

/** True when the signature covers `name`: all of it, or by `;key` the `member` of it that counts. Any member does where none is named. */
export function covers({ covered }: MessageSignature, name: string, member?: string): boolean {
  return covered.items.some(({ value, parameters }) => {
    if (value.value !== name) return false;
    return member === undefined || parameters.size === 0 || parameters.get('key')?.value === member;
  });
}

/** The text that was signed. Null when it covers what is not there, what is there twice, or what this does not know. */
export function signatureBase(message: SignedMessage, { covered, input }: MessageSignature): string | null {
  const lines = new Map<string, string>();
  for (const item of covered.items) {
    const name = printMember(item);
    const value = componentOf(message, item);
    if (value === undefined || lines.has(name)) return null;
    lines.set(name, value);
  }
  lines.set('"@signature-params"', input);
  return [...lines].map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** A parameter of the query by `;name`, percent-encoded; undefined where it is not there once (RFC 9421 2.2.8). */
function queryParamOf(query: string | undefined, parameters: Item['parameters']): string | undefined {
  const name = parameters.get('name');
  if (query === undefined || parameters.size > 1 || name?.type !== 'string') return undefined;
  const found = [...new URLSearchParams(query)].filter(([key]) => encodeURIComponent(key) === name.value);
  return found.length === 1 ? encodeURIComponent(found[0]?.[1] ?? '') : undefined;
}

/** The value of one component. `;key` picks a member of a field that is a dictionary; no other parameter of a field is known. */
function componentOf({ derived, field }: SignedMessage, { value: { value }, parameters }: Item): string | undefined {
  const name = String(value);
  if (name === '@query-param') return queryParamOf(derived['@query'], parameters);
  if (name.startsWith('@')) return parameters.size === 0 && Object.hasOwn(derived, name) ? derived[name] : undefined;
  const text = name === name.toLowerCase() ? field(name)?.trim() : undefined;
  if (text === undefined || parameters.size === 0) return text;
  const key = parameters.get('key');
  if (parameters.size > 1 || key?.type !== 'string') return undefined;
  const member = parseDictionary(text)?.get(key.value);
  return member === undefined ? undefined : printMember(member);
}

/** Clocks of others may be this far ahead. */
const skewSeconds = 60;

/** True unless the signature has expired at `now`, or was made later than that. */
export function isCurrent({ created, expires }: Pick<MessageSignature, 'created' | 'expires'>, now: Date): boolean {
  const at = now.getTime() / 1000;
  return (created === undefined || created <= at + skewSeconds) && (expires === undefined || expires > at);
}

/** The algorithms that are checked, by the names of RFC 9421, and how a JWK names them. */
const jwkAlgs = { 'ecdsa-p256-sha256': ['ES256'], ed25519: ['EdDSA', 'Ed25519'] } as const;
type Algorithm = keyof typeof jwkAlgs;

export interface SigningKey {
  key: KeyObject;
  alg: Algorithm;
}

/** The key of a JWK: EC P-256 for ES256, or OKP Ed25519. Null for any other, and for one that is no point of its curve. */
export function signingKeyOf({ kty, crv, x, y, alg: named }: Readonly<Record<string, unknown>>): SigningKey | null {
  const alg: Algorithm = kty === 'OKP' ? 'ed25519' : 'ecdsa-p256-sha256';
  const curve = kty === 'OKP' ? 'Ed25519' : 'P-256';
  const names: readonly unknown[] = jwkAlgs[alg];
  if ((kty !== 'OKP' && kty !== 'EC') || crv !== curve || (named !== undefined && !names.includes(named))) return null;
  if (typeof x !== 'string' || (kty === 'EC' && typeof y !== 'string')) return null;
  const jwk = kty === 'OKP' ? { kty, crv: curve, x } : { kty, crv: curve, x, y: String(y) };
  try {
    return { key: createPublicKey({ key: jwk, format: 'jwk' }), alg };
  } catch {
    return null;
  }
}

/**
 * True when the signature is that of `base`: of ECDSA r and s alone, 32 bytes each. An `alg` parameter that names another algorithm is a
 * lie.
 */
export function verifies({ key, alg }: SigningKey, signature: MessageSignature, base: string): boolean {
  if (signature.alg !== undefined && signature.alg !== alg) return false;
  const text = Buffer.from(base, 'utf8');
  if (alg === 'ed25519') return verify(null, text, key, signature.bytes);
  return signature.bytes.length === 64 && verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature.bytes);
}

/** True when a `Content-Digest` field gives the SHA-256 of these bytes. Other digests in it do not count. */
export function isDigestOf(contentDigest: string, bytes: Uint8Array): boolean {
  const member = parseDictionary(contentDigest)?.get('sha-256');
  return member?.kind === 'item' && member.value.type === 'bytes' && member.value.value.equals(hash('sha256', bytes, 'buffer'));
}

/** True when two `Content-Digest` fields give the same SHA-256. */
export function isSameDigest(one: string, other: string): boolean {
  const [first, second] = [one, other].map((field) => parseDictionary(field)?.get('sha-256')?.text);
  return first !== undefined && first === second;
}

/** The `Content-Digest` field of these bytes. */
export function contentDigest(bytes: string | Uint8Array): string {
  return `sha-256=:${hash('sha256', bytes, 'base64')}:`;
}

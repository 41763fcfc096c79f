// Challenges of the HTTP authentication scheme `Payment` (draft-httpauth-payment-00): their ids, and how headers print and read them. It
// is pure: it knows no endpoint, no ledger, and not which challenges were used.
import { createHmac, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { checkJson } from '../../platform/schema/scalar.js';

/** Characters of a header field that are read. */
export const mostHeaderLength = 16_384;

const base64url = z.string().regex(/^[A-Za-z0-9_-]*$/);
const challengeShape = z.object({
  id: z.string().min(1),
  realm: z.string(),
  /** How is paid. */
  method: z.string().regex(/^[a-z]+$/),
  /** What for, such as `charge`. */
  intent: z.string().min(1),
  /** JSON (RFC 8785) in base64url without padding. */
  request: base64url,
  expires: z.iso.datetime({ offset: true }).optional(),
  /** The digest of the body that is paid for (RFC 9530). */
  digest: z.string().min(1).optional(),
  description: z.string().optional(),
  /** What the server wants back as it is: JSON in base64url. */
  opaque: base64url.optional(),
});

/** A challenge with its members as they are sent. */
export type Challenge = z.infer<typeof challengeShape>;

/** What a challenge is made of. */
export interface NewMppChallenge extends Omit<Challenge, 'id' | 'request' | 'opaque'> {
  request: object;
  opaque?: object | undefined;
}

const credentialShape = z.object({ challenge: challengeShape, source: z.string().optional(), payload: z.record(z.string(), z.unknown()) });

/** What a client pays with: the challenge that it answers, and the proof that its method asks for. */
export type Credential = z.infer<typeof credentialShape>;

/** What a server says of a payment that it took. */
export interface Receipt {
  status: 'success';
  method: string;
  /** ISO 8601. */
  timestamp: string;
  /** What it is called by the server. */
  reference: string;
}

/** A member such as `request`: the canonical JSON of a value in base64url. */
export function encodeMember(value: object): string {
  return Buffer.from(canonicalize(value) ?? '').toString('base64url');
}

/** The value of a member such as `request`; null for what is no JSON object in strict base64url, or has no canonical form. */
export function decodeMember(text: string): Record<string, unknown> | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    checkJson(value);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The id of a challenge: it binds all members but the description, each in its own slot, also where it is empty. */
function idOf(secret: string, { realm, method, intent, request, expires, digest, opaque }: Omit<Challenge, 'id'>): Buffer {
  const slots = [realm, method, intent, request, expires ?? '', digest ?? '', opaque ?? ''];
  return createHmac('sha256', secret).update(slots.join('|')).digest();
}

/** Makes a challenge that only who has the secret can have made. */
export function makeChallenge(secret: string, { request, opaque, ...members }: NewMppChallenge): Challenge {
  const challenge = { ...members, request: encodeMember(request), ...(opaque !== undefined && { opaque: encodeMember(opaque) }) };
  return { id: idOf(secret, challenge).toString('base64url'), ...challenge };
}

/**
 * True for a challenge that was made with the secret and not changed since. Whether its time is over and whether it was used is another
 * question.
 */
export function isOwnChallenge(secret: string, challenge: Challenge): boolean {
  const id = Buffer.from(challenge.id, 'base64url');
  const expected = idOf(secret, challenge);
  return id.toString('base64url') === challenge.id && id.length === expected.length && timingSafeEqual(id, expected);
}

/** True when the time of a challenge is over at `at`. */
export function isOverdue({ expires }: Pick<Challenge, 'expires'>, at: Date): boolean {
  return expires !== undefined && new Date(expires) <= at;
}

const members = ['id', 'realm', 'method', 'intent', 'request', 'expires', 'digest', 'description', 'opaque'] as const;

/** A challenge as a WWW-Authenticate header says it. */
export function printChallenge(challenge: Challenge): string {
  const quoted = members.flatMap((name) => {
    const value = challenge[name];
    return value === undefined ? [] : [`${name}="${value.replace(/[\\"]/g, '\\$&')}"`];
  });
  return `Payment ${quoted.join(', ')}`;
}

const separators = /[ \t,]*/y;
const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const equals = /[ \t]*=[ \t]*/y;
const token68 = /[ \t]+[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const quotedString = /"((?:[^"\\]|\\.)*)"/y;

/** Reads a text piece by piece. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What the pattern matches here, which is then read; undefined when it does not. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

/** A challenge of any scheme; `isBroken`: a member is there twice. */
interface AnyChallenge {
  scheme: string;
  parameters: Map<string, string>;
  isBroken: boolean;
}

/** The challenges of a WWW-Authenticate field, of which there may be several in a line (RFC 9110 11.6.1); null for what is no such field. */
function readField(text: string): AnyChallenge[] | null {
  const reader = new Reader(text);
  const found: AnyChallenge[] = [];
  reader.take(separators);
  while (!reader.isAtEnd) {
    const name = reader.take(token)?.[0];
    if (name === undefined) return null;
    const current = found.at(-1);
    if (reader.take(equals) === undefined) {
      found.push({ scheme: name.toLowerCase(), parameters: new Map(), isBroken: false });
      reader.take(token68);
    } else {
      const quoted = reader.take(quotedString);
      const value = quoted === undefined ? reader.take(token)?.[0] : quoted[1]?.replace(/\\(.)/g, '$1');
      if (current === undefined || value === undefined) return null;
      current.isBroken ||= current.parameters.has(name.toLowerCase());
      current.parameters.set(name.toLowerCase(), value);
    }
    reader.take(separators);
  }
  return found;
}

/** The challenges of the scheme `Payment` in a WWW-Authenticate field. Those that lack a member, or have one twice, are left out. */
export function readChallenges(field: string): Challenge[] {
  if (field.length > mostHeaderLength) return [];
  return (readField(field) ?? []).flatMap(({ scheme, parameters, isBroken }) => {
    if (scheme !== 'payment' || isBroken) return [];
    const { success, data } = challengeShape.safeParse(Object.fromEntries(parameters));
    return success && decodeMember(data.request) !== null ? [data] : [];
  });
}

/** A credential as an Authorization header says it. */
export function printCredential(credential: Credential): string {
  return `Payment ${Buffer.from(JSON.stringify(credential)).toString('base64url')}`;
}

/** The credential of an Authorization field; null for what is none. Nothing of it is believed before its challenge was checked. */
export function readCredential(field: string): Credential | null {
  const [, text] = field.length > mostHeaderLength ? [] : (/^Payment +([A-Za-z0-9_-]+)$/i.exec(field) ?? []);
  const { success, data } = credentialShape.safeParse(text === undefined ? null : decodeMember(text));
  return success && decodeMember(data.challenge.request) !== null ? data : null;
}

/** A receipt as a Payment-Receipt header says it. Only an answer that succeeds has one. */
export function printReceipt(receipt: Receipt): string {
  return Buffer.from(JSON.stringify(receipt)).toString('base64url');
}

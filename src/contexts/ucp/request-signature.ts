// The signature of a request, where it has one: RFC 9421 by a key of the agent's profile. It proves that the agent of that profile said
// exactly this; it lets nobody in, which a credential does.
import type { DoorRequest } from '../../platform/door.js';
import {
  covers,
  derivedOf,
  isCurrent,
  isDigestOf,
  type MessageSignature,
  parseSignatures,
  type SignedMessage,
  signatureBase,
  signingKeyOf,
  verifies,
} from '../../platform/http-signature.js';
import type { AgentProfile } from './agent-profile.js';
import { AlgorithmUnsupported, DigestMismatch, KeyNotFound, SignatureInvalid, SignatureMissing } from './errors.js';

/** Signatures that are tried. */
const mostSignatures = 4;

/** What came, and at which of our hosts. */
type SignedRequest = Pick<DoorRequest, 'header' | 'raw' | 'message'> & { host: string };

/**
 * Passes an unsigned request, and one of whose signatures one holds. 401 `signature_missing`, `signature_invalid`, `key_not_found`; 400
 * `digest_mismatch`, `algorithm_unsupported`. A Content-Digest has to be right in any case.
 */
export function checkSignature(request: SignedRequest, { keys }: Pick<AgentProfile, 'keys'>, now: Date): void {
  const { header, raw } = request;
  const digest = header('Content-Digest');
  if (digest !== '' && !isDigestOf(digest, raw)) throw new DigestMismatch();
  const [input, values] = [header('Signature-Input'), header('Signature')];
  if (input === '' && values === '') return;
  if (input === '' || values === '') throw new SignatureMissing();
  const signatures = parseSignatures(input, values);
  if (signatures === null) throw new SignatureInvalid('Signature-Input and Signature cannot be read');
  let problem: Error | undefined;
  for (const signature of signatures.slice(0, mostSignatures)) {
    const found = problemOf(request, signature, keys, now);
    if (found === undefined) return;
    problem ??= found;
  }
  throw problem ?? new SignatureInvalid('there is none');
}

/** Why a signature does not prove the request; undefined when it does. */
function problemOf(request: SignedRequest, signature: MessageSignature, keys: AgentProfile['keys'], now: Date): Error | undefined {
  const { keyId, tag } = signature;
  if (keyId === undefined) return new SignatureInvalid('it has no keyid');
  // A tag narrows what a signature is for; that of Web Bot Auth goes together with a request of UCP.
  if (tag !== undefined && tag !== 'web-bot-auth') return new SignatureInvalid('its tag says that it is for something else');
  const jwk = keys.find((key) => key.kid === keyId && isForSignatures(key));
  if (jwk === undefined) return new KeyNotFound(keyId);
  const key = signingKeyOf(jwk);
  if (key === null) return new AlgorithmUnsupported();
  const missing = neededComponents(request).find((name) => !covers(signature, name, readMembers[name]));
  if (missing !== undefined) return new SignatureInvalid(`it does not cover ${missing}`);
  if (!isCurrent(signature, now)) return new SignatureInvalid('it has expired, or was made in the future');
  const base = signatureBase(messageOf(request), signature);
  if (base === null) return new SignatureInvalid('it covers what is not there, or what is not known here');
  return verifies(key, signature, base) ? undefined : new SignatureInvalid('it is not that of the key over these parts');
}

function isForSignatures({ use = 'sig', key_ops: operations = ['verify'] }: AgentProfile['keys'][number]): boolean {
  return use === 'sig' && operations.includes('verify');
}

/** The members that are read here of fields that are dictionaries: a signature of another member says nothing about them. */
const readMembers: Readonly<Record<string, string>> = { 'content-digest': 'sha-256', 'ucp-agent': 'profile' };

/** What a signature has to cover: the target, the body, and each header that changes what the request means. */
function neededComponents({ header, raw, message }: SignedRequest): string[] {
  const headers = ['ucp-agent', 'idempotency-key', 'signature-agent'].filter((name) => header(name) !== '');
  return [
    '@method',
    '@authority',
    '@path',
    ...((message.url ?? '').includes('?') ? ['@query'] : []),
    ...(raw.length > 0 ? ['content-digest', 'content-type'] : []),
    ...headers,
  ];
}

function messageOf({ host, message: { method = '', url = '', headers } }: SignedRequest): SignedMessage {
  return {
    derived: derivedOf(method, host, url),
    field(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

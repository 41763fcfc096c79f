// What UCP refuses before a checkout is looked at: the profile of the agent, versions, signatures (docs/protocols.md "UCP").
import { declareError, NotFound, ValidationFailed } from '../../platform/errors.js';
import type { UcpMessage } from './message.js';
import { shoppingService, versions } from './version.js';

/** Where the profile that we publish says what we speak. */
const ourProfile = { rel: 'profile', actor: 'any', method: 'GET', path: '/.well-known/ucp' } as const;

/** 400: the header names no profile that may be fetched. */
export class InvalidProfileUrl extends declareError(400, 'invalid_profile_url') {
  constructor(problem: string) {
    super(`Send UCP-Agent: profile="https://..." with the address of your profile: it ${problem}.`, {
      fields: [{ path: ['UCP-Agent'], message: problem, rule: 'profile' }],
    });
  }
}

/** 424: the profile did not come. */
export class ProfileUnreachable extends declareError(424, 'profile_unreachable') {
  constructor(problem: string) {
    super(`The profile that UCP-Agent names could not be fetched: ${problem}.`);
  }
}

/** 422: what came is no profile. */
export class ProfileMalformed extends declareError(422, 'profile_malformed') {
  constructor(problem: string) {
    super(`The profile that UCP-Agent names is not a UCP profile: ${problem}.`, { details: { next_actions: [ourProfile] } });
  }
}

/** 422: the agent speaks another version. */
export class VersionUnsupported extends declareError(422, 'version_unsupported') {
  constructor(version: string) {
    const supported = versions.map(({ name }) => name);
    super(`Version ${version} of UCP is not supported: use ${supported.join(' or ')}.`, {
      details: { supported_versions: supported, next_actions: [ourProfile] },
    });
  }
}

/** The agent has no capability that this request needs. UCP answers it with 200 and an envelope. */
export class CapabilitiesIncompatible extends declareError(422, 'capabilities_incompatible') {
  /** That of the answer. */
  readonly version: string;
  constructor(needed: string, version: string) {
    super(`Your profile does not name ${needed} in a supported version.`, {
      details: { service: shoppingService, next_actions: [ourProfile] },
    });
    this.version = version;
  }
}

/** The request chooses what the merchant does not have. UCP answers it with messages, and the checkout stays as it was. */
export class RequestRefused extends ValidationFailed {
  readonly messages: readonly UcpMessage[];
  constructor(messages: readonly UcpMessage[]) {
    super(messages.map(({ code, content, path = '$' }) => ({ path: [path], message: content, rule: code })));
    this.messages = messages;
  }
}

/** There is no such merchant, so none of its checkouts. UCP answers it with 200 and an envelope. */
export class NoSession extends NotFound {}

/** The merchant is there, but has nothing of this id. UCP answers it with 200 and an envelope. */
export class NothingFound extends NotFound {
  readonly content: string;
  constructor(content: string) {
    super();
    this.content = content;
  }
}

/** 400: more is asked for at once than is answered. */
export class RequestTooLarge extends declareError(400, 'request_too_large') {
  constructor(member: string, most: number) {
    const message = `must have at most ${most} entries`;
    super(`${member} ${message}.`, { fields: [{ path: [member], message, rule: 'max' }], details: { most } });
  }
}

/** 401: the signature is wrong, too old, or does not cover what it must. */
export class SignatureInvalid extends declareError(401, 'signature_invalid') {
  constructor(problem: string) {
    super(`The signature of the request is not valid: ${problem}.`);
  }
}

/** 401: one of the two fields of a signature is there without the other. */
export class SignatureMissing extends declareError(401, 'signature_missing') {
  constructor() {
    super('A signed request has both Signature-Input and Signature.');
  }
}

/** 401: the profile lists no such key. */
export class KeyNotFound extends declareError(401, 'key_not_found') {
  constructor(keyId: string) {
    super(`The profile lists no signing key named ${JSON.stringify(keyId.slice(0, 100))}.`);
  }
}

/** 400: the body is not the one that was signed. */
export class DigestMismatch extends declareError(400, 'digest_mismatch') {
  constructor() {
    const message = 'must be the sha-256 of the bytes of the body';
    super(`Content-Digest ${message}.`, { fields: [{ path: ['Content-Digest'], message, rule: 'digest' }] });
  }
}

/** 400: the key is of a kind that is not checked here. */
export class AlgorithmUnsupported extends declareError(400, 'algorithm_unsupported') {
  constructor() {
    const message = 'must be of a P-256 key (ES256) or an Ed25519 key (EdDSA)';
    super(`The signature ${message}.`, { fields: [{ path: ['Signature'], message, rule: 'algorithm' }] });
  }
}

/** The instrument is none that pays here. UCP answers it with the checkout and a message. */
export class PaymentRefused extends declareError(422, 'payment_invalid') {
  constructor(message: string) {
    super(message, { details: { retry: { safe: true, same_key: true } } });
  }
}

// `ap2.checkout_mandate`: an SD-JWT by which the agent's provider says that the buyer agreed to exactly these terms. It proves consent and
// pays nothing; what is checked, and what UCP leaves open about it, is Gap G-265.
import { isDeepStrictEqual } from 'node:util';
import { compactVerify, errors, importJWK, type JWK } from 'jose';
import { sha256 } from '../../platform/crypto.js';
import type { Platform } from '../../platform/ctx.js';
import { declareError } from '../../platform/errors.js';
import type { AgentProfile } from './agent-profile.js';
import { isAuthorized } from './merchant-authorization.js';

/** The codes of the AP2 extension. */
type MandateCode =
  | 'mandate_required'
  | 'agent_missing_key'
  | 'mandate_invalid_signature'
  | 'mandate_expired'
  | 'mandate_scope_mismatch'
  | 'merchant_authorization_invalid'
  | 'merchant_authorization_missing';

/** The mandate proves nothing. UCP answers it with the checkout and a message of this code. */
export class MandateRefused extends declareError(422, 'payment_invalid') {
  readonly reason: MandateCode;
  constructor(reason: MandateCode, message: string) {
    super(message, { details: { reason, retry: { safe: true, same_key: true } } });
    this.reason = reason;
  }
}

type Json = Record<string, unknown>;

/** The terms that a mandate has to be about. */
export interface Terms {
  id: unknown;
  currency: unknown;
  line_items: unknown;
  totals: unknown;
}

/** Throws `MandateRefused` unless the SD-JWT is signed by a key of the profile, is current, and embeds these terms with our signature. */
export async function checkMandate(
  platform: Platform,
  mandate: string | undefined,
  { keys }: Pick<AgentProfile, 'keys'>,
  terms: Terms,
): Promise<void> {
  if (mandate === undefined) throw new MandateRefused('mandate_required', 'AP2 was agreed on: send ap2.checkout_mandate.');
  const { claims, binding } = await readSdJwt(mandate, keys);
  const now = platform.clock.now().getTime() / 1000;
  if (typeof claims['exp'] !== 'number' || claims['exp'] <= now) throw new MandateRefused('mandate_expired', 'The mandate has expired.');
  await checkBinding(claims, binding);
  const embedded = claims['checkout'];
  if (!isObject(embedded)) throw new MandateRefused('mandate_scope_mismatch', 'The mandate has no claim `checkout` with the terms.');
  const authorization = isObject(embedded['ap2']) ? embedded['ap2']['merchant_authorization'] : undefined;
  if (typeof authorization !== 'string') {
    throw new MandateRefused('merchant_authorization_missing', 'The checkout in the mandate has no ap2.merchant_authorization.');
  }
  if (!(await isAuthorized(platform, embedded, authorization))) {
    throw new MandateRefused('merchant_authorization_invalid', 'The checkout in the mandate is not one that was signed here.');
  }
  const same = (['id', 'currency', 'line_items', 'totals'] as const).every((member) =>
    isDeepStrictEqual(embedded[member], JSON.parse(JSON.stringify(terms[member]))),
  );
  if (!same) throw new MandateRefused('mandate_scope_mismatch', 'The mandate is about another checkout, or about other terms of this one.');
}

interface SdJwt {
  claims: Json;
  /** What binds it to its holder: the JWT at its end, and the text that this has to name. */
  binding: { jwt: string; bound: string } | null;
}

/** The algorithm that AP2 and our own keys share. */
const algorithms = ['ES256'];

async function readSdJwt(text: string, keys: AgentProfile['keys']): Promise<SdJwt> {
  const [jwt = '', ...rest] = text.split('~');
  const last = rest.at(-1) ?? '';
  const hasBinding = last.includes('.');
  const disclosures = (hasBinding ? rest.slice(0, -1) : rest).filter((part) => part !== '');
  if (!keys.some(({ kty, crv }) => kty === 'EC' && crv === 'P-256')) {
    throw new MandateRefused('agent_missing_key', 'The profile lists no P-256 key that could have signed a mandate.');
  }
  const payload = await verified(jwt, keys);
  return {
    claims: disclosed(payload, disclosures),
    binding: hasBinding ? { jwt: last, bound: text.slice(0, text.length - last.length) } : null,
  };
}

async function verified(jwt: string, keys: AgentProfile['keys']): Promise<Json> {
  try {
    const { payload } = await compactVerify(jwt, ({ kid }) => keyNamed(keys, kid), { algorithms });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (isObject(claims)) return claims;
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof SyntaxError)) throw error;
  }
  throw new MandateRefused('mandate_invalid_signature', 'The mandate is not signed by a key of the profile, with ES256.');
}

async function keyNamed(keys: AgentProfile['keys'], kid: string | undefined) {
  const jwk = keys.find((key) => kid !== undefined && key.kid === kid && key.kty === 'EC' && key.use !== 'enc');
  if (jwk === undefined) throw new errors.JWKSNoMatchingKey();
  const { kty, crv, x, y } = jwk;
  return importKey({ kty, crv, x, y } as JWK);
}

async function importKey(jwk: JWK) {
  try {
    return await importJWK(jwk, 'ES256');
  } catch {
    throw new errors.JWKInvalid();
  }
}

/** A mandate with `cnf` is worth nothing without the proof of its holder, made for these very disclosures. */
async function checkBinding({ cnf }: Json, binding: SdJwt['binding']): Promise<void> {
  if (cnf === undefined && binding === null) return;
  const jwk = isObject(cnf) ? cnf['jwk'] : undefined;
  const refuse = () => new MandateRefused('mandate_invalid_signature', 'The key binding of the mandate does not hold.');
  if (binding === null || !isObject(jwk)) throw refuse();
  try {
    const { payload } = await compactVerify(binding.jwt, () => importKey(jwk as JWK), { algorithms });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (isObject(claims) && claims['sd_hash'] === sha256(binding.bound).toString('base64url')) return;
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof SyntaxError)) throw error;
  }
  throw refuse();
}

/** Levels of nesting that disclosures may have. */
const deepest = 16;

/** The claims with what was disclosed put in its places (SD-JWT 7.1). A disclosure that nothing names changes nothing. */
function disclosed(payload: Json, disclosures: readonly string[]): Json {
  const byDigest = new Map(disclosures.map((text) => [sha256(text).toString('base64url'), parseDisclosure(text)]));
  const fill = (value: unknown, depth: number): unknown => {
    if (depth > deepest) return undefined;
    if (Array.isArray(value)) return value.flatMap((element) => fillElement(element, depth));
    if (!isObject(value)) return value;
    const { _sd: digests, _sd_alg: _, ...open } = value;
    const members = Object.entries(open).map(([name, member]) => [name, fill(member, depth + 1)] as const);
    const found = (Array.isArray(digests) ? digests : []).flatMap((digest) => {
      const disclosure = byDigest.get(String(digest));
      if (disclosure?.length !== 3 || String(disclosure[1]) in open) return [];
      return [[String(disclosure[1]), fill(disclosure[2], depth + 1)] as const];
    });
    return Object.fromEntries([...members, ...found]);
  };
  const fillElement = (element: unknown, depth: number): unknown[] => {
    const digest = isObject(element) ? element['...'] : undefined;
    if (digest === undefined) return [fill(element, depth + 1)];
    const disclosure = byDigest.get(String(digest));
    return disclosure?.length === 2 ? [fill(disclosure[1], depth + 1)] : [];
  };
  return fill(payload, 0) as Json;
}

/** `[salt, name, value]`, of an element of an array `[salt, value]`; empty for anything else. */
function parseDisclosure(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// `ap2.checkout_mandate`: an SD-JWT by which the agent's provider says that the buyer agreed to exactly these terms. It proves consent and
// pays nothing.
import { isDeepStrictEqual } from 'node:util';
import { compactVerify, errors, importJWK } from 'jose';
import { sha256 } from '../../platform/crypto.js';
import type { Platform } from '../../platform/ctx.js';
import { declareError } from '../../platform/errors.js';
import { checkJson } from '../../platform/schema/scalar.js';
import type { AgentProfile } from './agent-profile.js';
import { disclosedClaims } from './disclosure.js';
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

/** What a mandate has to be about: the checkout as it is printed. */
export type CheckoutTerms = Readonly<Record<string, unknown>>;

const termNames = ['id', 'currency', 'line_items', 'totals', 'buyer'] as const;

/** What the buyer agrees to. Of delivery it is what was chosen; what else there was to choose changes with the day. */
function termsOf(checkout: CheckoutTerms): Json {
  const { methods = [] } = (checkout['fulfillment'] ?? {}) as { methods?: { groups: Json[] }[] };
  const delivery = methods.map(({ groups, ...method }) => ({ ...method, groups: groups.map(({ options: _, ...group }) => group) }));
  return { ...Object.fromEntries(termNames.map((name) => [name, checkout[name]])), delivery };
}

// Gap G-287: A checkout mandate has the terms in `checkout`; its `sd_hash` is checked, `aud` and `nonce` are not.
/**
 * Throws `MandateRefused` unless the SD-JWT is signed by a key of the profile, is current, and embeds the terms of now with our signature.
 * `termsIn`: these terms, as they are answered in a version of UCP.
 */
export async function checkMandate(
  platform: Platform,
  mandate: string | undefined,
  { keys }: Pick<AgentProfile, 'keys'>,
  termsIn: (version: unknown) => Promise<CheckoutTerms>,
): Promise<void> {
  if (mandate === undefined) throw new MandateRefused('mandate_required', 'AP2 was agreed on: send ap2.checkout_mandate.');
  const { claims, binding } = await readSdJwt(mandate, keys);
  checkTimes(claims, platform.clock.now().getTime() / 1000);
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
  const { version } = (embedded['ucp'] ?? {}) as Json;
  const now = JSON.parse(JSON.stringify(await termsIn(version))) as Json;
  // Embedded is what we have signed, so it has our shape.
  if (isDeepStrictEqual(termsOf(embedded), termsOf(now))) return;
  throw new MandateRefused('mandate_scope_mismatch', 'The mandate is about another checkout, or about other terms of this one.');
}

/** `now` in seconds. `exp` is required, `nbf` counts where it is there. */
function checkTimes({ exp, nbf }: Json, now: number): void {
  if (typeof exp !== 'number' || exp <= now) throw new MandateRefused('mandate_expired', 'The mandate has expired.');
  if (nbf === undefined || (typeof nbf === 'number' && nbf <= now)) return;
  throw new MandateRefused('mandate_expired', 'The mandate is not valid yet.');
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
  const claims = disclosedClaims(await verified(jwt, keys), disclosures);
  if (claims === null || !isPlain(claims)) {
    throw new MandateRefused('mandate_invalid_signature', 'The disclosures of the mandate are not those that were signed.');
  }
  return {
    claims,
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
  return publicKey(jwk);
}

/** The public half of a P-256 key. What else a JWK says is not looked at: it may be anything. */
async function publicKey({ kty, crv, x, y }: Readonly<Record<string, unknown>>) {
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') throw new errors.JWKInvalid();
  try {
    return await importJWK({ kty, crv, x, y }, 'ES256');
  } catch {
    throw new errors.JWKInvalid();
  }
}

/** A mandate with `cnf` is worth nothing without the proof of its holder, made for these very disclosures. */
async function checkBinding({ cnf }: Json, binding: SdJwt['binding']): Promise<void> {
  if (cnf === undefined && binding === null) return;
  const jwk = isObject(cnf) ? cnf['jwk'] : undefined;
  const refuse = () => new MandateRefused('mandate_invalid_signature', 'The key binding of the mandate is not valid.');
  if (binding === null || !isObject(jwk)) throw refuse();
  try {
    const { payload } = await compactVerify(binding.jwt, () => publicKey(jwk), { algorithms });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (isObject(claims) && claims['sd_hash'] === sha256(binding.bound).toString('base64url')) return;
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof SyntaxError)) throw error;
  }
  throw refuse();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for what canonical JSON can spell: numbers are finite and texts well formed, unlike what a JWT may hold. */
function isPlain(claims: Json): boolean {
  try {
    checkJson(claims);
    return true;
  } catch {
    return false;
  }
}

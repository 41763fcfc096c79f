// Who signed a request that a seller got (Web Bot Auth, TAP): an agent of the platform, by the key that counts now. Nothing is fetched, and
// the answer lets nobody in: what it is worth is the seller's to decide.
import { addSeconds } from '../../../platform/clock.js';
import { sha256 } from '../../../platform/crypto.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ValidationFailed } from '../../../platform/errors.js';
import {
  covers,
  isCurrent,
  isSameDigest,
  type MessageSignature,
  parseSignatures,
  type SignedMessage,
  signatureBase,
  targetOf,
  verifies,
} from '../../../platform/http-signature.js';
import { printMember } from '../../../platform/structured-field.js';
import { keyThumbprint, verifyingKey } from '../../agents/ed25519.js';
import { type BotProfile, signatureAgentOf, tapTags, webBotTag } from './bot-profile.js';
import { type NamedKey, namedKey } from './named-key.js';
import type { VerifySignatureInput } from './signed-request.input.js';

export const signatureReasons = [
  'no_signature',
  'unknown_profile',
  'unknown_key',
  'unreadable',
  'not_covered',
  'bad_signature',
  'expired',
  'digest_mismatch',
  'replayed_nonce',
] as const;
export type SignatureReason = (typeof signatureReasons)[number];

/** `unverified`: nothing is known about it. `invalid`: it is not what it says. */
export interface SignedRequest {
  outcome: 'verified' | 'invalid' | 'unverified';
  reason: SignatureReason | null;
  profile: BotProfile | null;
  keyId: string | null;
  signatureAgent: string | null;
  tag: string | null;
  covers: readonly string[];
  agentId: string | null;
}

/** Longest life of a signature in seconds: of Web Bot Auth, and of TAP. */
const longestLife = { wba: 86_400, tap: 480 };
/** Signatures of one request that are looked at. */
const mostSignatures = 4;

/** 400 for what is no request. Everything else is an answer: a request need not be signed. */
export async function verifySignedRequest(ctx: Ctx, input: VerifySignatureInput): Promise<SignedRequest> {
  const message = messageOf(input);
  const [fields, values] = [message.field('signature-input'), message.field('signature')];
  if (fields === undefined && values === undefined) return { ...nothing, outcome: 'unverified', reason: 'no_signature' };
  const signatures = parseSignatures(fields ?? '', values ?? '');
  if (signatures === null) return { ...nothing, outcome: 'invalid', reason: 'unreadable' };
  const signature = signatures.slice(0, mostSignatures).find(({ tag = '' }) => tag === webBotTag || tapTags.includes(tag));
  if (signature === undefined) return { ...nothing, ...factsOf(signatures[0]), outcome: 'unverified', reason: 'unknown_profile' };
  const found = await findSigner(ctx, signature, message, input.contentDigest ?? undefined);
  return { ...nothing, ...factsOf(signature), ...found };
}

const nothing = { profile: null, keyId: null, signatureAgent: null, tag: null, covers: [], agentId: null };

function factsOf(signature: MessageSignature | undefined): Partial<SignedRequest> {
  if (signature === undefined) return {};
  return {
    keyId: signature.keyId ?? null,
    tag: signature.tag ?? null,
    covers: signature.covered.items.map((item) => printMember(item)),
  };
}

type Finding = Pick<SignedRequest, 'outcome' | 'reason'> & Partial<SignedRequest>;
const invalid = (reason: SignatureReason): Finding => ({ outcome: 'invalid', reason });

async function findSigner(ctx: Ctx, signature: MessageSignature, message: SignedMessage, digest: string | undefined): Promise<Finding> {
  const agent = signatureAgentOf(signature, message.field('signature-agent'));
  if (agent === null || !isComplete(signature)) return invalid('not_covered');
  const known = { profile: agent.profile, signatureAgent: agent.address };
  const key = await namedKey(ctx, signature.keyId ?? '', agent.address);
  if (key === null) return { ...known, outcome: 'unverified', reason: 'unknown_key' };
  const base = signatureBase(message, signature);
  if (base === null || !verifies({ key: verifyingKey(key.publicKey), alg: 'ed25519' }, signature, base))
    return { ...known, ...invalid('bad_signature') };
  if (!isInTime(signature, ctx.platform.clock.now())) return { ...known, ...invalid('expired') };
  if (digest !== undefined && covers(signature, 'content-digest') && !isSameDigest(message.field('content-digest') ?? '', digest))
    return { ...known, ...invalid('digest_mismatch') };
  if (!(await useNonce(ctx, signature, key))) return { ...known, ...invalid('replayed_nonce') };
  return { ...known, outcome: 'verified', reason: null, agentId: key.agentId };
}

const isTap = ({ tag }: MessageSignature): boolean => tag !== webBotTag;

/** Whether it covers, and says, what its profile asks of every signature. */
function isComplete(signature: MessageSignature): boolean {
  const { created, expires, keyId, nonce } = signature;
  if (created === undefined || expires === undefined || keyId === undefined) return false;
  const isForHost = covers(signature, '@authority') || covers(signature, '@target-uri');
  return isForHost && (!isTap(signature) || (nonce !== undefined && (covers(signature, '@path') || covers(signature, '@target-uri'))));
}

function isInTime(signature: MessageSignature, now: Date): boolean {
  const { created = 0, expires = 0 } = signature;
  const life = expires - created;
  return life > 0 && life <= (isTap(signature) ? longestLife.tap : longestLife.wba) && isCurrent({ created, expires }, now);
}

/** Uses a nonce up, for the workspace that asks. False when it was used already. Without one there is nothing to use up. */
async function useNonce(ctx: Ctx, { nonce, expires = 0 }: MessageSignature, { publicKey }: NamedKey): Promise<boolean> {
  if (nonce === undefined) return true;
  const hash = sha256(`${keyThumbprint(publicKey)} ${nonce}`);
  // Kept past its end, for clocks differ.
  const keptUntil = addSeconds(new Date(expires * 1_000), 3_600);
  const { count } = await ctx.db.signatureNonce.createMany({ data: [{ hash, keptUntil }], skipDuplicates: true });
  return count === 1;
}

const addressPattern = /^(https?):\/\/([a-z0-9]+(?:[.-]+[a-z0-9]+)*(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)(\/[!-"$-~]*)?$/i;
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** Header fields of a request that are taken. */
const mostFields = 100;

/** The request, as the seller says that it was. 400 for an address or header fields that no request has. */
function messageOf({ method, url, headers }: VerifySignatureInput): SignedMessage {
  const [, scheme = '', authority = '', target = '/'] = addressPattern.exec(url) ?? [];
  if (authority === '') throw refused('url', 'must be the whole address of a request, by http or https, without a fragment', 'url');
  const fields = new Map<string, string>();
  const given = Object.entries(headers as Record<string, unknown>);
  if (given.length > mostFields) throw refused('headers', `must be at most ${mostFields} fields`, 'max');
  for (const [name, value] of given) {
    const lower = name.toLowerCase();
    if (!fieldName.test(name) || typeof value !== 'string')
      throw refused('headers', 'must be texts by the names of header fields', 'header');
    if (fields.has(lower)) throw refused('headers', `must have ${lower} once: join its lines with ", "`, 'header');
    fields.set(lower, value);
  }
  const derived = targetOf(method, { scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https', authority, target });
  return { derived, field: (name) => fields.get(name) };
}

function refused(member: string, message: string, rule: string): ValidationFailed {
  return new ValidationFailed([{ path: ['input', member], message, rule }]);
}

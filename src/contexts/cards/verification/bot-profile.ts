// Which profile of HTTP message signatures a bot signed by, as the signature and its Signature-Agent show it: the two drafts of Web Bot
// Auth, the form before them, and TAP of the card networks (docs/protocols.md).
import { covers, type MessageSignature } from '../../../platform/http-signature.js';
import { parseDictionary } from '../../../platform/structured-field.js';

export type BotProfile = 'wba-01' | 'wba-00' | 'wba-legacy' | 'tap' | 'jws';

export const botProfileText =
  '`wba-01` and `wba-00`, the drafts of Web Bot Auth; `wba-legacy`, its form before them; `tap`, that of the card networks; `jws`.';

export const webBotTag = 'web-bot-auth';
export const paymentTag = 'agent-payer-auth';
const browseTag = 'agent-browser-auth';
export const tapTags: readonly string[] = [browseTag, paymentTag];

/** What a `Signature-Agent` field says about one signature. */
export interface SignatureAgent {
  profile: BotProfile;
  /** The address of the keys of the agent; null where the field does not say it to this signature. */
  address: string | null;
}

/**
 * The profile of a signature, and the address that it covers; null where the field is not covered as it has to be. A signature of Web Bot
 * Auth speaks for the member of its own label and for no other; a bare String, the form before the drafts, is that of every label. `field`
 * is undefined where the request has none.
 */
export function signatureAgentOf(signature: MessageSignature, field: string | undefined): SignatureAgent | null {
  const { label, tag } = signature;
  const isTap = tag !== webBotTag;
  if (field === undefined) return { profile: isTap ? 'tap' : 'wba-00', address: null };
  if (!covers(signature, 'signature-agent', isTap ? undefined : label)) return null;
  const bare = stringOf(parseDictionary(`bare=${field.trim()}`), 'bare');
  const members = parseDictionary(field);
  const own = covers(signature, 'signature-agent', label) ? members?.get(label) : undefined;
  const address = bare ?? stringOf(members, label);
  if (isTap) return { profile: 'tap', address: own === undefined && bare === null ? null : address };
  if (members === null) return { profile: 'wba-legacy', address: bare };
  const isByKey = signature.covered.items.some(({ value, parameters }) => value.value === 'signature-agent' && parameters.size > 0);
  return { profile: isByKey && own?.parameters.size === 0 ? 'wba-01' : 'wba-00', address };
}

/** The text of a member that is a String; null for any other. */
function stringOf(members: ReturnType<typeof parseDictionary>, key: string): string | null {
  const member = members?.get(key);
  return member?.kind === 'item' && member.value.type === 'string' ? member.value.value : null;
}

// What a pack says, in sentences. Amounts and times stand as they are in it.
import { type Json, listIn, member, textIn } from './json.js';
import type { Leaf } from './pack.js';
import type { Verdict } from './verify.js';

type Whole = Extract<Verdict, { outcome: 'anchored' | 'own' }>;

const hidden = 'The reader of this file may not see';

/** What happened, each sentence with the leaf that carries it. */
export function tell({ pack, head, paid, outcome }: Whole): string[] {
  const leaf = paid.leaf;
  return [
    ...authority(leaf),
    ...limits(pack.leaves),
    ...offered(pack.leaves),
    ...money(leaf, paid.money),
    ...pack.leaves.filter(({ role }) => role === 'refund').flatMap(refunded),
    ...pack.leaves.flatMap(delivered),
    `Log ${head.origin}: leaf ${leaf.index} under the head of ${head.size} leaves, signed by ${head.signedBy.map(({ vkey }) => vkey).join(', ')}.`,
    outcome === 'anchored'
      ? 'That head is anchored in a key or a head that you gave.'
      : 'Only the keys in this file say so: compare them with what the platform has told you, or give --key or --head.',
  ];
}

function authority({ index, parts }: Leaf): string[] {
  const [act, by] = [parts.get('act'), parts.get('authority')];
  if (act === undefined && by === undefined) return [`${hidden} who authorized it.`];
  const actor = member(act, 'actor');
  const via = textIn(member(act, 'via'), 'kind');
  const who = textIn(by, 'agent_id') ?? textIn(actor, 'id') ?? textIn(actor, 'type') ?? 'the platform';
  const lines = [`Authorized by ${who}${via === undefined ? '' : ` with ${via === 'api_key' ? 'an' : 'a'} ${via}`} [leaf ${index}].`];
  const mandate = member(by, 'mandate');
  if (mandate !== undefined) lines.push(`Under mandate ${textIn(mandate, 'id')}, version ${member(mandate, 'version')} [leaf ${index}].`);
  const approval = textIn(member(by, 'approval'), 'id');
  if (approval !== undefined) lines.push(`Approved by people: ${approval} [leaf ${index}].`);
  return lines;
}

function limits(leaves: readonly Leaf[]): string[] {
  return leaves.flatMap(({ index, parts }) => {
    const [decision, figures] = [parts.get('decision'), parts.get('figures')];
    const counted = listIn(decision, 'checks').filter((check) => textIn(check, 'outcome') === 'counted');
    return counted.map((check, n) => {
      const currency = textIn(check, 'currency') ?? 'payments';
      const used = Array.isArray(figures) ? member((figures as Json[])[n], 'used') : undefined;
      const max = member(check, 'max');
      const before = used === undefined ? '' : ` ${used} used before,`;
      return `Limit of ${max === null ? 'any' : max} ${currency} per ${textIn(check, 'per')}:${before} ${member(check, 'requested')} now (${textIn(check, 'rule_id')}) [leaf ${index}].`;
    });
  });
}

function offered(leaves: readonly Leaf[]): string[] {
  return leaves.flatMap(({ index, parts }) => {
    const offer = parts.get('offer');
    return offer === undefined ? [] : [`Shown before: an offer of ${textIn(offer, 'kind')}, ${textIn(offer, 'id')} [leaf ${index}].`];
  });
}

function money({ index }: Leaf, paid: Json | undefined): string[] {
  if (paid === undefined) return [`${hidden} what was paid.`];
  const side = (name: string) => textIn(member(paid, name), 'wallet_id') ?? 'outside';
  const amount = `${textIn(paid, 'amount')} ${textIn(paid, 'currency')}`;
  const lines = [`Paid: ${amount} from ${side('from')} to ${side('to')} at ${textIn(paid, 'at')} [leaf ${index}].`];
  if (unequalToZero(textIn(paid, 'fee'))) lines.push(`Fee: ${textIn(paid, 'fee')} ${textIn(paid, 'currency')} [leaf ${index}].`);
  return lines;
}

const unequalToZero = (text: string | undefined): boolean => text !== undefined && /[1-9]/.test(text);

function refunded({ index, parts }: Leaf): string[] {
  const back = parts.get('money');
  return back === undefined ? [] : [`Refunded: ${textIn(back, 'amount')} ${textIn(back, 'currency')} at ${textIn(back, 'at')} [leaf ${index}].`];
}

function delivered({ index, parts }: Leaf): string[] {
  const said = parts.get('delivery');
  return said === undefined ? [] : [`Delivered, says the ${textIn(member(said, 'by'), 'side')}: SHA-256 ${textIn(said, 'sha256')} [leaf ${index}].`];
}

// What a pack says, in sentences. Amounts and times stand as they are in it.
import { type Json, listIn, member, textIn } from './json.js';
import type { Leaf } from './pack.js';
import type { Verdict } from './verify.js';

type Whole = Extract<Verdict, { outcome: 'anchored' | 'own' }>;

const hidden = 'This file does not show';

/** A sentence without its full stop, and the leaf that carries it; null where the file does not show it. */
export interface Statement {
  text: string;
  leaf: bigint | null;
}

/** What happened, each sentence with the leaf that carries it. */
export function statementsOf({ pack, paid }: Whole): Statement[] {
  const leaf = paid.leaf;
  return [
    ...authority(leaf),
    ...limits(pack.leaves),
    ...offered(pack.leaves),
    ...money(leaf, paid.money),
    ...pack.leaves.filter(({ role }) => role === 'refund').flatMap(refunded),
    ...pack.leaves.flatMap(delivered),
  ];
}

/** What happened as lines of text, and where it stands. */
export function tell(verdict: Whole): string[] {
  const { head, paid, outcome } = verdict;
  return [
    ...statementsOf(verdict).map(({ text, leaf }) => (leaf === null ? `${text}.` : `${text} [leaf ${leaf}].`)),
    `Log ${head.origin}: leaf ${paid.leaf.index} under the head of ${head.size} leaves, signed by ${head.signedBy.map(({ vkey }) => vkey).join(', ')}.`,
    outcome === 'anchored'
      ? 'That head is anchored in a key or a head that you gave.'
      : 'Only the keys in this file say so: compare them with what the platform has told you, or give --key or --head.',
  ];
}

function authority({ index, parts }: Leaf): Statement[] {
  const [act, by] = [parts.get('act'), parts.get('authority')];
  if (act === undefined && by === undefined) return [{ text: `${hidden} who authorized it`, leaf: null }];
  const actor = member(act, 'actor');
  const via = textIn(member(act, 'via'), 'kind');
  const who = textIn(by, 'agent_id') ?? textIn(actor, 'id') ?? textIn(actor, 'type') ?? 'the platform';
  const means = via === undefined ? '' : ` with ${via === 'api_key' ? 'an' : 'a'} ${via}`;
  const lines = [{ text: `Authorized by ${who}${means}`, leaf: index }];
  const mandate = member(by, 'mandate');
  if (mandate !== undefined) lines.push({ text: `Under mandate ${textIn(mandate, 'id')}, version ${member(mandate, 'version')}`, leaf: index });
  const approval = textIn(member(by, 'approval'), 'id');
  if (approval !== undefined) lines.push({ text: `Approved by people: ${approval}`, leaf: index });
  return lines;
}

function limits(leaves: readonly Leaf[]): Statement[] {
  return leaves.flatMap(({ index, parts }) => {
    const [decision, figures] = [parts.get('decision'), parts.get('figures')];
    const counted = listIn(decision, 'checks').filter((check) => textIn(check, 'outcome') === 'counted');
    return counted.map((check, n) => {
      const currency = textIn(check, 'currency') ?? 'payments';
      const used = Array.isArray(figures) ? member((figures as Json[])[n], 'used') : undefined;
      const max = member(check, 'max');
      const before = used === undefined ? '' : ` ${used} used before,`;
      return { text: `Limit of ${max === null ? 'any' : max} ${currency} per ${textIn(check, 'per')}:${before} ${member(check, 'requested')} now (${textIn(check, 'rule_id')})`, leaf: index };
    });
  });
}

function offered(leaves: readonly Leaf[]): Statement[] {
  return leaves.flatMap(({ index, parts }) => {
    const offer = parts.get('offer');
    return offer === undefined ? [] : [{ text: `Shown before: an offer of ${textIn(offer, 'kind')}, ${textIn(offer, 'id')}`, leaf: index }];
  });
}

function money({ index }: Leaf, paid: Json | undefined): Statement[] {
  if (paid === undefined) return [{ text: `${hidden} what was paid`, leaf: null }];
  const side = (name: string) => textIn(member(paid, name), 'wallet_id') ?? 'outside';
  const amount = `${textIn(paid, 'amount')} ${textIn(paid, 'currency')}`;
  const lines = [{ text: `Paid: ${amount} from ${side('from')} to ${side('to')} at ${textIn(paid, 'at')}`, leaf: index }];
  if (unequalToZero(textIn(paid, 'fee'))) lines.push({ text: `Fee: ${textIn(paid, 'fee')} ${textIn(paid, 'currency')}`, leaf: index });
  return lines;
}

const unequalToZero = (text: string | undefined): boolean => text !== undefined && /[1-9]/.test(text);

function refunded({ index, parts }: Leaf): Statement[] {
  const back = parts.get('money');
  return back === undefined ? [] : [{ text: `Refunded: ${textIn(back, 'amount')} ${textIn(back, 'currency')} at ${textIn(back, 'at')}`, leaf: index }];
}

function delivered({ index, parts }: Leaf): Statement[] {
  const said = parts.get('delivery');
  return said === undefined ? [] : [{ text: `Delivered, says the ${textIn(member(said, 'by'), 'side')}: SHA-256 ${textIn(said, 'sha256')}`, leaf: index }];
}

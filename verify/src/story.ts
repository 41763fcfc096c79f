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
export function statementsOf({ pack: { leaves }, paid }: Whole): Statement[] {
  const { leaf } = paid;
  return [
    ...authority(leaf),
    ...leaves.flatMap((one) => (one.role === 'refund' ? [] : limits(one))),
    ...leaves.flatMap((one) => say(one, offered(one.parts.get('offer')))),
    ...leaves.flatMap((one) => (one.role === 'hold' ? say(one, moved('Held', one.parts.get('money'))) : [])),
    ...money(leaf, paid.money),
    ...leaves.flatMap((one) => (one.role === 'refund' ? say(one, moved('Refunded', one.parts.get('money'))) : [])),
    ...leaves.flatMap((one) => say(one, delivered(one.parts.get('delivery')))),
    ...leaves.flatMap((one) => (one.role === 'dispute' ? say(one, disputed(one.parts.get('outcome'))) : [])),
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

/** A sentence of a leaf; none where the leaf does not show what it would say. */
const say = ({ index }: Leaf, text: string | undefined): Statement[] => (text === undefined ? [] : [{ text, leaf: index }]);

const plain = (word: string | undefined): string => (word === 'api_key' ? 'API key' : (word ?? '').replaceAll('_', ' '));
const withArticle = (word: string): string => `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word}`;

function authority(leaf: Leaf): Statement[] {
  const [act, by] = [leaf.parts.get('act'), leaf.parts.get('authority')];
  if (act === undefined && by === undefined) return [{ text: `${hidden} who authorized it`, leaf: null }];
  const actor = member(act, 'actor');
  const via = textIn(member(act, 'via'), 'kind');
  const who = textIn(by, 'agent_id') ?? textIn(actor, 'id') ?? textIn(actor, 'type') ?? 'the platform';
  const approval = member(by, 'approval');
  const texts = [
    `Authorized by ${who}${via === undefined ? '' : ` with ${withArticle(plain(via))}`}`,
    ...mandate(member(by, 'mandate')),
    ...(approval === undefined ? [] : [`It waited for the approval ${textIn(approval, 'id')}`]),
    ...listIn(approval, 'votes').map((vote) => `Approved by ${textIn(vote, 'id')} over ${textIn(vote, 'via')} at ${textIn(vote, 'at')}`),
    ...(member(by, 'signature') === undefined ? [] : [`Signed by the payer: SHA-256 ${textIn(member(by, 'signature'), 'over_sha256')}`]),
  ];
  return texts.flatMap((text) => say(leaf, text));
}

function mandate(named: Json | undefined): string[] {
  if (named === undefined) return [];
  const version = member(named, 'version');
  return [`Under mandate ${textIn(named, 'id')}${version === undefined ? '' : `, version ${version}`}`];
}

/** Limits of the decision, with figures where the leaf has them. */
function limits(leaf: Leaf): Statement[] {
  const figures = leaf.parts.get('figures');
  const checks = listIn(leaf.parts.get('decision'), 'checks').filter((check) => member(check, 'requested') !== undefined);
  let counted = 0;
  return checks.flatMap((check) => {
    const isCounted = textIn(check, 'outcome') === 'counted';
    const used = isCounted && Array.isArray(figures) ? member((figures as Json[])[counted], 'used') : undefined;
    if (isCounted) counted += 1;
    const max = member(check, 'max');
    // What is counted alone limits nothing.
    if (max === null) return [];
    const before = used === undefined ? '' : ` ${used} used before,`;
    const what = `${max} ${textIn(check, 'currency') ?? 'payments'}`;
    return say(leaf, `Limit of ${what} ${period(textIn(check, 'per'))}:${before} ${member(check, 'requested')} now (${textIn(check, 'rule_id')})`);
  });
}

function period(per: string | undefined): string {
  if (per === 'once') return 'in all';
  return per === 'tx' ? 'per payment' : `per ${per}`;
}

/** What was shown to who paid, before it paid. */
function offered(offer: Json | undefined): string | undefined {
  if (offer === undefined) return undefined;
  const currency = textIn(offer, 'currency');
  const total = textIn(member(offer, 'totals'), 'total');
  const items = listIn(offer, 'items').map(
    (item) => `${member(item, 'quantity')} of ${textIn(item, 'title') ?? textIn(item, 'sku')} at ${textIn(item, 'unit_price')}`,
  );
  const terms = member(offer, 'terms');
  const resource = textIn(offer, 'resource') ?? textIn(offer, 'endpoint_id');
  const destination = textIn(terms, 'destination_amount');
  return [
    `Shown before: an offer of ${textIn(offer, 'kind')}, ${textIn(offer, 'id')}`,
    ...items,
    ...(resource === undefined ? [] : [`for ${resource}`]),
    ...(total === undefined ? [] : [`in all ${total} ${currency}`]),
    ...(destination === undefined ? [] : [`for which the payee gets ${destination} ${textIn(terms, 'destination_currency')}`]),
    ...(textIn(terms, 'pay_to') === undefined ? [] : [`to be paid to ${textIn(terms, 'pay_to')}`]),
  ].join(', ');
}

const amountOf = (paid: Json): string => `${textIn(paid, 'amount')} ${textIn(paid, 'currency')}`;

function moved(how: string, paid: Json | undefined): string | undefined {
  return paid === undefined ? undefined : `${how}: ${amountOf(paid)} at ${textIn(paid, 'at')}`;
}

function money(leaf: Leaf, paid: Json | undefined): Statement[] {
  if (paid === undefined) return [{ text: `${hidden} what was paid`, leaf: null }];
  const side = (name: string) => textIn(member(paid, name), 'wallet_id') ?? 'outside';
  const [fee, destination] = [textIn(paid, 'fee'), textIn(paid, 'destination_amount')];
  const texts = [
    `Paid: ${amountOf(paid)} from ${side('from')} to ${side('to')} at ${textIn(paid, 'at')}`,
    ...(destination === undefined ? [] : [`The payee got ${destination} ${textIn(paid, 'destination_currency')}`]),
    ...(/[1-9]/.test(fee ?? '') ? [`Fee: ${fee} ${textIn(paid, 'currency')}`] : []),
  ];
  return texts.flatMap((text) => say(leaf, text));
}

function delivered(said: Json | undefined): string | undefined {
  return said === undefined ? undefined : `Delivered, says the ${textIn(member(said, 'by'), 'side')}: SHA-256 ${textIn(said, 'sha256')}`;
}

function disputed(came: Json | undefined): string | undefined {
  const [status, resolution] = [textIn(came, 'status'), textIn(came, 'resolution')];
  if (status === undefined) return undefined;
  if (status === 'open') return `Disputed: ${textIn(came, 'amount_disputed')} ${textIn(came, 'currency')}, ${plain(textIn(came, 'reason'))}`;
  return resolution === undefined ? `The dispute is ${plain(status)}` : `The dispute ended: ${plain(resolution)}`;
}

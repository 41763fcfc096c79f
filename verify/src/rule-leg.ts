// What the rules said: the decision, the figures of its limits, and the approvals and mandates behind it.
import { unitsOf } from './amount.js';
import { hold } from './broken.js';
import { type Json, listIn, member, textIn } from './json.js';
import type { Leaf, Pack } from './pack.js';
import type { Paid } from './money-leg.js';

/** A leaf of the payment that has a decision. */
interface Decided {
  leaf: Leaf;
  decision: Json;
}

function decidedIn({ leaves }: Pack): Decided[] {
  return leaves.flatMap((leaf) => {
    const decision = leaf.parts.get('decision');
    return decision === undefined || leaf.role === 'refund' ? [] : [{ leaf, decision }];
  });
}

/** The decision lets the payment pass, and was asked for its amount. */
export function checkDecision(pack: Pack, { money }: Paid): boolean {
  const decided = decidedIn(pack);
  for (const { leaf, decision } of decided) {
    const outcome = textIn(decision, 'outcome');
    hold('decision', outcome === 'allow' || outcome === 'require_approval', `the decision of leaf ${leaf.index} refuses the payment`);
    const failed = listIn(decision, 'checks').some((check) => textIn(check, 'outcome') === 'fail');
    hold('decision', !failed, `a check of the decision of leaf ${leaf.index} refuses the payment`);
    const own = leaf.parts.get('money') ?? money;
    for (const check of listIn(decision, 'checks')) checkRequested(leaf.index, check, own);
  }
  return decided.length > 0;
}

/** A limit of amounts in the currency of the payment was asked for what was paid, or for that and the fee. */
function checkRequested(index: bigint, check: Json, money: Json | undefined): void {
  const currency = textIn(check, 'currency');
  if (money === undefined || currency === undefined || currency !== textIn(money, 'currency')) return;
  const [requested, amount] = [unitsOf(member(check, 'requested')), unitsOf(member(money, 'amount'))];
  const fee = unitsOf(member(money, 'fee') ?? '0') ?? 0n;
  const fits = requested !== undefined && amount !== undefined && (requested === amount || requested === amount + fee);
  hold('decision', fits, `a limit of leaf ${index} was asked for another amount than the payment`);
}

/** No counted limit was passed, but where an approval let it. */
export function checkLimits(pack: Pack): boolean {
  let seen = false;
  for (const { leaf, decision } of decidedIn(pack)) {
    const figures = leaf.parts.get('figures');
    if (figures === undefined) continue;
    const counted = listIn(decision, 'checks').filter((check) => textIn(check, 'outcome') === 'counted');
    const list = Array.isArray(figures) ? (figures as Json[]) : [];
    hold('limits', list.length === counted.length, `leaf ${leaf.index} does not say what each of its limits stood at`);
    const isApproved = textIn(decision, 'outcome') === 'require_approval' || member(leaf.parts.get('authority'), 'approval') !== undefined;
    counted.forEach((check, n) => checkLimit(leaf.index, check, list[n] as Json, isApproved));
    seen = true;
  }
  return seen;
}

function checkLimit(index: bigint, check: Json, figure: Json, isApproved: boolean): void {
  const rule = textIn(check, 'rule_id') ?? '';
  hold('limits', textIn(figure, 'rule_id') === rule, `the figures of leaf ${index} are of other rules than its decision`);
  const [used, requested, max] = [member(figure, 'used'), member(check, 'requested'), member(check, 'max')].map(unitsOf);
  if (member(check, 'max') === null) return;
  const fits = used !== undefined && requested !== undefined && max !== undefined && used + requested <= max;
  hold('limits', fits || isApproved, `the limit ${rule} of leaf ${index} was passed, and nobody approved it`);
}

/** An approval that the payment names was voted on before the money went. */
export function checkApproval({ leaves }: Pack, { leaf }: Paid): boolean {
  const id = textIn(member(leaf.parts.get('authority'), 'approval'), 'id');
  if (id === undefined) return false;
  const votes = leaves.filter(({ role, parts }) => role === 'approval' || textIn(member(parts.get('act'), 'resource'), 'id') === id);
  const other = votes.find(({ parts }) => parts.has('act') && textIn(member(parts.get('act'), 'resource'), 'id') !== id);
  hold('approval', other === undefined || other.index === leaf.index, 'a vote in the pack is on another approval');
  hold('approval', votes.every(({ index }) => index <= leaf.index) || votes.some(({ index }) => index <= leaf.index), 'the approval was given after the payment');
  return true;
}

/** A mandate that the payment names is in the pack, and was made before. */
export function checkMandate({ leaves }: Pack, { leaf }: Paid): boolean {
  const id = textIn(member(leaf.parts.get('authority'), 'mandate'), 'id');
  if (id === undefined) return false;
  const own = leaves.filter(({ role }) => role === 'mandate');
  hold('mandate', own.length === 0 || own.some(({ index }) => index < leaf.index), 'the mandate was made after the payment');
  for (const { index, parts } of own) {
    const about = textIn(member(parts.get('act'), 'resource'), 'id');
    hold('mandate', about === undefined || id.endsWith(about) || about === id, `leaf ${index} is about another mandate`);
  }
  return true;
}

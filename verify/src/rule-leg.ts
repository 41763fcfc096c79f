// What the rules said: the decision, the figures of its limits, and the approvals and mandates behind it.
import { unitsOf } from './amount.js';
import { hold } from './broken.js';
import { bytesOf, hexOf, sha256 } from './bytes.js';
import { type Json, listIn, member, textIn } from './json.js';
import { readStatement } from './jws.js';
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
    const isWaiting = outcome === 'require_approval' && isPaid(leaf) && !isApprovalNamed(leaf);
    hold('decision', !isWaiting, `the decision of leaf ${leaf.index} asks for an approval, and the payment names none`);
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
    const isApproved = isApprovalNamed(leaf) || (textIn(decision, 'outcome') === 'require_approval' && !isPaid(leaf));
    counted.forEach((check, n) => checkLimit(leaf.index, check, list[n] as Json, isApproved));
    seen = true;
  }
  return seen;
}

/** True where the payment names an approval; where the reader may not see what it names, one may be there. */
function isApprovalNamed({ parts }: Leaf): boolean {
  return !parts.has('authority') || member(parts.get('authority'), 'approval') !== undefined;
}

/** True for a leaf whose money has moved. While it is held, the approval that a decision asks for may still be to come. */
const isPaid = ({ role }: Leaf): boolean => role === 'payment' || role === 'capture';

function checkLimit(index: bigint, check: Json, figure: Json, isApproved: boolean): void {
  const rule = textIn(check, 'rule_id') ?? '';
  hold('limits', textIn(figure, 'rule_id') === rule, `the figures of leaf ${index} are of other rules than its decision`);
  const [used, requested, max] = [member(figure, 'used'), member(check, 'requested'), member(check, 'max')].map(unitsOf);
  if (member(check, 'max') === null) return;
  const fits = used !== undefined && requested !== undefined && max !== undefined && used + requested <= max;
  hold('limits', fits || isApproved, `the limit ${rule} of leaf ${index} was passed, and nobody approved it`);
}

/** An approval that the payment names was given before the money went, by the votes that it had. */
export function checkApproval({ leaves }: Pack, { leaf, money }: Paid): boolean {
  const approval = member(leaf.parts.get('authority'), 'approval');
  const id = textIn(approval, 'id');
  if (id === undefined) return false;
  const paidAt = textIn(money, 'at');
  for (const vote of listIn(approval, 'votes')) {
    const at = textIn(vote, 'at');
    hold('approval', at !== undefined && (paidAt === undefined || at <= paidAt), 'a vote was given after the payment');
  }
  const own = leaves.filter(({ role, parts }) => role === 'approval' || textIn(member(parts.get('act'), 'resource'), 'id') === id);
  for (const { index, parts } of own) {
    const about = textIn(member(parts.get('act'), 'resource'), 'id');
    hold('approval', about === undefined || about === id || index === leaf.index, 'a vote in the pack is on another approval');
    const outcome = parts.get('outcome');
    if (textIn(outcome, 'id') === id) checkOutcome(outcome as Json, approval as Json);
  }
  hold('approval', own.length === 0 || own.some(({ index }) => index <= leaf.index), 'the approval was given after the payment');
  return true;
}

/** The leaf of the decision says yes, by the same votes as the payment. */
function checkOutcome(outcome: Json, approval: Json): void {
  hold('approval', textIn(outcome, 'status') === 'approved', 'the approval of the payment was not given');
  const votes = (of: Json) => JSON.stringify(listIn(of, 'votes'));
  hold('approval', votes(outcome) === votes(approval), 'the approval had other votes than the payment says');
}

/** A mandate that the payment names was in force, lets its agent pay so much, and its JWT is the one that was presented. */
export function checkMandate(pack: Pack, { leaf, money }: Paid, jwks: Json | undefined): boolean {
  const paying = pack.leaves.filter(({ role }) => role !== 'refund');
  const named = paying.flatMap(({ parts }) => member(parts.get('authority'), 'mandate') ?? []);
  const [first] = named;
  const id = textIn(first, 'id');
  if (first === undefined || id === undefined) return false;
  hold('mandate', named.every((one) => textIn(one, 'id') === id), 'the leaves of the payment name several mandates');
  const own = pack.leaves.filter(({ role }) => role === 'mandate');
  hold('mandate', own.length === 0 || own.some(({ index }) => index < leaf.index), 'the mandate was made after the payment');
  for (const { index, parts } of own) {
    const about = textIn(member(parts.get('act'), 'resource'), 'id');
    hold('mandate', about === undefined || id.endsWith(about) || about === id, `leaf ${index} is about another mandate`);
  }
  const presented = named.find((one) => member(one, 'version') !== undefined);
  if (presented === undefined) return true;
  const agentId = textIn(leaf.parts.get('authority'), 'agent_id');
  const version = versionIn(own, leaf, presented);
  if (version !== undefined) checkVersion(version, { presented, agentId, money });
  checkJwt(pack, { presented, agentId, money }, jwks);
  return true;
}

/** What the payment says of its mandate, and what is asked of it. */
interface UnderMandate {
  presented: Json;
  agentId: string | undefined;
  money: Json | undefined;
}

/** The version of the mandate that was in force: the last one before the payment. */
function versionIn(own: readonly Leaf[], leaf: Leaf, presented: Json): Json | undefined {
  const before = own.filter(({ index, parts }) => index < leaf.index && parts.has('outcome'));
  return before.map(({ parts }) => parts.get('outcome') as Json).findLast((said) => member(said, 'version') === member(presented, 'version'));
}

function checkVersion(version: Json, { presented, agentId, money }: UnderMandate): void {
  hold('mandate', member(version, 'revoked_at') === null, 'the mandate was revoked before the payment');
  hold('mandate', textIn(version, 'jwt_sha256') === textIn(presented, 'jwt_sha256'), 'the payment was made with another JWT than that of the mandate');
  hold('mandate', agentId === undefined || textIn(version, 'agent_id') === agentId, 'the mandate is of another agent than the one that paid');
  const [until, at] = [textIn(version, 'expires_at'), textIn(money, 'at')];
  hold('mandate', until !== undefined && (at === undefined || at <= until), 'the mandate had expired before the payment');
  checkScope(member(version, 'scope'), money);
}

function checkScope(scope: Json | undefined, money: Json | undefined): void {
  if (money === undefined) return;
  hold('mandate', textIn(scope, 'currency') === textIn(money, 'currency'), 'the mandate is for another currency than the payment');
  const amount = unitsOf(member(money, 'amount'));
  for (const name of ['max_per_tx', 'max_per_day', 'max_per_month']) {
    const max = member(scope, name);
    if (max === undefined) continue;
    const most = unitsOf(max);
    hold('mandate', most !== undefined && amount !== undefined && amount <= most, `the payment is more than ${name} of the mandate`);
  }
}

/** The JWT that is attached is the one that was presented, and says what the payment says. */
function checkJwt({ attached, log }: Pack, { presented, agentId, money }: UnderMandate, jwks: Json | undefined): void {
  const jwt = textIn(attached, 'mandate_jwt');
  if (jwt === undefined) return;
  hold('mandate', hexOf(sha256(bytesOf(jwt))) === textIn(presented, 'jwt_sha256'), 'the JWT is not the one that the leaf of the payment has the hash of');
  const said = readStatement(jwt, jwks ?? member(log, 'jwks'));
  hold('mandate', typeof said !== 'string', `the JWT of the mandate ${said as string}`);
  const { claims, type } = said;
  hold('mandate', type === 'mandate+jwt' && textIn(claims, 'jti') === textIn(presented, 'id'), 'the JWT is of another mandate');
  hold('mandate', member(claims, 'ver') === member(presented, 'version'), 'the JWT is of another version of the mandate');
  hold('mandate', agentId === undefined || textIn(claims, 'sub') === agentId, 'the JWT is of another agent than the one that paid');
  const [until, at] = [member(claims, 'exp'), textIn(money, 'at')];
  const isInTime = typeof until === 'number' && (at === undefined || Date.parse(at) <= (until + 1) * 1000);
  hold('mandate', isInTime, 'the JWT of the mandate had expired before the payment');
  checkScope(member(claims, 'scope'), money);
}

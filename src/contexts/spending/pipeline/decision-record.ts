// Decisions as they are stored: with a posting when a limit took part or an approval is needed, after the answer when a spend was
// refused (CONTRACT.md 6). What a limit had used before a posting stands with its ledger transaction alone, and is read from there.
import type { Decision as DecisionRow, LedgerTransaction } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { printTime, type Row, rowOf } from '../../../platform/postgres/column.js';
import type { KyaCap } from '../policy/kya-limit.js';
import type { EnforcedCard } from './card-rule.js';
import { type Check, type CheckedLimit, type CheckOutcome, decisiveChecks, type Evidence, outcomeOf, settledCheck } from './decision.js';
import type { DecidingLayer } from './layer.js';
import type { LimitPeriod } from './limit.js';
import type { Authority } from './pipeline.js';
import type { SpendFacts } from './rule-result.js';

/** What a decision is about. */
export interface DecisionLinks {
  subjectType: string | null;
  subjectId: string | null;
  approvalId: string | null;
  transactionId: string | null;
}

/** The row of a decision that is made now. */
export function decisionRecord(
  { workspace, clock }: Pick<Ctx, 'workspace' | 'clock'>,
  authority: Authority,
  id: string,
  evidence: Evidence,
  links: DecisionLinks,
): Row {
  const row: DecisionRow = {
    workspaceId: workspace.id,
    id,
    ...outcomeOf(evidence),
    agentId: authority.agentId ?? null,
    ...links,
    input: inputOf(authority) as unknown as DecisionRow['input'],
    checks: decisiveChecks(evidence).map((check) => storeCheck(check, links)) as unknown as DecisionRow['checks'],
    traceId: authority.facts?.traceId ?? null,
    evaluatedAt: clock.now(),
  };
  return rowOf(row);
}

/** What the layers were given: the facts, and the rules in force by id and version. Enough to compute the decision again. */
export interface DecisionInput {
  facts: StoredFacts;
  kya?: StoredCap[];
  policies?: [id: string, version: number][];
  budgets?: [id: string, version: number][];
  rates?: string[];
  mandate?: [id: string, version: number, jwtSha256?: string];
  /** The limits of the vaulted card that pays. */
  card?: StoredCard;
  /** The caller wanted an approval where a policy or a budget refuses. */
  requestApproval?: true;
}

interface StoredCap {
  tier: number;
  currency: string;
  perTx?: string;
  perDay?: string;
  perMonth?: string;
}

interface StoredCard {
  id: string;
  currency: string;
  perTx?: string;
  daily?: string;
  monthly?: string;
  categories?: readonly string[];
}

/** Facts as JSON carries them. What is null is left out, but for a merchant: that there is none is a fact. */
export type StoredFacts = Partial<Omit<SpendFacts, 'at' | 'amount'>> &
  Pick<SpendFacts, 'currency' | 'protocol' | 'payer'> & { at: string; amount: string };

/** What the layers were given for a stored decision. */
export function inputIn({ input }: Pick<DecisionRow, 'input'>): DecisionInput {
  return input as unknown as DecisionInput;
}

function inputOf({ facts, rules, ruleResults, requestApproval }: Authority): DecisionInput {
  if (facts === null) throw new Error('what is no spend is not decided');
  const { kya, policies, budgets, mandate, card } = rules;
  const input: DecisionInput = { facts: storeFacts(facts) };
  if (kya.length > 0) input.kya = kya.map(storeCap);
  if (policies.length > 0) input.policies = policies.map(({ id, version }) => [id, version]);
  if (budgets.length > 0) input.budgets = budgets.map(({ id, version }) => [id, version]);
  if (ruleResults.rateIds.length > 0) input.rates = ruleResults.rateIds;
  if (mandate !== undefined) input.mandate = [mandate.id, mandate.version, mandate.jwtSha256];
  if (card !== undefined) input.card = storeCard(card);
  if (requestApproval === true) input.requestApproval = true;
  return input;
}

function storeFacts(facts: SpendFacts): StoredFacts {
  const stored: Record<string, unknown> = {};
  for (const name in facts) {
    const value = facts[name as keyof SpendFacts];
    if (value !== undefined && (value !== null || name === 'merchant')) stored[name] = value;
  }
  stored['at'] = printTime(facts.at);
  stored['amount'] = String(facts.amount);
  return stored as unknown as StoredFacts;
}

function storeCap({ tier, currency, perTx, perDay, perMonth }: KyaCap): StoredCap {
  const stored: StoredCap = { tier, currency };
  if (perTx !== null) stored.perTx = String(perTx);
  if (perDay !== null) stored.perDay = String(perDay);
  if (perMonth !== null) stored.perMonth = String(perMonth);
  return stored;
}

function storeCard({ id, currency, perTx, daily, monthly, allowedCategories }: EnforcedCard): StoredCard {
  const stored: StoredCard = { id, currency };
  if (perTx !== null) stored.perTx = String(perTx);
  if (daily !== null) stored.daily = String(daily);
  if (monthly !== null) stored.monthly = String(monthly);
  if (allowedCategories.length > 0) stored.categories = allowedCategories;
  return stored;
}

/**
 * A use of a limit as it is stored with its posting: layer, rule, period, currency, maximum and end of the window. How much it is of which
 * counter stands with the ledger transaction. Every spend under rules has several of them, so they are kept short.
 */
type StoredUse = [
  layer: DecidingLayer,
  rule: string | null,
  per: LimitPeriod,
  currency: string | null,
  max: string | null,
  end: string | null,
];

/** Any other check. What is null is left out, and so is the outcome of one that passed. Amounts in minor units. */
interface StoredCheck {
  layer: DecidingLayer;
  rule?: string;
  outcome?: CheckOutcome;
  message?: string;
  limit?: StoredLimit;
}

interface StoredLimit {
  per: LimitPeriod;
  currency?: string;
  max?: string;
  requested: string;
  used?: string;
  resetsAt?: string;
  counter?: string;
  window?: string;
}

function storeCheck(check: Check, { transactionId }: DecisionLinks): StoredCheck | StoredUse {
  const { layer, ruleId, outcome, message, limit } = check;
  if (transactionId !== null && limit !== null && limit.counter !== null && limit.used === null) {
    const { per, currency, max, resetsAt } = limit;
    return [layer, ruleId, per, currency, max === null ? null : String(max), resetsAt === null ? null : printTime(resetsAt)];
  }
  const stored: StoredCheck = { layer };
  if (ruleId !== null) stored.rule = ruleId;
  if (outcome !== 'pass') stored.outcome = outcome;
  if (message !== null) stored.message = message;
  if (limit !== null) stored.limit = storeLimit(limit);
  return stored;
}

function storeLimit({ per, currency, max, requested, used, resetsAt, counter }: CheckedLimit): StoredLimit {
  const stored: StoredLimit = { per, requested: String(requested) };
  if (currency !== null) stored.currency = currency;
  if (max !== null) stored.max = String(max);
  if (used !== null) stored.used = String(used);
  if (resetsAt !== null) stored.resetsAt = printTime(resetsAt);
  if (counter !== null) {
    stored.counter = counter.counter;
    stored.window = counter.window;
  }
  return stored;
}

/** What a ledger transaction used of limits, and what their counters stood at before. */
export type UsesOfTransaction = Pick<LedgerTransaction, 'limits' | 'limitsBefore'>;

/** The checks of a stored decision. `uses` are those of its ledger transaction, if it has one: they say what each limit had used. */
export function readChecks(stored: DecisionRow['checks'], uses: UsesOfTransaction | undefined): Check[] {
  const checks = stored as unknown as (StoredCheck | StoredUse)[];
  const posted = (uses?.limits ?? []) as unknown as PostedUse[];
  // What the posting gave back of an earlier one stands before its own uses.
  let n = posted.length - checks.filter(Array.isArray).length;
  return checks.map((check) => {
    if (!Array.isArray(check)) return readCheck(check);
    n += 1;
    return readUse(check, posted[n - 1], uses?.limitsBefore[n - 1] ?? null);
  });
}

interface PostedUse {
  counter: string;
  window: string;
  used: string;
  reserved: string;
}

function readUse([layer, ruleId, per, currency, max, end]: StoredUse, use: PostedUse | undefined, used: bigint | null): Check {
  const limit: CheckedLimit = {
    per,
    currency,
    max: max === null ? null : BigInt(max),
    requested: BigInt(use?.used ?? 0) + BigInt(use?.reserved ?? 0),
    used,
    resetsAt: end === null ? null : new Date(end),
    counter: use === undefined ? null : { counter: use.counter, window: use.window },
  };
  // It was stored before its counter was looked at. What was posted beyond the limit waits for an approval.
  return settledCheck({ layer, ruleId, limit }, 'approve');
}

function readCheck({ layer, rule, outcome = 'pass', message, limit }: StoredCheck): Check {
  return { layer, ruleId: rule ?? null, outcome, limit: limit === undefined ? null : readLimit(limit), message: message ?? null };
}

function readLimit({ per, currency, max, requested, used, resetsAt, counter, window }: StoredLimit): CheckedLimit {
  return {
    per,
    currency: currency ?? null,
    max: max === undefined ? null : BigInt(max),
    requested: BigInt(requested),
    used: used === undefined ? null : BigInt(used),
    resetsAt: resetsAt === undefined ? null : new Date(resetsAt),
    counter: counter === undefined || window === undefined ? null : { counter, window },
  };
}

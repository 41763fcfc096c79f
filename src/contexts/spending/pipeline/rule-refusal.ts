// What the refusal of a rule means to its caller: the sentence, the limit with its numbers, and the requests that would help
// (CONTRACT.md 0 "Errors").
import type { ApiError, NextAction } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { BudgetExceeded, KyaLimitExceeded, MandateLimitExceeded, MerchantBlocked, PolicyViolation } from '../errors.js';
import { type LimitFigures, type LimitPeriod, printLimit, type RuleUse, remainingOf } from './limit.js';
import type { Authority } from './pipeline.js';
import { isApprovable, type RuleResult } from './rule-result.js';

type Code = RuleResult['code'];

const errorsOf: Record<Code, typeof KyaLimitExceeded> = {
  kya_limit_exceeded: KyaLimitExceeded,
  policy_violation: PolicyViolation,
  merchant_blocked: MerchantBlocked,
  budget_exceeded: BudgetExceeded,
  mandate_limit_exceeded: MandateLimitExceeded,
};

const codeOf = {
  kya: 'kya_limit_exceeded',
  policy: 'policy_violation',
  budget: 'budget_exceeded',
  mandate: 'mandate_limit_exceeded',
} as const;

/** The error of a rule that refuses. */
export function ruleError({ code, reason, message, limit, ruleId, facts }: RuleResult, authority: Authority): ApiError {
  const details = {
    reason,
    rule_id: ruleId,
    ...facts,
    ...(limit === undefined ? {} : { limit: printLimit(limit) }),
    next_actions: actionsFor(ruleId, limit, authority, reason),
  };
  return new errorsOf[code](message, { details });
}

/** The error of a limit that would be passed; `figures` have what its counter stood at. Of a `shared` one they are not told. */
export function limitError(use: RuleUse, figures: LimitFigures, authority: Authority, shared: boolean): ApiError {
  const details = {
    reason: reasonOf(use),
    rule_id: use.ruleId,
    limit: printLimit(figures, shared),
    next_actions: actionsFor(use.ruleId, figures, authority),
    ...(figures.resetsAt === null ? {} : { retry: { safe: true, same_key: true, after_s: secondsUntil(figures.resetsAt, authority) } }),
  };
  return new errorsOf[codeOf[use.layer]](sentenceOf(use, figures), { details });
}

/** The kind of the rule, where it is one of a policy; else what it counts. */
function reasonOf({ currency, per }: RuleUse): string {
  if (currency !== null) return 'max_amount';
  return isVelocity(per) ? 'velocity' : 'max_count';
}

const isVelocity = (per: LimitPeriod) => /^\d+s$/.test(per);

/** The sentence of a limit that would be passed. It says what is left, which is for everybody. */
export function sentenceOf(
  { layer, ruleId, per, currency }: Pick<RuleUse, 'layer' | 'per' | 'currency'> & { ruleId: string | null },
  figures: LimitFigures,
): string {
  const subject = isOfCard(ruleId)
    ? 'The limit of the card'
    : { kya: 'The tier of this agent', policy: 'A policy', budget: 'A budget', mandate: 'The mandate' }[layer];
  const left = remainingOf(figures);
  if (currency === null) return `${subject} has ${left} spends left ${spanOf(per)}.`;
  const print = (minor: bigint) => `${formatMinor(minor, currency)} ${currency}`;
  return `${subject} has ${print(left)} left ${spanOf(per)}, and this needs ${print(figures.requested)}.`;
}

const isOfCard = (ruleId: string | null) => ruleId?.startsWith('card_') === true;

function spanOf(per: LimitPeriod): string {
  if (per === 'once') return 'in all';
  if (per === 'tx') return 'for a single spend';
  return isVelocity(per) ? `for these ${Number.parseInt(per, 10)} seconds` : `for this ${per}`;
}

function secondsUntil(at: Date, { at: now }: Authority): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
}

/** Requests that would help: the same one with what is left, or for approval; another wallet; another limit. */
function actionsFor(ruleId: string, limit: LimitFigures | undefined, { request, facts }: Authority, reason?: string): NextAction[] {
  const actions: NextAction[] = [];
  const actor = facts?.agent == null ? 'api_key' : 'agent';
  if (request !== undefined && facts !== null) {
    const { path, amountMember = 'amount' } = request;
    const body = request.body();
    const left = limit === undefined || limit.currency !== facts.currency ? 0n : limit.per === 'tx' ? limit.max : remainingOf(limit);
    // The amount of a quote is fixed.
    if (amountMember !== null && left > 0n && body['quote_id'] === undefined) {
      const smaller = { ...body, [amountMember]: formatMinor(left, facts.currency) };
      actions.push({ rel: 'smaller_amount', actor, method: 'POST', path, body: smaller });
    }
    if (isApprovable(ruleId, reason))
      actions.push({ rel: 'request_approval', actor, method: 'POST', path, body: { ...body, request_approval: true } });
  }
  if (facts?.agent != null) actions.push({ rel: 'limits', actor, method: 'GET', path: `/v1/agents/agt_${facts.agent.id}/limits` });
  return [...actions, changeOf(ruleId)];
}

/** The request that changes a rule. */
function changeOf(ruleId: string): NextAction {
  const [subject = ''] = ruleId.split('.');
  const change = (method: string, path: string): NextAction => ({ rel: 'change_limit', actor: 'api_key', method, path });
  if (subject.startsWith('pol_')) return change('PATCH', `/v1/policies/${subject}`);
  if (subject.startsWith('bud_')) return change('PATCH', `/v1/budgets/${subject}`);
  if (subject.startsWith('ap2_mnd_')) return change('PATCH', `/v1/ap2/mandates/${subject}`);
  // Its limits are set anew, all of them: whoever changes one reads the others first.
  if (isOfCard(subject)) return { rel: 'card', actor: 'any', method: 'GET', path: `/v1/cards/vault/${subject}` };
  return change('PUT', '/v1/kya-limits');
}

// What an AP2 mandate lets its agent spend: at a time, in a UTC day and month, and at which merchants (CONTRACT.md 7). Its limits are
// consumed in the posting like any others.
import type { LimitLeft } from '../../../events/event.js';
import { ValidationFailed } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { printId } from '../../../platform/schema/id.js';
import { MandateCurrency } from '../errors.js';
import { type RuleUse, windowOf } from './limit.js';
import type { PaidMerchant, RuleResult, RuleResults, SpendFacts } from './rule-result.js';

/** One version of a mandate, as the pipeline enforces it. Amounts in minor units of its currency; null: no such limit. Ids are bare. */
export interface EnforcedMandate {
  id: string;
  version: number;
  /** The id of the version, by which the guard of a posting knows it. */
  versionId: string;
  /** SHA-256 of its JWT, in hex. */
  jwtSha256: string;
  accountId: string;
  agentId: string;
  currency: string;
  maxPerTx: bigint | null;
  maxPerDay: bigint | null;
  maxPerMonth: bigint | null;
  /** Empty: any. */
  allowedCategories: readonly string[];
  allowedMerchants: readonly string[];
  blockedMerchants: readonly string[];
}

/** 422 for money of another currency than the mandate's. */
export function checkMandateCurrency({ currency }: EnforcedMandate, asked: string): void {
  if (asked !== currency) throw new MandateCurrency(currency, asked);
}

/** 400 for an agent_id of another agent than the mandate's. */
export function checkMandateAgent({ agentId }: EnforcedMandate, named: string | null | undefined): void {
  if (named == null || named === agentId) return;
  throw new ValidationFailed([{ path: ['agentId'], message: 'is not the agent of the mandate', rule: 'mandate' }]);
}

/** The counter of what a mandate has spent. Its name is that of every version: a change keeps what was used. */
export function mandateCounter(mandateId: string): string {
  return `mandate:${mandateId}`;
}

/** The counter of executions, in the window `once`. */
export function executionCounter(mandateId: string): string {
  return `mandate:${mandateId}:executions`;
}

// Gap G-216: Day and month are counted without limits too; `remaining_*` is what the mandate has left now.
/** What a mandate says of a spend in its currency. Day and month are counted without a limit too, for the mandate shows what was used. */
export function mandateLayer(
  { amount, at, merchant = null, otherMerchants = [], sisterMerchants = [] }: SpendFacts,
  mandate: EnforcedMandate | undefined,
): RuleResults {
  if (mandate === undefined) return { uses: [], results: [], rateIds: [] };
  const { id, currency, maxPerTx, maxPerDay, maxPerMonth } = mandate;
  const head = { layer: 'mandate', ruleId: printId('mandate', id), action: 'deny' } as const;
  const use = (per: 'day' | 'month', maximum: bigint | null): RuleUse => {
    const { name: window, resetsAt } = windowOf(per, at);
    return { ...head, counter: mandateCounter(id), window, used: amount, reserved: 0n, maximum, per, currency, resetsAt };
  };
  const { name: window } = windowOf('once', at);
  const counted = { counter: executionCounter(id), window, used: 1n, reserved: 0n, maximum: null } as const;
  const blocked = [...otherMerchants, ...sisterMerchants].find((other) => mandate.blockedMerchants.includes(other.id));
  const results = merchantResults(mandate, blocked ?? merchant);
  if (maxPerTx !== null && amount > maxPerTx) results.push(tooLarge(head.ruleId, currency, maxPerTx, amount));
  return {
    uses: [use('day', maxPerDay), use('month', maxPerMonth), { ...head, ...counted, per: 'once', currency: null, resetsAt: null }],
    results,
    rateIds: [],
  };
}

/** What a mandate has left in the day and month of `at`, for a posting to find out: by member, those with a limit. */
export function mandateLeft({ id, currency, maxPerDay, maxPerMonth }: EnforcedMandate, at: Date): Record<string, LimitLeft> {
  const left = (member: string, per: 'day' | 'month', maximum: bigint | null): [string, LimitLeft][] =>
    maximum === null ? [] : [[member, { counter: mandateCounter(id), window: windowOf(per, at).name, maximum: `${maximum}`, currency }]];
  return Object.fromEntries([...left('remaining_daily', 'day', maxPerDay), ...left('remaining_monthly', 'month', maxPerMonth)]);
}

/**
 * A blocked merchant is refused though it is allowed too, and one that is not active; a list of what is allowed refuses who is no merchant.
 */
export function merchantResults(
  { id, allowedCategories, allowedMerchants, blockedMerchants }: EnforcedMandate,
  merchant: PaidMerchant | null,
): RuleResult[] {
  const refuse = (reason: string, message: string): RuleResult[] => [
    {
      layer: 'mandate',
      ruleId: printId('mandate', id),
      outcome: 'fail',
      code: 'merchant_blocked',
      reason,
      message,
      facts: { merchant_id: merchant === null ? null : printId('merchant', merchant.id) },
    },
  ];
  if (merchant !== null && blockedMerchants.includes(merchant.id)) return refuse('merchant_blocked', 'The mandate blocks this merchant.');
  if (merchant?.isInactive) return refuse('merchant_inactive', 'The merchant is not active.');
  if (allowedMerchants.length > 0 && (merchant === null || !allowedMerchants.includes(merchant.id)))
    return refuse('merchant_not_allowed', 'The mandate names the merchants that may be paid, and this is none of them.');
  if (allowedCategories.length > 0 && (merchant === null || !allowedCategories.includes(merchant.category)))
    return refuse('category_not_allowed', 'The mandate names the categories of merchants that may be paid, and this is in none of them.');
  return [];
}

function tooLarge(ruleId: string, currency: string, max: bigint, requested: bigint): RuleResult {
  const limit = { kind: 'mandate', per: 'tx', currency, max, used: 0n, requested, resetsAt: null } as const;
  const message = `The mandate allows ${formatMinor(max, currency)} ${currency} at a time; this is ${formatMinor(requested, currency)}.`;
  return { layer: 'mandate', ruleId, outcome: 'fail', code: 'mandate_limit_exceeded', reason: 'max_amount', message, limit };
}

// What the rules say that do not count: whom, what and when a policy lets be paid (CONTRACT.md 6).
import { printId } from '../../../platform/schema/id.js';
import { dayBefore, type LocalClock, type LocalTime, type Weekday } from '../pipeline/local-time.js';
import type { PaidMerchant, RuleResult, SpendFacts } from '../pipeline/rule-result.js';

/** Names that are allowed alone, and names that are blocked. */
export interface Lists {
  /** Null: every name that is not blocked. */
  allow: ReadonlySet<string> | null;
  block: ReadonlySet<string>;
}

// Gap G-101: `to` is the first minute after the hours, 24:00 ends a day; hours over midnight belong to the day on which they begin.
/** When spends are allowed. With `from` after `to` the hours go over midnight, and belong to the day on which they begin. */
export interface Hours {
  days: ReadonlySet<Weekday>;
  /** Minutes since midnight: from this one on, and before that one. */
  from: number;
  to: number;
  clock: LocalClock;
  /** As people read it: `09:00 to 17:00, Europe/Berlin`. */
  text: string;
}

/** Which merchants are paid, by their ids or by their categories. */
export type MerchantLists = { kind: 'merchants' | 'categories' } & Lists;

/** A rule that allows a spend or does not, whatever was spent before. */
export type StaticRule =
  | MerchantLists
  | ({ kind: 'counterparties' } & Lists)
  | { kind: 'protocols'; allow: ReadonlySet<string> }
  | ({ kind: 'hours' } & Hours)
  | { kind: 'new_counterparty' };

/** Why a rule does not let a spend pass. `says` goes on from "The policy ...". */
export type Objection = Pick<RuleResult, 'code' | 'reason'> & { says: string; facts?: Record<string, unknown> };

/** What a rule has against a spend; null for nothing. */
export function objectionOf(rule: StaticRule, spend: SpendFacts): Objection | null {
  switch (rule.kind) {
    case 'merchants':
    case 'categories':
      return merchantObjection(rule, spend);
    case 'counterparties':
      return counterpartyObjection(rule, spend);
    case 'protocols': {
      if (rule.allow.has(spend.protocol)) return null;
      const says = `allows the protocols ${[...rule.allow].join(', ')}; this is ${spend.protocol}.`;
      return { code: 'policy_violation', reason: 'protocol', says, facts: { protocol: spend.protocol } };
    }
    case 'hours':
      if (isWithinHours(rule, rule.clock(spend.at))) return null;
      return { code: 'policy_violation', reason: 'hours', says: `allows spends from ${rule.text}; it is outside of these hours.` };
    case 'new_counterparty': {
      if (spend.isKnownCounterparty !== false) return null;
      return { code: 'policy_violation', reason: 'new_counterparty', says: 'does not know this counterparty: it was never paid before.' };
    }
  }
}

function merchantObjection(lists: MerchantLists, spend: SpendFacts): Objection | null {
  const { kind, allow, block } = lists;
  const paid = paidIn(spend);
  const reason = kind === 'merchants' ? 'merchant' : 'category';
  if (paid.length === 0) {
    const says = `allows certain ${kind} only, and this spend pays nobody who is known as a merchant.`;
    return allow && { code: 'policy_violation', reason, says };
  }
  const refused = blockedMerchant(lists, [...paid, ...(spend.sisterMerchants ?? [])]) ?? refusedMerchant(lists, paid);
  if (refused === undefined) return null;
  const { id, category } = refused;
  const isBlocked = block.has(nameIn(kind, refused));
  const facts = { merchant_id: printId('merchant', id), ...(kind === 'categories' && { category }) };
  if (kind === 'merchants') {
    return { code: 'merchant_blocked', reason, says: isBlocked ? 'blocks this merchant.' : 'allows other merchants only.', facts };
  }
  const says = isBlocked ? `blocks the category ${category}.` : `allows other categories than ${category} only.`;
  return { code: 'merchant_blocked', reason, says, facts };
}

/** The merchant of some that a rule refuses: a blocked one, else one that it does not name among those that it allows. */
export function refusedMerchant(lists: MerchantLists, merchants: readonly PaidMerchant[]): PaidMerchant | undefined {
  const { kind, allow } = lists;
  return blockedMerchant(lists, merchants) ?? merchants.find((merchant) => allow?.has(nameIn(kind, merchant)) === false);
}

/** The first merchant of some that a rule blocks. */
export function blockedMerchant({ kind, block }: MerchantLists, merchants: readonly PaidMerchant[]): PaidMerchant | undefined {
  return merchants.find((merchant) => block.has(nameIn(kind, merchant)));
}

function nameIn(kind: MerchantLists['kind'], { id, category }: PaidMerchant): string {
  return kind === 'merchants' ? id : category;
}

/** Everybody whom a spend pays as a merchant: each of them must be allowed, and none blocked. */
function paidIn({ merchant, otherMerchants = [] }: Pick<SpendFacts, 'merchant' | 'otherMerchants'>): readonly PaidMerchant[] {
  return merchant == null ? otherMerchants : [merchant, ...otherMerchants];
}

/** A counterparty is named by its wallet, by its account, or by its agent. */
function counterpartyObjection({ allow, block }: Lists, { payee }: SpendFacts): Objection | null {
  const names = payee === null ? [] : [payee.walletId, payee.accountId, ...(payee.agentId === null ? [] : [payee.agentId])];
  const isBlocked = names.some((name) => block.has(name));
  if (!isBlocked && (allow === null || names.some((name) => allow.has(name)))) return null;
  const says = isBlocked ? 'blocks this counterparty.' : 'allows other counterparties only.';
  return { code: 'policy_violation', reason: 'counterparty', says };
}

/** Whether it is within the hours. */
export function isWithinHours({ days, from, to }: Pick<Hours, 'days' | 'from' | 'to'>, { day, minute }: LocalTime): boolean {
  if (from < to) return days.has(day) && minute >= from && minute < to;
  return (days.has(day) && minute >= from) || (days.has(dayBefore(day)) && minute < to);
}

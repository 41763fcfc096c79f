// What the rules say that do not count: whom, what and when a policy lets be paid (CONTRACT.md 6).
import { printId } from '../../platform/schema/id.js';
import type { Finding, SpendFacts } from './evaluation.js';
import { dayBefore, type LocalClock, type LocalTime, type Weekday } from './local-time.js';

/** Names that are allowed alone, and names that are blocked. */
export interface Lists {
  /** Null: every name that is not blocked. */
  allow: ReadonlySet<string> | null;
  block: ReadonlySet<string>;
}

/** When spends are allowed. With `from` after `to` the hours go over midnight, and belong to the day on which they begin (Gap G-101). */
export interface Hours {
  days: ReadonlySet<Weekday>;
  /** Minutes since midnight: from this one on, and before that one. */
  from: number;
  to: number;
  clock: LocalClock;
  /** As people read it: `09:00 to 17:00, Europe/Berlin`. */
  text: string;
}

/** A rule that allows a spend or does not, whatever was spent before. */
export type StaticRule =
  | ({ kind: 'merchants' | 'categories' | 'counterparties' } & Lists)
  | { kind: 'protocols'; allow: ReadonlySet<string> }
  | ({ kind: 'hours' } & Hours)
  | { kind: 'new_counterparty' };

/** Why a rule does not let a spend pass. `says` goes on from "The policy ...". */
export type Objection = Pick<Finding, 'code' | 'reason'> & { says: string; facts?: Record<string, unknown> };

/** What a rule has against a spend; null for nothing. */
export function objectionOf(rule: StaticRule, spend: SpendFacts): Objection | null {
  switch (rule.kind) {
    case 'merchants':
      return merchantObjection(rule, spend);
    case 'categories':
      return categoryObjection(rule, spend);
    case 'counterparties':
      return counterpartyObjection(rule, spend);
    case 'protocols': {
      if (rule.allow.has(spend.protocol)) return null;
      const says = `allows the protocols ${[...rule.allow].join(', ')}; this is ${spend.protocol}.`;
      return { code: 'policy_violation', reason: 'protocol', says, facts: { protocol: spend.protocol } };
    }
    case 'hours':
      if (isOpen(rule, rule.clock(spend.at))) return null;
      return { code: 'policy_violation', reason: 'hours', says: `allows spends from ${rule.text}; it is outside of these hours.` };
    case 'new_counterparty': {
      if (spend.isKnownCounterparty !== false) return null;
      return { code: 'policy_violation', reason: 'new_counterparty', says: 'does not know this counterparty: it was never paid before.' };
    }
  }
}

function merchantObjection(lists: Lists, { merchant }: SpendFacts): Objection | null {
  const verdict = verdictOn(lists, merchant?.id);
  if (verdict === null) return null;
  const says = {
    blocked: 'blocks this merchant.',
    unlisted: 'allows other merchants only.',
    unknown: 'allows certain merchants only, and nobody knows which one this spend pays.',
  }[verdict];
  const facts = merchant == null ? {} : { merchant_id: printId('merchant', merchant.id) };
  return { code: 'merchant_blocked', reason: 'merchant', says, facts };
}

function categoryObjection(lists: Lists, { merchant }: SpendFacts): Objection | null {
  const verdict = verdictOn(lists, merchant?.category);
  if (verdict === null) return null;
  const says = {
    blocked: `blocks the category ${merchant?.category}.`,
    unlisted: `allows other categories than ${merchant?.category} only.`,
    unknown: 'allows certain categories only, and nobody knows which merchant this spend pays.',
  }[verdict];
  const facts = merchant == null ? {} : { merchant_id: printId('merchant', merchant.id), category: merchant.category };
  return { code: 'merchant_blocked', reason: 'category', says, facts };
}

/** A counterparty is named by its wallet, by its account, or by its agent. */
function counterpartyObjection({ allow, block }: Lists, { payee }: SpendFacts): Objection | null {
  const names = payee === null ? [] : [payee.walletId, payee.accountId, ...(payee.agentId === null ? [] : [payee.agentId])];
  const isBlocked = names.some((name) => block.has(name));
  if (!isBlocked && (allow === null || names.some((name) => allow.has(name)))) return null;
  const says = isBlocked ? 'blocks this counterparty.' : 'allows other counterparties only.';
  return { code: 'policy_violation', reason: 'counterparty', says };
}

/** An allow-list does not let pass what nobody knows. */
function verdictOn({ allow, block }: Lists, name: string | undefined): 'blocked' | 'unlisted' | 'unknown' | null {
  if (name === undefined) return allow === null ? null : 'unknown';
  if (block.has(name)) return 'blocked';
  return allow === null || allow.has(name) ? null : 'unlisted';
}

/** Whether it is within the hours. */
export function isOpen({ days, from, to }: Pick<Hours, 'days' | 'from' | 'to'>, { day, minute }: LocalTime): boolean {
  if (from < to) return days.has(day) && minute >= from && minute < to;
  return (days.has(day) && minute >= from) || (days.has(dayBefore(day)) && minute < to);
}

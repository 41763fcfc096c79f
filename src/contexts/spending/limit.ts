// What all limits have in common: the windows that their counters count in, and how a limit reads (CONTRACT.md 0 "Small decisions").
import type { LimitUse } from '../../ledger/posting.js';
import { formatMinor } from '../../platform/money.js';
import type { RuleLayer } from './layer.js';

/** The span of time that a limit counts over; `tx` is one spend. A velocity counts over its own number of seconds: `90s`. */
export type Period = 'tx' | 'hour' | 'day' | 'week' | 'month' | 'once' | `${number}s`;

/** What is done with a spend that a rule does not allow. */
export type RuleAction = 'deny' | 'approve';

/** A use of a limit, and the rule that sets the limit. */
export interface RuleUse extends LimitUse {
  layer: RuleLayer;
  /** As decisions print it: `pol_....rules.0`, `bud_...`, `kya.tier.1`. */
  ruleId: string;
  per: Period;
  /** Null for a limit that counts spends. */
  currency: string | null;
  action: RuleAction;
  /** When the window ends, in workspace time; null for one that does not. */
  resetsAt: Date | null;
  /** For how long an approval of it waits, where the rule says so. */
  timeoutSeconds?: number | undefined;
}

const daySeconds = 86_400;
const pad = (value: number) => String(value).padStart(2, '0');
const dateOf = (at: Date) => at.toISOString().slice(0, 10);

/** A window of a limit: its name, by which counters are kept, and its end. */
export interface Window {
  name: string;
  resetsAt: Date | null;
}

/**
 * The UTC window of `at`: `2026-11-21T14` of an hour, `2026-11-21` of a day, `2026-W47` of an ISO week, `2026-11` of a month, the
 * beginning of so many seconds. Names of ended windows sort before later ones, so that counters can be swept.
 */
export function windowOf(per: Exclude<Period, 'tx'>, at: Date): Window {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (per) {
    case 'hour':
      return { name: at.toISOString().slice(0, 13), resetsAt: new Date(Date.UTC(year, month, day, at.getUTCHours() + 1)) };
    case 'day':
      return { name: dateOf(at), resetsAt: new Date(Date.UTC(year, month, day + 1)) };
    case 'week':
      return weekOf(at);
    case 'month':
      return { name: at.toISOString().slice(0, 7), resetsAt: new Date(Date.UTC(year, month + 1, 1)) };
    case 'once':
      return { name: 'once', resetsAt: null };
    default: {
      const seconds = Number.parseInt(per, 10);
      const start = Math.floor(at.getTime() / 1000 / seconds) * seconds;
      return { name: new Date(start * 1000).toISOString().slice(0, 19), resetsAt: new Date((start + seconds) * 1000) };
    }
  }
}

/** The ISO week: it begins on a Monday, and belongs to the year of its Thursday. */
function weekOf(at: Date): Window {
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  const weekday = (at.getUTCDay() + 6) % 7;
  const monday = midnight - weekday * daySeconds * 1000;
  const thursday = new Date(monday + 3 * daySeconds * 1000);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * daySeconds * 1000));
  return { name: `${year}-W${pad(week)}`, resetsAt: new Date(monday + 7 * daySeconds * 1000) };
}

/** One limit as numbers, in minor units of its currency, or as a number of spends. */
export interface LimitFigures {
  kind: RuleLayer;
  per: Period;
  currency: string | null;
  max: bigint;
  used: bigint;
  requested: bigint;
  resetsAt: Date | null;
}

/** The figures of a use whose counter stood at `before`. */
export function limitFigures({ layer: kind, per, currency, maximum, used, reserved, resetsAt }: RuleUse, before: bigint): LimitFigures {
  return { kind, per, currency, max: maximum ?? 0n, used: before, requested: used + reserved, resetsAt };
}

/** What is left of a limit. */
export function remainingOf({ max, used }: Pick<LimitFigures, 'max' | 'used'>): bigint {
  return max > used ? max - used : 0n;
}

/** An amount of a limit: a decimal string of its currency, or a number of spends. */
export function printFigure(figure: bigint, currency: string | null): string | number {
  return currency === null ? Number(figure) : formatMinor(figure, currency);
}

/** `details.limit` of a refusal, and the limit of a check. Of a `shared` one only what is left is told. */
export function printLimit(figures: LimitFigures, shared = false): Record<string, unknown> {
  const { kind, per, currency, max, used, requested, resetsAt } = figures;
  const print = (figure: bigint) => printFigure(figure, currency);
  return {
    kind,
    per,
    currency,
    max: shared ? null : print(max),
    used: shared ? null : print(used),
    requested: print(requested),
    remaining: print(remainingOf(figures)),
    ...(resetsAt === null ? {} : { resets_at: resetsAt.toISOString() }),
  };
}

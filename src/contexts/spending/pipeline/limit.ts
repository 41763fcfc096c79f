// What all limits have in common: the windows that their counters count in, and how a limit reads (CONTRACT.md 0 "Small decisions").
import { LRUCache } from 'lru-cache';
import type { LimitUse } from '../../../ledger/posting.js';
import { formatMinor } from '../../../platform/money.js';
import type { RuleLayer } from './layer.js';

/** The span of time that a limit counts over; `tx` is one spend. A velocity counts over its own number of seconds: `90s`. */
export type LimitPeriod = 'tx' | 'hour' | 'day' | 'week' | 'month' | 'once' | `${number}s`;

/** What is done with a spend that a rule does not allow. */
export type RuleAction = 'deny' | 'approve';

/** A use of a limit, and the rule that sets the limit. */
export interface RuleUse extends LimitUse {
  layer: RuleLayer;
  /** As decisions print it: `pol_....rules.0`, `bud_...`, `kya.tier.1`. */
  ruleId: string;
  per: LimitPeriod;
  /** Null for a limit that counts spends. */
  currency: string | null;
  action: RuleAction;
  /** When the window ends, in workspace time; null for one that does not. */
  resetsAt: Date | null;
  /** For how long an approval of it waits, where the rule says so. */
  timeoutSeconds?: number | undefined;
  /** Its policy asks people for the approval. */
  asksPeople?: true;
}

const dayMs = 86_400_000;
const pad = (value: number) => String(value).padStart(2, '0');

/** A window of a limit: its name, by which counters are kept, and its end. */
export interface LimitWindow {
  name: string;
  resetsAt: Date | null;
}

/** A window with the instants between which it lies, in milliseconds since 1970. */
export interface WindowSpan {
  from: number;
  until: number;
  window: LimitWindow;
}

/** The last window of each period: nearly every spend falls into it, and words of time are slow to make. */
const last = new LRUCache<LimitPeriod, WindowSpan>({ max: 1_000 });

/**
 * The UTC window of `at`: `2026-11-21T14` of an hour, `2026-11-21` of a day, `2026-W47` of an ISO week, `2026-11` of a month, the
 * beginning of so many seconds. Names of ended windows sort before later ones, so that counters can be swept.
 */
export function windowOf(per: Exclude<LimitPeriod, 'tx'>, at: Date): LimitWindow {
  if (per === 'once') return { name: 'once', resetsAt: null };
  const instant = at.getTime();
  const known = last.get(per);
  if (known !== undefined && known.from <= instant && instant < known.until) return known.window;
  const found = stretchOf(per, at);
  last.set(per, found);
  return found.window;
}

function stretchOf(per: Exclude<LimitPeriod, 'tx' | 'once'>, at: Date): WindowSpan {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const midnight = Date.UTC(year, month, day);
  const text = at.toISOString();
  switch (per) {
    case 'hour': {
      const start = midnight + at.getUTCHours() * 3_600_000;
      return stretch(text.slice(0, 13), start, start + 3_600_000);
    }
    case 'day':
      return stretch(text.slice(0, 10), midnight, midnight + dayMs);
    case 'week':
      return weekOf(midnight, (at.getUTCDay() + 6) % 7);
    case 'month':
      return stretch(text.slice(0, 7), Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1));
    default: {
      const seconds = Number.parseInt(per, 10);
      const start = Math.floor(at.getTime() / 1000 / seconds) * seconds;
      return stretch(new Date(start * 1000).toISOString().slice(0, 19), start * 1000, (start + seconds) * 1000);
    }
  }
}

function stretch(name: string, from: number, until: number): WindowSpan {
  return { from, until, window: { name, resetsAt: new Date(until) } };
}

/** The ISO week of a midnight, so many days after its Monday. It belongs to the year of its Thursday. */
function weekOf(midnight: number, weekday: number): WindowSpan {
  const monday = midnight - weekday * dayMs;
  const thursday = new Date(monday + 3 * dayMs);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs));
  return stretch(`${year}-W${pad(week)}`, monday, monday + 7 * dayMs);
}

/** One limit as numbers, in minor units of its currency, or as a number of spends. */
export interface LimitFigures {
  kind: RuleLayer;
  per: LimitPeriod;
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

// The kinds of rules that a policy may have, and what belongs to each: as they are given, stored and shown (CONTRACT.md 6).
import { z } from 'zod';
import { Protocol } from '../../../generated/prisma/enums.js';
import { currencies } from '../../../platform/money.js';
import { type IdKind, idKinds, parseAnyId, parseId, printId } from '../../../platform/schema/id.js';
import { isTimeZone } from '../../../platform/time-zone.js';
import { category } from '../../accounts/category.js';
import { weekdays } from './local-time.js';

/** Spans that a rule may count over; `tx` is a single spend. */
export const rulePeriods = ['tx', 'hour', 'day', 'week', 'month'] as const;
export const ruleActions = ['deny', 'approve'] as const;

// Gap G-100: `max_count` and `velocity` count spends of any amount; a list has 1 to 200 existing names; an approval waits 60 s to 7 days.
export const mostCount = 1_000_000_000;
/** Thirty days. */
export const longestVelocitySeconds = 2_592_000;
/** Names in one list of a rule. */
export const longestList = 200;

const action = z.enum(ruleActions).default('deny');
const count = z.int().min(1).max(mostCount);
const window = z.enum(['hour', 'day', 'week', 'month'], { error: 'must be hour, day, week or month: a single spend is always one' });

const merchantId = idOf(['merchant']);
/** An account, an agent or a wallet. A bare id gets its prefix when it is looked up. */
const counterpartyId = idOf(['account', 'agent', 'wallet']);
const protocols = Object.values(Protocol);
const protocol = z.enum(Protocol, { error: `must be one of ${protocols.join(', ')}` });

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00');
const endOfHours = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day such as 17:30, or 24:00');

function idOf(kinds: readonly IdKind[]) {
  const prefixes = kinds.map((kind) => `${idKinds[kind].prefix}_`);
  return z.string().transform((text, context) => {
    for (const [index, kind] of kinds.entries()) {
      const id = parseId(kind, text);
      if (id !== null) return kinds.length === 1 || text.startsWith(prefixes[index] ?? '') ? printId(kind, id) : id;
    }
    context.addIssue({ code: 'custom', message: `must be a UUID, or one with the prefix ${prefixes.join(', ')}` });
    return z.NEVER;
  });
}

/** The same name in whatever form it was given. */
const plainName = (name: string) => parseAnyId(name) ?? name;

/** An allow-list, a block-list or both, without a name that is in both. */
function lists<Kind extends string, Item extends z.ZodType<string>>(kind: Kind, item: Item) {
  return z
    .strictObject({ kind: z.literal(kind), allow: z.array(item).min(1).optional(), block: z.array(item).min(1).optional(), action })
    .superRefine(({ allow, block }, context) => {
      if (allow === undefined && block === undefined)
        context.addIssue({ code: 'custom', path: ['allow'], message: 'name what is allowed, or in block what is blocked' });
      const allowed = new Set(allow?.map(plainName));
      for (const [index, name] of (block ?? []).entries()) {
        if (allowed.has(plainName(name)))
          context.addIssue({ code: 'custom', path: ['block', index], message: 'is allowed by the same rule' });
      }
    });
}

/** By kind, what a rule has. Amounts are still to be read in their currency, and ids to be looked up. */
export const ruleShapes = {
  max_amount: z.strictObject({
    kind: z.literal('max_amount'),
    per: z.enum(rulePeriods),
    amount: z.string(),
    currency: z.enum(currencies),
    action,
  }),
  max_count: z.strictObject({ kind: z.literal('max_count'), per: window, count, action }),
  velocity: z.strictObject({ kind: z.literal('velocity'), count, seconds: z.int().min(1).max(longestVelocitySeconds), action }),
  merchants: lists('merchants', merchantId),
  categories: lists('categories', category),
  protocols: z.strictObject({ kind: z.literal('protocols'), allow: z.array(protocol).min(1), action }),
  counterparties: lists('counterparties', counterpartyId),
  hours: z
    .strictObject({
      kind: z.literal('hours'),
      days: z
        .array(z.enum(weekdays))
        .min(1)
        .default([...weekdays])
        .transform((days) => weekdays.filter((day) => days.includes(day))),
      from: timeOfDay,
      to: endOfHours,
      timezone: z.string().refine(isTimeZone, 'is not the name of a time zone, such as Europe/Berlin').default('UTC'),
      action,
    })
    .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must not be equal to from: for whole days say 00:00 and 24:00' }),
  new_counterparty: z.strictObject({ kind: z.literal('new_counterparty'), action }),
} as const;

export type RuleKind = keyof typeof ruleShapes;
export const ruleKinds = Object.keys(ruleShapes) as RuleKind[];

/** A rule as it is stored and shown: amounts and ids as they are printed. */
export type PolicyRule = { [Kind in RuleKind]: z.output<(typeof ruleShapes)[Kind]> }[RuleKind];

/** How many people have to approve, and who may: whoever may decide where `memberIds` is null. */
export interface Approvers {
  count: number;
  /** Bare. */
  memberIds: readonly string[] | null;
}

/** A spend above `threshold` has to be approved, within so many seconds. With `approvers` people alone decide. */
export interface PolicyApproval {
  threshold: string;
  currency: string;
  timeoutSeconds: number;
  approvers?: Approvers;
}

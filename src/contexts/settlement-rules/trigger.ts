// When a settlement rule fires: the types of triggers, and what belongs to each (CONTRACT.md 12).
import { z } from 'zod';
import type { EventCatalog } from '../../events/catalog.js';
import { isInternal } from '../../events/definition.js';
import { cronFault, nextFiring } from '../../platform/cron.js';
import type { FieldIssue } from '../../platform/errors.js';
import { currencies } from '../../platform/money.js';
import { isTimeZone } from '../../platform/time-zone.js';
import { type RequestedConfig, readConfig } from './shape.js';

export const directions = ['above', 'below'] as const;

/** Gap G-201: A filter compares up to 10 members of the event's data, dots lead into them; a field that the type lacks is 400. */
const mostCompared = 10;
const longestCompared = 200;
/** Transfers that are counted, at most: within a window each has its time kept (see G-202). */
const mostCounted = 1_000_000;
const mostInWindow = 1_000;
const longestWindowSeconds = 2_592_000;

const scalar = z.union([z.string().max(longestCompared), z.number(), z.boolean(), z.null()], {
  error: `must be a string of at most ${longestCompared} characters, a number, true, false or null`,
});
export type Scalar = z.infer<typeof scalar>;

const filter = z.record(z.string().min(1).max(100), scalar).refine((members) => Object.keys(members).length <= mostCompared, {
  message: `must have at most ${mostCompared} members`,
});

/** A trigger that fires at an event, which the catalog has. */
const eventTrigger = (catalog: EventCatalog) =>
  z.strictObject({ eventType: z.string(), filter: filter.optional() }).superRefine(({ eventType, filter: members = {} }, context) => {
    const entry = catalog.get(eventType);
    if (entry === undefined || isInternal(eventType) || eventType === ownEvent) {
      const message = `${JSON.stringify(eventType)} is not an event type that a rule can hear: see GET /v1/webhooks/events`;
      context.addIssue({ code: 'custom', path: ['eventType'], message });
      return;
    }
    const known = entry.data instanceof z.ZodObject ? Object.keys(entry.data.shape) : [];
    for (const name of Object.keys(members)) {
      if (known.includes(name.split('.', 1)[0] as string)) continue;
      const message = `is not a member of the data of ${eventType}, which has ${known.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['filter', name], message });
    }
  });

/** By type, what a trigger has. */
const triggerShapes = (catalog: EventCatalog) => ({
  balance_threshold: z.strictObject({
    thresholdCents: z
      .int()
      .min(0)
      .max(10 ** 15),
    currency: z.enum(currencies),
    direction: z.enum(directions),
  }),
  time_based: z.strictObject({
    schedule: z.string().superRefine((text, context) => {
      const fault = cronFault(text);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    }),
    timezone: z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  }),
  event_based: eventTrigger(catalog),
  transaction_count: z
    .strictObject({ count: z.int().min(1).max(mostCounted), withinWindow: z.int().min(1).max(longestWindowSeconds).optional() })
    .refine(({ count, withinWindow }) => withinWindow === undefined || count <= mostInWindow, {
      path: ['count'],
      message: `must be at most ${mostInWindow} within a window`,
    }),
  manual: z.strictObject({}),
});

/** What a rule emits fires no rule. */
export const ownEvent = 'settlement_rule.notified';

type TriggerShapes = ReturnType<typeof triggerShapes>;
export type TriggerType = keyof TriggerShapes;
export type TriggerConfig<Type extends TriggerType = TriggerType> = z.output<TriggerShapes[Type]>;
/** A trigger as it is stored and shown. */
export type Trigger = { [Type in TriggerType]: { type: Type; config: TriggerConfig<Type> } }[TriggerType];

/** The trigger of a type with its config, or what is wrong with it. */
export function readTrigger(
  catalog: EventCatalog,
  type: TriggerType,
  given: RequestedConfig,
): { config: TriggerConfig } | { issues: FieldIssue[] } {
  return readConfig(triggerShapes(catalog)[type], given, 'triggerConfig', `a trigger ${type}`);
}

/** The trigger of a row. */
export function triggerOf({ triggerType: type, triggerConfig: config }: { triggerType: TriggerType; triggerConfig: unknown }): Trigger {
  return { type, config } as Trigger;
}

/** When a trigger fires by itself next; null for one that waits for something else. */
export function nextFiringOf({ type, config }: Trigger, after: Date): Date | null {
  return type === 'time_based' ? nextFiring(config.schedule, config.timezone, after) : null;
}

/** True when the data of an event has what a filter asks for. A dot leads into a member: `destination.type`. */
export function matches(data: Readonly<Record<string, unknown>>, members: Readonly<Record<string, Scalar>> = {}): boolean {
  return Object.entries(members).every(([name, value]) => memberAt(data, name) === value);
}

/** Null for what is not there. */
function memberAt(data: unknown, name: string): unknown {
  const value = name
    .split('.')
    .reduce<unknown>((at, step) => (typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? at[step as never] : null), data);
  return value ?? null;
}

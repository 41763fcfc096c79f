// The manifest: what all contexts give to the process, gathered once.
import { eventCatalog } from '../events/catalog.js';
import { type Followers, sweepPublications } from '../events/outbox.js';
import { listenerGauges, outboxGauges } from '../events/publication-gauge.js';
import { lags, steps } from '../events/publication-metric.js';
import { eventPartitions, sweepDeliveries, sweepEvents } from '../events/retention.sql.js';
import { lowBalanceEvents } from '../ledger/low-balance.js';
import { setSizes, waits } from '../ledger/posting-metric.js';
import { sweepClaims, sweepHolds, sweepLimitCounters } from '../ledger/sweep.js';
import type { Platform } from '../platform/ctx.js';
import { writeDenials } from '../platform/denial.js';
import { dueGauges } from '../platform/due/due-gauge.js';
import { type DueStep, rowStep } from '../platform/due/step.js';
import { caughtUp, type Sweep } from '../platform/due/sweep.js';
import { type Extension, Extensions } from '../platform/extension.js';
import { keyedAnswers } from '../platform/idempotency.js';
import { partitionsEnd, tendPartitions } from '../platform/partition.js';
import type { Context, ContextParts } from './context.js';
import { approvalSubjects, type Noun, nameOf, nouns, openOn, settlings, transferSubjects } from './noun.js';

/** What a process is made of. */
export interface Manifest extends Omit<ContextParts, 'events' | 'extensions' | 'configured' | 'channelViews'> {
  /** Makes what contexts hand to those below them; a platform has its own. */
  extensions(): Extensions;
  /** The same, with what the settings of a process add. Throws where a file of settings is wrong. */
  configured(config: Platform['config']): Promise<Extensions>;
  /** What follows from published events. */
  followers: Followers;
  /** Partitions that there have to be before anything is written: a row on its way into the net is refused when its partition is made meanwhile. */
  partitions: readonly Sweep[];
}

/** Makes the partitions that rows need, and drops those that are over. */
const partitions = [tendPartitions('keyed_answer', () => keyedAnswers), tendPartitions('event', eventPartitions)];

/** What no context gives: that of the ledger, of events and of the platform. */
const foundation: Context = {
  events: [lowBalanceEvents],
  metrics: [setSizes, waits, steps, lags, caughtUp, partitionsEnd],
  gauges: [outboxGauges, dueGauges],
  sweeps: [sweepEvents, sweepDeliveries, sweepClaims, sweepLimitCounters, sweepHolds, ...partitions],
  regularWrites: [writeDenials],
};

/** Gathers contexts, of which each may build on those before it. */
export function manifestOf(contexts: readonly Context[]): Manifest {
  const all = [foundation, ...contexts];
  const every = <Part extends keyof ContextParts>(part: Part): ContextParts[Part] =>
    all.flatMap((each): readonly unknown[] => each[part] ?? []) as never;
  const own = every('nouns');
  const listeners = every('listeners');
  const extensions = [
    ...own.flatMap(extensionsOf),
    ...every('events').map((declared) => eventCatalog.with(declared)),
    ...every('extensions'),
  ];
  return {
    nouns: own,
    extensions: () => new Extensions(extensions),
    configured: async (config) => {
      const always = new Extensions(extensions);
      const added = await Promise.all(every('configured').map((read) => read(config, always)));
      return added.flat().length === 0 ? always : new Extensions([...extensions, ...added.flat()]);
    },
    conditions: every('conditions'),
    listeners,
    partitions,
    followers: { listeners, view: onlyOne(every('channelViews')) },
    due: [...own.flatMap(dueOf), ...every('due')],
    doors: every('doors'),
    credentials: every('credentials'),
    escrows: every('escrows'),
    sweeps: [...every('sweeps'), sweepPublications(listeners)],
    realTime: every('realTime'),
    metrics: every('metrics'),
    gauges: [...every('gauges'), listenerGauges(listeners.map(({ name }) => name))],
    streamEnds: every('streamEnds'),
    regularWrites: every('regularWrites'),
    lastWrites: [...every('lastWrites'), ...every('regularWrites')],
  };
}

/** What a noun hands to those who ask for something of all nouns. */
function extensionsOf(noun: Noun): Extension[] {
  const { table = '', approvals, transfers, openOn: opens, settling } = noun;
  return [
    nouns.with(noun),
    ...(approvals === undefined ? [] : [approvalSubjects.with(approvals)]),
    ...(transfers === undefined ? [] : [transferSubjects.with({ [nameOf(noun)]: transfers })]),
    ...(opens === undefined ? [] : [openOn.with(opens)]),
    ...(settling === undefined ? [] : [settlings.with({ type: nameOf(noun), from: table, id: 'id', status: 'status', ...settling })]),
  ];
}

/** The due step of a noun that has one. */
function dueOf({ table, due }: Noun): DueStep<string, true>[] {
  return table === undefined || due === undefined ? [] : [rowStep({ table, ...due })];
}

function onlyOne<Part>([part, ...more]: readonly Part[]): Part {
  if (part === undefined || more.length > 0) throw new Error('exactly one context writes the channels of agents');
  return part;
}

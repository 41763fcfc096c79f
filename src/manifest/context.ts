// What a context gives to the process. contexts/<name>/context.ts says it, and src/contexts.ts lists the contexts.
import type { Metric } from 'prom-client';
import type { Declared } from '../events/catalog.js';
import type { EventListener } from '../events/listener.js';
import type { ChannelView } from '../events/outbox.js';
import type { EscrowExplanation } from '../ledger/trial-balance.js';
import type { CredentialResolver } from '../platform/credential.js';
import type { Platform } from '../platform/ctx.js';
import type { Door } from '../platform/door.js';
import type { RealTimeWork } from '../platform/due/real-time.js';
import type { DueStep } from '../platform/due/step.js';
import type { Sweep } from '../platform/due/sweep.js';
import type { Extension, Extensions } from '../platform/extension.js';
import type { GaugeGroup } from '../platform/gauge.js';
import type { Noun } from './noun.js';

type PlatformWork = (platform: Platform) => Promise<void>;

/** Reads what settings of a process add to the extensions that are always there. */
type Configure = (config: Platform['config'], extensions: Extensions) => Promise<readonly Extension[]>;

/** The parts of a context, each of which may be absent. */
export interface ContextParts {
  nouns: readonly Noun[];
  /** What it emits: the `events` of its declarations. */
  events: readonly Declared[];
  /** What it hands to contexts below it. */
  extensions: readonly Extension[];
  /** What it hands to contexts below it because a setting says so. */
  configured: readonly Configure[];
  /** What has to be so when a process starts: each throws one sentence where it is not. */
  conditions: readonly PlatformWork[];
  /** Who hears every published event, in transactions of its own. */
  listeners: readonly EventListener[];
  /** What becomes due in tables that belong to no noun. */
  due: readonly DueStep[];
  /** Endpoints of the wires of others. */
  doors: readonly Door[];
  /** Who is asked what a credential stands for; chosen by how it begins. */
  credentials: readonly CredentialResolver[];
  /** What explains the money that is in escrow, for the proof of the ledger. */
  escrows: readonly EscrowExplanation[];
  /** What expires and is removed: each is run once a minute, by itself. */
  sweeps: readonly Sweep[];
  /** What is done in real time, whatever the clocks of workspaces say. */
  realTime: readonly RealTimeWork[];
  /** What it counts, for /metrics. */
  metrics: readonly Metric[];
  /** What /metrics reads when it is asked for. */
  gauges: readonly GaugeGroup[];
  /** What the channels of agents show of published events. */
  channelViews: readonly ChannelView[];
  /** What ends the streams of the process before it ends itself. */
  streamEnds: readonly PlatformWork[];
  /** What it keeps in memory and writes every few seconds, and once more when the process ends. */
  regularWrites: readonly PlatformWork[];
  /** What it still has to write when the process ends, after its last request. */
  lastWrites: readonly PlatformWork[];
}

export type Context = Partial<ContextParts>;

/** Defines a context. */
export function context(parts: Context): Context {
  return parts;
}

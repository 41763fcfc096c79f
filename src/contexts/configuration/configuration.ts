// Reading, comparing and applying a configuration, as requests ask for it.
import { type Ctx, within } from '../../platform/ctx.js';
import { rollBack } from '../../platform/postgres/rollback.js';
import { type Applied, applyConfiguration, tryConfiguration } from './application.js';
import { type Comparison, compare, type Request } from './comparison.js';
import type { ApplyConfigInput, DiffConfigInput } from './configuration.input.js';
import { namingOf, printConfiguration, readDocument } from './document.js';
import { nameOfKind } from './kind.js';
import { readConfiguration } from './present.js';

export interface PrintedConfiguration {
  revision: string;
  config: Record<string, unknown>;
  /** Things that a file has set up. */
  managed: readonly { kind: string; name: string; managedBy: string; appliedAt: Date }[];
}

/** The configuration as a document, with names in place of ids. */
export async function configuration(ctx: Ctx): Promise<PrintedConfiguration> {
  const there = await readConfiguration(ctx);
  // What was deleted by hand is managed by nobody.
  const living = new Set(there.things.map(({ kind, name, id }) => `${nameOfKind(kind)} ${id ?? name}`));
  const managed = there.records
    .filter(({ kind, name, id }) => living.has(`${kind} ${id ?? name}`))
    .map(({ kind, name, source, appliedAt }) => ({ kind, name, managedBy: source, appliedAt }));
  managed.sort((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));
  return { revision: there.revision, config: printConfiguration(ctx, there, await namingOf(ctx, there)), managed };
}

/** What applying a document would change. Nothing is changed. */
export function diffConfiguration(ctx: Ctx, input: DiffConfigInput): Promise<Comparison> {
  const request = requestOf(ctx, input);
  // One transaction sees everything at one moment.
  return rollBack(ctx.db, async (tx) => {
    const inside = within(ctx, tx);
    return compare(inside, await readConfiguration(inside), request);
  });
}

/** Applies a document: see `applyConfiguration`. */
export function applyDocument(ctx: Ctx, input: ApplyConfigInput): Promise<Applied> {
  return applyConfiguration(ctx, { ...requestOf(ctx, input), plan: input.plan ?? null });
}

/** What an apply would answer, refusals too. */
export function tryDocument(ctx: Ctx, input: ApplyConfigInput): Promise<Applied> {
  return tryConfiguration(ctx, { ...requestOf(ctx, input), plan: input.plan ?? null });
}

const usualSource = 'default';

function requestOf({ platform }: Ctx, { config, source, prune }: DiffConfigInput): Request {
  return { wanted: readDocument(platform.operations, config), source: source ?? usualSource, prune: prune ?? false };
}

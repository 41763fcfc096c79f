// The order in which changes are made: what goes goes first, then what stays is changed, and what others build on is made before them.
import { ValidationFailed } from '../../platform/errors.js';
import type { Creation, PlannedChange } from './change.js';
import { kinds } from './kind.js';
import type { Reference } from './reference.js';
import type { Wanted } from './thing.js';

/** The changes in the order in which they are made. 400 for budgets that are below each other. */
export function inOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  const of = (op: PlannedChange['op']) => changes.filter((change) => change.op === op);
  const made = of('create') as Creation[];
  const ordered = kinds.flatMap((kind) => parentsFirst(made.filter((change) => change.kind === kind)));
  return [...of('delete'), ...of('update'), ...ordered];
}

function parentsFirst(creations: readonly Creation[]): Creation[] {
  const ordered: Creation[] = [];
  let waiting = [...creations];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter(({ wanted }) => !waitsFor(wanted, names));
    if (ready.length === 0)
      throw new ValidationFailed(waiting.map(({ wanted: { at } }) => ({ path: [...at, 'parent_id'], message: 'leads back to itself' })));
    ordered.push(...ready);
    waiting = waiting.filter((one) => !ready.includes(one));
  }
  return ordered;
}

function waitsFor({ settings }: Wanted, names: ReadonlySet<string>): boolean {
  const parent = settings['parent_id'] as Reference | string | undefined;
  return typeof parent === 'object' && names.has(String(parent['budget']));
}

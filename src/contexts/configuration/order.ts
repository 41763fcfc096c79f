// The order in which changes are made: what goes goes first, then what stays is changed, and what others build on is made before them.
import { ValidationFailed } from '../../platform/errors.js';
import type { Creation, PlannedChange } from './change.js';
import { kinds, nameOfKind } from './kind.js';
import type { Reference } from './reference.js';
import type { Wanted } from './thing.js';

/** The changes in the order in which they are made. 400 for budgets that are below each other. */
export function inOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  const of = (op: PlannedChange['op']) => changes.filter((change) => change.op === op);
  const made = of('create') as Creation[];
  const ordered = kinds.flatMap((kind) => parentsFirst(made.filter((change) => change.kind === kind)));
  const updates = budgetsInTurn(of('update') as Update[]);
  // What is switched off makes room for what is switched on.
  const isOff = ({ changed }: Update) => changed['enabled'] === false;
  return [...of('delete'), ...updates.filter(isOff), ...updates.filter((update) => !isOff(update)), ...ordered];
}

type Update = PlannedChange & { op: 'update' };

/** A budget is never above its parent: what shrinks does so from below, and before anything grows from above. A parent is older. */
function budgetsInTurn(updates: readonly Update[]): Update[] {
  const growth = ({ present, changed }: Update) => Math.sign(Number(changed['amount'] ?? 0) - Number(present.settings['amount'] ?? 0));
  const older = (a: Update, b: Update) => (String(a.present.id) < String(b.present.id) ? -1 : 1);
  const budgets = updates.filter(({ kind, changed }) => nameOfKind(kind) === 'budgets' && 'amount' in changed);
  const shrinking = budgets.filter((update) => growth(update) < 0).sort((a, b) => older(b, a));
  const growing = budgets.filter((update) => growth(update) >= 0).sort(older);
  return [...shrinking, ...growing, ...updates.filter((update) => !budgets.includes(update))];
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

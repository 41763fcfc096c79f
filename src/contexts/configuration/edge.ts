// What a file says, held to the edge of the operations: the form of every request, before any of them is made.
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import type { Operations } from '../../platform/operation.js';
import { isNamed, type Kind } from './kind.js';
import { asReference } from './reference.js';
import { mapValues, type Settings, type Wanted } from './thing.js';

type Path = readonly (string | number)[];

/** Stands for an id that is not known yet, where only the form of a request is looked at. */
const anyId = '00000000-0000-7000-8000-000000000000';

/** 400 with every path for what the operations would refuse at the edge. */
export function checkEdge(operations: Operations<Ctx>, wanted: readonly Wanted[]): void {
  const issues: FieldIssue[] = [];
  for (const { kind, name, at, settings } of wanted) {
    const filled = mapValues(settings, (value) => (asReference(value) === undefined ? value : anyId)) as Settings;
    try {
      checkThing(operations, kind, name, filled);
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      issues.push(...placed(error, kind, at));
    }
  }
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** The settings that only a change takes are looked at by it. */
function checkThing(operations: Operations<Ctx>, kind: Kind, name: string, settings: Settings): void {
  if (kind.is === 'single') {
    operations.check(kind.set, { body: settings });
    return;
  }
  const taken = new Set(kind.members ?? operations.takes(kind.make));
  const first = Object.fromEntries(Object.entries(settings).filter(([member]) => taken.has(member)));
  const later = Object.fromEntries(Object.entries(settings).filter(([member]) => !taken.has(member)));
  operations.check(kind.make, { body: bodyOf(kind, { ...(isNamed(operations, kind) && { name }), ...first }) });
  if (Object.keys(later).length > 0) operations.check(kind.change, { params: { id: anyId }, body: later });
}

/** The body of a creation or a change. */
export function bodyOf(kind: Kind, settings: Settings): Settings {
  return kind.is === 'list' && kind.bodyOf !== undefined ? kind.bodyOf(settings) : settings;
}

/** The issues of an operation, at the place of the thing in the request. */
export function placed(error: { fields?: readonly FieldIssue[] | undefined }, kind: Kind, at: Path): FieldIssue[] {
  const outer = kind.is === 'list' && kind.bodyOf !== undefined ? 2 : 0;
  return (error.fields ?? []).map(({ path, ...issue }) => {
    const inner = path[0] === 'input' ? path.slice(1) : path;
    return { ...issue, path: [...at, ...inner.slice(outer)] };
  });
}

// What an apply does to one thing.
import { type Kind, nameOfKind } from './kind.js';
import type { Present, Settings, Wanted } from './thing.js';

/** One setting of a thing before and after, with names in place of ids; null where there is none. */
export interface ChangedField {
  path: string;
  from: unknown;
  to: unknown;
}

interface Change {
  kind: Kind;
  name: string;
  fields: readonly ChangedField[];
}

export type PlannedChange =
  | (Change & { op: 'create'; wanted: Wanted })
  | (Change & { op: 'update'; wanted: Wanted; present: Present; changed: Settings })
  | (Change & { op: 'delete'; present: Present });

/** A thing that is made. */
export type Creation = PlannedChange & { op: 'create' };

/** A change as it is answered, and as the plan is made of. */
export function printChange({ op, kind, name, fields }: PlannedChange) {
  return { op, kind: nameOfKind(kind), name, fields };
}

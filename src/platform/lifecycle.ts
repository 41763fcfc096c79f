// A lifecycle is a table: status -> the statuses it may turn into. Printed into the docs, walked by tests.
import { StateConflict } from './errors.js';

export type Lifecycle<S extends string> = Readonly<Record<S, readonly S[]>>;

/** The statuses from which `to` can be reached in one step. */
export function allowedFrom<S extends string>(lifecycle: Lifecycle<S>, to: S): S[] {
  return (Object.keys(lifecycle) as S[]).filter((from) => lifecycle[from].includes(to));
}

/** Throws 409 `state_conflict` unless `from` may turn into `to`. */
export function checkStep<S extends string>(lifecycle: Lifecycle<S>, noun: string, from: S, to: S): void {
  if (!lifecycle[from].includes(to)) throw conflict(lifecycle, noun, from, to);
}

/** The 409 for a step that the status does not allow. */
export function conflict<S extends string>(lifecycle: Lifecycle<S>, noun: string, from: S, to: S): StateConflict {
  const allowed = allowedFrom(lifecycle, to);
  return new StateConflict(`The ${noun} is ${from}; it can become ${to} only from ${allowed.join(' or ') || 'no status'}.`, from, allowed);
}

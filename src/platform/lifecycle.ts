// A lifecycle says which statuses a noun has, which of them may follow which, and which requests take those steps. Printed into
// docs/lifecycles.md; a step that is not in it is a 409 that says what would help.
import { type NextAction, StateConflict, type WayOut } from './errors.js';

/** A request that gives an object the status `to`. */
interface StepRequest<S> extends Omit<NextAction, 'path'> {
  to: S;
  /** Where it is narrower than the table. */
  from?: readonly S[];
  /** Below the object's own path, such as `/freeze`; empty by default. */
  path?: string;
}

export interface Lifecycle<S extends string> {
  /** What sentences call the object. */
  noun: string;
  /** Path of the object, where `{id}` stands for its id. */
  path: string;
  /** The statuses that may follow each status. */
  steps: Readonly<Record<S, readonly S[]>>;
  /** What callers can do about a status, the more obvious first. What happens by itself has no request. */
  requests: readonly StepRequest<S>[];
}

/** The statuses from which `to` can be reached in one step. */
export function allowedFrom<S extends string>({ steps }: Lifecycle<S>, to: S): S[] {
  return (Object.keys(steps) as S[]).filter((from) => steps[from].includes(to));
}

/** The statuses that others may follow. */
export function openStatuses<S extends string>({ steps }: Lifecycle<S>): S[] {
  return (Object.keys(steps) as S[]).filter((status) => steps[status].length > 0);
}

/** Throws 409 `state_conflict` unless the object `id`, which is `from`, may become `to`. */
export function checkStep<S extends string>(lifecycle: Lifecycle<S>, id: string, from: S, to: S): void {
  if (!lifecycle.steps[from].includes(to)) throw conflict(lifecycle, id, from, to);
}

/** The 409 for a step of the object `id` that its status does not allow. */
export function conflict<S extends string>(lifecycle: Lifecycle<S>, id: string, from: S, to: S): StateConflict {
  const allowed = allowedFrom(lifecycle, to);
  const message = `The ${lifecycle.noun} is ${from}; it can become ${to} only from ${allowed.join(' or ') || 'no status'}.`;
  return new StateConflict(message, from, allowed, from === to ? readAction(lifecycle, id) : wayTo(lifecycle, id, from, allowed));
}

/** The 409 for an object `id` that would have to have one of the statuses `wanted`, and is `current`. */
export function wrongStatus<S extends string>(
  lifecycle: Lifecycle<S>,
  id: string,
  current: S,
  wanted: readonly S[],
  message: string,
): StateConflict {
  return new StateConflict(message, current, wanted, wayTo(lifecycle, id, current, wanted));
}

/** The requests that lead from `current` to one of `wanted` in one step; without any, the refusal is terminal. */
function wayTo<S extends string>(lifecycle: Lifecycle<S>, id: string, current: S, wanted: readonly S[]): WayOut {
  const open = lifecycle.steps[current].filter((status) => wanted.includes(status));
  const helpful = lifecycle.requests.filter(({ to, from }) => open.includes(to) && (from?.includes(current) ?? true));
  if (helpful.length === 0) return { terminal: true };
  return {
    next_actions: helpful.map(({ to: _to, from: _from, path = '', ...request }) => ({ ...request, path: pathOf(lifecycle, id) + path })),
  };
}

/** The object is as it was asked to be already: all that is left to do is to read it. */
function readAction<S extends string>(lifecycle: Lifecycle<S>, id: string): WayOut {
  return { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: pathOf(lifecycle, id) }] };
}

function pathOf({ path }: { path: string }, id: string): string {
  return path.replace('{id}', id);
}

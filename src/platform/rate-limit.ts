// How many requests may come in a minute (SPEC.md "Limits", CONTRACT.md 22): the numbers of each class, for an address, for an actor and for
// all actors of a workspace together.
import type { Config } from '../config.js';

/** Which budgets a request of an actor draws on. */
export const rateClasses = ['general', 'auth', 'login'] as const;
/** Those, and `tile`: what anybody reads of published logs. */
export type RateClass = (typeof rateClasses)[number] | 'tile';

/** Whose budget it is. */
export const budgetOwners = ['address', 'actor', 'workspace'] as const;
export type BudgetOwner = (typeof budgetOwners)[number];

/** Seconds of a window. */
export const windowSeconds = 60;

/** What the operator has said of a workspace; absent or null: nothing. */
export interface OperatorRates {
  actorRate?: number | null;
  workspaceRate?: number | null;
}

/** The points of a window, for each owner. */
export type RateNumbers = Readonly<Record<BudgetOwner, number>>;

/** A budget on which a request has drawn. */
export interface DrawnBudget {
  rateClass: RateClass;
  owner: BudgetOwner;
  limit: number;
  /** Below zero: it did not suffice. */
  remaining: number;
  resetAt: Date;
}

/** The limits of one listener: `general` is the sandbox's own number there, the others are the same in both. */
export function limitsOf(config: Config, environment: 'test' | 'live'): Record<RateClass, number> {
  const { general, sandbox, auth, login, tile } = config.rateLimit;
  return { general: environment === 'live' ? general : sandbox, auth, login, tile };
}

/** The actors of a workspace together have as much as so many of them. */
const actorsOfWorkspace = 10;

// Gap G-520: The operator's numbers are of class `general`; an address keeps the listener's, as it is asked before the tenant is known.
/** What binds a request of a class. `stated` is the number of the class on this listener. */
export function rateNumbers(rateClass: RateClass, stated: number, { actorRate, workspaceRate }: OperatorRates = {}): RateNumbers {
  const own = rateClass === 'general' ? { actorRate, workspaceRate } : {};
  const actor = own.actorRate ?? stated;
  return { address: stated, actor, workspace: own.workspaceRate ?? actorsOfWorkspace * actor };
}

// What is known of a request's effect: whether a change may have been committed by now. So a failure can say whether the request may be
// sent again, and what was given up in time has none for certain (CONTRACT.md 0 "When nobody knows").
import { Overloaded } from './errors.js';
import { changedNothing } from './postgres/failure.js';

export class Effect {
  /** Set when the request turns out to be a mutation: then a statement without an answer may have changed something. */
  isMutation = false;
  /** What names the result of the last change that was sent: its id, as a replay would look for it. */
  reference: string | undefined;
  #commits = 0;
  #isGivenUp = false;

  /** True once a change may have been committed. */
  get isPossible(): boolean {
    return this.#commits > 0;
  }

  /** True once its caller has been told that it was given up. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /**
   * Call it right before that is sent which commits a change. Counts the change as made until `undo`.
   * @throws Overloaded when the request was given up before: its caller has been told that nothing happened
   */
  begin(): void {
    if (this.#isGivenUp) throw new Overloaded('The request was given up before its change was sent.');
    this.#commits += 1;
  }

  /** Takes a `begin` back: what it announced has certainly changed nothing. */
  undo(): void {
    this.#commits -= 1;
  }

  /** Gives the request up. From then on it commits nothing; what it may have committed before stays possible. */
  giveUp(): void {
    this.#isGivenUp = true;
  }
}

/**
 * Runs `work`, which calls `begin` right before it sends what commits its change. A failure that proves that nothing was changed takes
 * that back.
 */
export async function commit<T>(effect: Effect, work: (begin: () => void) => Promise<T>): Promise<T> {
  let hasBegun = false;
  try {
    return await work(() => {
      effect.begin();
      hasBegun = true;
    });
  } catch (error) {
    if (hasBegun && changedNothing(error)) effect.undo();
    throw error;
  }
}

/** Runs a statement that commits by itself, outside of any transaction. */
export function commitAlone<T>(effect: Effect, statement: () => Promise<T>): Promise<T> {
  return commit(effect, (begin) => {
    begin();
    return statement();
  });
}

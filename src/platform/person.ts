// What people decide, and no program (CONTRACT.md 22, 23).
import type { Ctx } from './ctx.js';
import { declareError, type NextAction } from './errors.js';

/** 403: a person has to do this. An API key does not, nor a JWT session, which stands for one. */
export class PeopleOnly extends declareError(403, 'forbidden') {
  /** `actions`: what the program may do instead. */
  constructor(message: string, actions: readonly NextAction[] = []) {
    const wayOut = actions.length === 0 ? ({ terminal: true } as const) : { next_actions: actions };
    super(message, { details: { reason: 'person_required', ...wayOut } });
  }
}

/** True where nobody else acts: a person who is signed in, or the platform itself, for which its owner has the command line. */
export function isPerson({ actor: { type } }: Pick<Ctx, 'actor'>): boolean {
  return type === 'member' || type === 'system';
}

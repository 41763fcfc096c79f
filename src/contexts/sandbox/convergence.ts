// Convergence: the end of a story in the sandbox. Everything has come to its end, and the books agree (CONTRACT.md 19).
import type { Ctx } from '../../platform/ctx.js';
import { printSubject } from '../../platform/schema/id.js';
import { requireTestMode } from './clock.js';
import { readConvergence } from './convergence.sql.js';

/** Things of one kind that are shown, at most. */
export const mostOfKind = 100;

interface OpenThing {
  type: string;
  id: string;
  status: string;
}
interface Mismatch {
  kind: string;
  id: string;
  expected: string | null;
  actual: string | null;
}
export interface Convergence {
  converged: boolean;
  open: OpenThing[];
  mismatches: Mismatch[];
  checkedAt: Date;
}

/** Whether nothing is on its way any more, and all books agree. 403 `test_mode_only`. */
export async function convergence(ctx: Ctx): Promise<Convergence> {
  requireTestMode(ctx);
  const rows = await readConvergence(ctx, mostOfKind);
  const open = rows
    .filter(({ list }) => list === 'open')
    .map(({ kind: type, id, expected }) => ({ type, id: printSubject(type, id), status: expected ?? '' }));
  const mismatches = rows.filter(({ list }) => list === 'mismatch').map(({ list: _, ...mismatch }) => mismatch);
  return { converged: rows.length === 0, open, mismatches, checkedAt: ctx.clock.now() };
}

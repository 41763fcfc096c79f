// Members by their ids, for what shows them: those of a document are read together.
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { readVoters, type Voter } from './voter.sql.js';

/** A member of the tenant as it is now, also one that was removed; undefined where there is none. */
export function voterOf(ctx: Ctx, memberId: string): Promise<Voter | undefined> {
  return loadTogether(ctx, 'voter', memberId, (ids) => readVoters(ctx.db, ctx.workspace.tenantId, ids));
}

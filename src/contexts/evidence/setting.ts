// What a tenant sets of its log.
import type { EvidenceLog } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { currentLog } from './head.js';
import type { UpdateEvidenceLogInput } from './log.input.js';

/** Sets who may read the log, and how often its heads are told. */
export async function updateLog(ctx: Ctx, { publish, headEventSeconds }: UpdateEvidenceLogInput): Promise<EvidenceLog> {
  const { id } = await currentLog(ctx);
  return transact(ctx, async (tx) => {
    const data = { ...(publish != null && { publish }), ...(headEventSeconds != null && { headEventSeconds }) };
    await tx.evidenceLog.updateMany({ where: { id }, data });
    return tx.evidenceLog.findFirstOrThrow({ where: { id } });
  });
}

/** What a repeated request is answered with. */
export async function logById({ db }: Ctx, id: string): Promise<EvidenceLog> {
  return db.evidenceLog.findFirstOrThrow({ where: { id } });
}

// In whose name a batch is carried out: that of whoever created it, with the same credential. A posting asks for the credential as it is
// by then, so the items of a key or session that has ended meanwhile are refused (Gap G-149).
import type { Batch } from '../../generated/prisma/client.js';
import type { Actor, CredentialKind, Ctx } from '../../platform/ctx.js';
import { createCtx } from '../../platform/request.js';
import { actingAgent } from '../agents/agent.js';

/** The ctx of a batch, made from that of the worker. What it makes carries the trace of the request. */
export async function ctxOf(ctx: Ctx, batch: Batch): Promise<Ctx> {
  const { traceId } = batch;
  const act = { action: 'createBatch', resourceType: 'transfer' };
  const facts = { requestId: ctx.requestId, ip: ctx.ip, act, ...(traceId !== null && { traceId }) };
  return createCtx(ctx.platform, { actor: await creatorOf(ctx, batch), workspace: ctx.workspace }, facts);
}

async function creatorOf(
  ctx: Ctx,
  { id: batchId, createdByType, createdById, credentialKind, credentialId, agentId }: Batch,
): Promise<Actor> {
  const agent = agentId === null ? null : await actingAgent(ctx, agentId);
  if (agentId !== null && agent === null) throw new Error(`the agent of batch ${batchId} is not there`);
  return {
    type: createdByType,
    id: createdById,
    name: agent?.name ?? '',
    scopes: [],
    credential: { kind: credentialKind as CredentialKind, id: credentialId },
    ...(agent !== null && { agent }),
  };
}

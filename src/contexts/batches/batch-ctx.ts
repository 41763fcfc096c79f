// In whose name a batch is carried out: a posting asks for the credential as it is by then, and each item for its scopes.
import type { Batch } from '../../generated/prisma/client.js';
import type { Actor, CredentialKind, Ctx } from '../../platform/ctx.js';
import { createCtx } from '../../platform/request.js';
import { scopesNow } from '../../platform/scopes-now.js';
import { actingAgent } from '../agents/agent.js';

// Gap G-463: A batch runs with the scopes that its key or member has when it runs; without `transfers:write` its items fail.
// Gap G-149: A batch acts as whoever created it; items after the end of the credential of an agent fail with its error.
// Gap G-522: What a key set up goes on after it was revoked, batches too; after a roll with the scopes of its successor.
/** The ctx of a batch, made from that of the worker. What it makes carries the trace of the request. */
export async function ctxOf(ctx: Ctx, batch: Batch): Promise<Ctx> {
  const { traceId } = batch;
  const act = { action: 'createBatch', resourceType: 'transfer' };
  const facts = { requestId: ctx.requestId, ip: ctx.ip, act, ...(traceId !== null && { traceId }) };
  return createCtx(ctx.platform, { actor: await creatorOf(ctx, batch), workspace: ctx.workspace }, facts);
}

/** Credentials that stand for an API key. */
const ofKey: ReadonlySet<string> = new Set<CredentialKind>(['api_key', 'jwt']);

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
    scopes: await scopesNow(ctx, { type: createdByType, id: createdById }),
    // A key's posting asks for no key that may have been revoked or rolled since.
    credential: ofKey.has(credentialKind)
      ? { kind: 'none', id: createdById }
      : { kind: credentialKind as CredentialKind, id: credentialId },
    ...(agent !== null && { agent }),
  };
}

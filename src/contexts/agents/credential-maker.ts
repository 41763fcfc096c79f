// Who made the credential by which an agent asks, and so has seen it: an API key or a member, as far as anybody knows.
import type { Ctx } from '../../platform/ctx.js';
import { idKinds } from '../../platform/schema/id.js';

/**
 * The printed id of whoever made the token or the key behind the credential of the actor; null where nobody knows, and for other
 * credentials. A token that an agent has made of its own counts as the one before it.
 */
export async function makerOfCredential({ actor: { agent, credential }, db }: Pick<Ctx, 'actor' | 'db'>): Promise<string | null> {
  const { kind, id } = credential;
  if (agent === undefined) return null;
  if (kind === 'agent_token') {
    const bySelf = { createdBy: { startsWith: `${idKinds.agent.prefix}_` } };
    const before = { agentId: agent.id, id: { lte: id }, OR: [{ createdBy: null }, { NOT: bySelf }] };
    const made = await db.agentToken.findFirst({ where: before, orderBy: { id: 'desc' }, select: { createdBy: true } });
    return made?.createdBy ?? null;
  }
  if (kind !== 'session') return null;
  const session = await db.agentSession.findFirst({ where: { id }, select: { key: { select: { createdBy: true } } } });
  return session?.key.createdBy ?? null;
}

// The live channel of an agent (SPEC.md "Agent push channel"): the program connects with its session, the company watches.
import type { AgentKey } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { SessionRequired } from '../../platform/errors.js';
import type { Mailbox } from '../../platform/mailbox.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { agent, canSeeAgent } from './agent.js';
import { appendAgentEvents } from './agent-event.sql.js';
import { newFrame } from './channel-event.js';
import { type ChannelPosition, ChannelReader } from './channel-reader.js';
import { type ChannelConnection, connectionsOf, openConnection, openWatch } from './connection.js';

export interface AgentEventsInput {
  agentId: string;
  lastEventId?: string | null | undefined;
  /** As the agent itself: with a session, as its one connection. */
  connect: boolean;
}

/**
 * The events of an agent: what was missed since `lastEventId`, then what happens. 403 `session_required` to connect without a
 * session, 409 when five are connected.
 */
export async function agentEvents(ctx: Ctx, { agentId, lastEventId, connect }: AgentEventsInput): Promise<Mailbox> {
  if (connect && ctx.actor.credential.kind !== 'session')
    throw new SessionRequired('Only an agent connects, with a session: sign a challenge to get one.');
  canSeeAgent(ctx, agentId);
  const opened = connect ? await openConnection(ctx, agentId) : await watch(ctx, agentId);
  const { lastSeq, ...connection } = opened;
  const reader = new ChannelReader(ctx.platform, connection);
  try {
    connectionsOf(ctx.platform).add(reader);
    await reader.begin(positionOf(lastEventId) ?? { lastSeq });
  } catch (error) {
    reader.end();
    throw error;
  }
  return reader.mailbox;
}

async function watch(ctx: Ctx, agentId: string): Promise<ChannelConnection & { lastSeq: number }> {
  await agent(ctx, agentId);
  const channel = await ctx.db.agentChannel.findFirst({ where: { agentId } });
  return { ...(await openWatch(ctx, agentId)), lastSeq: Number(channel?.lastSeq ?? 0) };
}

/** Undefined for an id that is none of ours: the channel then begins with what comes. */
function positionOf(lastEventId: string | null | undefined): ChannelPosition | undefined {
  return lastEventId != null && /^\d{1,15}$/.test(lastEventId) ? { after: Number(lastEventId) } : undefined;
}

// Gap G-86: A revoked key is announced as `key_rotated` with `new_public_key` null, before the stream ends.
/**
 * Shows an agent that its key has ended, in the transaction that ends it; `next` is the key that takes its place. What it returns is called
 * after the commit.
 */
export async function notifyKeyEnded(ctx: Ctx, tx: Tx, key: AgentKey, next: AgentKey | null): Promise<() => void> {
  const { agentId } = key;
  const revokeAt = key.rotatedAt ?? key.revokedAt ?? ctx.platform.clock.now();
  const frame = newFrame(
    ctx.workspace.id,
    'key_rotated',
    { agentId, at: ctx.clock.now() },
    {
      key_id: printId('authKey', key.id),
      new_public_key: next === null ? null : Buffer.from(next.publicKey).toString('base64'),
      revoke_at: revokeAt.toISOString(),
    },
  );
  return ctx.platform.fanout.announce(tx, await appendAgentEvents(tx, [frame]));
}

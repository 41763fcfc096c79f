// Whether an agent is listening, and what it could read again (CONTRACT.md 5 "Liveness"). It is read
// from the rows of agent_connection, which every process keeps up to date, so any process can answer.
import DataLoader from 'dataloader';
import type { Ctx } from '../../platform/ctx.js';
import { agent } from './agent.js';
import { printSeq } from './agent-event.sql.js';
import { replay } from './channel-event.js';
import { liveSince } from './connection.js';

export interface Liveness {
  agentId: string;
  connected: boolean;
  connections: number;
  /** Of the newest connection. */
  connectedAt: Date | null;
  lastHeartbeatAt: Date | null;
  lastEventId: string | null;
  lastDisconnectAt: Date | null;
  /** Of the session that lasts longest. */
  sessionExpiresAt: Date | null;
  bufferedEvents: number;
  oldestBufferedEventId: string | null;
}

/** The liveness of an agent, or 404. */
export async function liveness(ctx: Ctx, agentId: string): Promise<Liveness> {
  await agent(ctx, agentId);
  const { platform, db } = ctx;
  const live = await db.agentConnection.findMany({
    where: { agentId, lastHeartbeatAt: { gt: liveSince(platform) } },
    orderBy: { connectedAt: 'desc' },
  });
  const channel = await db.agentChannel.findFirst({ where: { agentId } });
  const key = { workspaceId: ctx.workspace.id, agentId };
  const { events } = await replay(platform, key, 0);
  const last = await db.agentSession.findFirst({
    where: { id: { in: live.map(({ sessionId }) => sessionId) } },
    orderBy: { expiresAt: 'desc' },
  });
  const lastSeq = Number(channel?.lastSeq ?? 0);
  return {
    agentId,
    connected: live.length > 0,
    connections: live.length,
    connectedAt: live[0]?.connectedAt ?? null,
    lastHeartbeatAt: latest(live.map(({ lastHeartbeatAt }) => lastHeartbeatAt)),
    lastEventId: lastSeq === 0 ? null : printSeq(lastSeq),
    lastDisconnectAt: channel?.lastDisconnectAt ?? null,
    sessionExpiresAt: last?.expiresAt ?? null,
    bufferedEvents: events.length,
    oldestBufferedEventId: events[0] === undefined ? null : printSeq(events[0].seq),
  };
}

function latest(times: readonly Date[]): Date | null {
  return times.reduce<Date | null>((last, at) => (last === null || at > last ? at : last), null);
}

const loaders = new WeakMap<Ctx, DataLoader<string, boolean>>();

/** True while a session has its stream open. Asked for many sessions at once. */
export function isSessionConnected(ctx: Ctx, sessionId: string): Promise<boolean> {
  let loader = loaders.get(ctx);
  if (loader === undefined) {
    loader = new DataLoader(async (ids) => {
      const where = { sessionId: { in: [...ids] }, lastHeartbeatAt: { gt: liveSince(ctx.platform) } };
      const open = new Set((await ctx.db.agentConnection.findMany({ where })).map((connection) => connection.sessionId));
      return ids.map((id) => open.has(id));
    });
    loaders.set(ctx, loader);
  }
  return loader.load(sessionId);
}

// Connections: programs that act as an agent, each with its budget, until they are revoked or expire (CONTRACT.md 22). Credentials live in
// real time, and so do they.
import type { Connection, ConnectionStatus } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx, Environment, Platform } from '../../platform/ctx.js';
import { workspaceOf } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import type { Frozen } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { hasScope } from '../../platform/schema/audience.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { workspaceById } from '../identity/tenant.js';
import { dropRulebook } from '../spending/pipeline/rules-tag.js';
import { artifactHash } from './artifact.js';
import { deleteExpired, expiredConnections, holdPostingsBack, orphanedConnections, ownerOfToken } from './artifact.sql.js';
import { emit } from './events.js';

export const connectionLifecycle: Lifecycle<ConnectionStatus> = {
  noun: 'connection',
  path: '/v1/connections/{id}',
  steps: { active: ['revoked', 'expired'], revoked: [], expired: [] },
  requests: [{ to: 'revoked', rel: 'revoke', actor: 'any', method: 'DELETE' }],
};

/** Active connections of one agent. */
export const mostOfAgent = 20;

/** What has become of a connection by `at`: its row is told of an expiry a little later. */
export function statusOf({ status, expiresAt }: Pick<Connection, 'status' | 'expiresAt'>, at: Date): ConnectionStatus {
  return status === 'active' && expiresAt <= at ? 'expired' : status;
}

/** Agents see nothing of connections, not of their own either: a program need not know of the others. */
export const visibleConnections = operatorsOnly('connections:read');

/** The connection, or 404. `query` is the caller's selection. */
export async function connection(ctx: Ctx, id: string, query: object = {}): Promise<Connection> {
  const found = await ctx.db.connection.findFirst({ ...query, where: { AND: [{ id }, visibleConnections.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Connections, ended ones too, newest first. */
export const connections = listOf(
  'connection',
  { visible: visibleConnections },
  {
    status(status: ConnectionStatus, { platform: { clock } }) {
      const at = clock.now();
      if (status === 'active') return { status, expiresAt: { gt: at } };
      if (status === 'revoked') return { status };
      return { OR: [{ status }, { status: 'active' as const, expiresAt: { lte: at } }] };
    },
  },
);

/** The name of a member, for who may read members; read together for all that are shown. */
export async function nameOfMember(ctx: Ctx, memberId: string): Promise<string | null> {
  if (!hasScope(ctx.actor, 'members:read')) return null;
  const name = await loadTogether(ctx, 'names of members', memberId, async (ids) => {
    const rows = await ctx.db.member.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true } });
    return new Map(rows.map((row) => [row.id, row.name]));
  });
  return name ?? null;
}

/** Lets a connection end earlier. 400 for a later end, 409 for one that has ended. */
export async function shortenConnection(ctx: Ctx, id: string, expiresAt: Date): Promise<Connection> {
  const changed = await transact(ctx, async (tx) => {
    const row = await lockRow(tx.connection, id);
    const at = ctx.platform.clock.now();
    const refuse = (message: string, rule: string) => new ValidationFailed([{ path: ['expiresAt'], message, rule }]);
    if (expiresAt <= at) throw refuse('must be in the future: revoke the connection to end it now', 'future');
    if (expiresAt > row.expiresAt) throw refuse('must not be later than it is: connect again for longer', 'shorten');
    return tx.connection.update({ where: rowKey(ctx, id), data: { expiresAt } });
  });
  ctx.platform.cache.drop(`connection:${id}`);
  return changed;
}

/** Ends a connection at once, in every process and in every posting. Again on one that has ended changes nothing. */
export async function revokeConnection(ctx: Ctx, id: string): Promise<Connection> {
  const revoked = await transact(ctx, async (tx) => {
    const row = await lockRow(tx.connection, id);
    if (row.status !== 'active') return row;
    await holdPostingsBack(tx, id);
    await end(ctx, tx, [row], 'revoked');
    return { ...row, status: 'revoked' as const };
  });
  forget(ctx, [revoked]);
  return revoked;
}

/** What processes keep of connections that have ended, and of the rules that bound them. */
function forget(ctx: Ctx, ended: readonly Pick<Connection, 'id'>[]): void {
  for (const { id } of ended) ctx.platform.cache.drop(`connection:${id}`);
  dropRulebook(ctx);
}

/** Ends active connections with their budgets, which bind nothing any more. Revoking is told, expiring is not. */
async function end(ctx: Ctx, tx: Tx, rows: readonly Connection[], status: 'revoked' | 'expired'): Promise<void> {
  const endedAt = ctx.platform.clock.now();
  const ids = rows.map(({ id }) => id);
  await tx.connection.updateMany({ where: { id: { in: ids } }, data: { status, endedAt } });
  const budgets = rows.flatMap(({ budgetId }) => budgetId ?? []);
  if (budgets.length > 0) await tx.budget.updateMany({ where: { id: { in: budgets } }, data: { deletedAt: ctx.clock.now() } });
  if (status === 'expired') return;
  for (const row of rows) await emit(ctx, tx, 'connection.revoked', eventData(row), { objectId: row.id });
}

/** What events tell of a connection. */
export function eventData({ id, agentId, memberId, clientName, redirectHost, expiresAt }: Connection) {
  return {
    connection_id: printId('connection', id),
    agent_id: printId('agent', agentId),
    member_id: printId('member', memberId),
    client_name: clientName,
    redirect_host: redirectHost,
    expires_at: expiresAt.toISOString(),
  };
}

/** Ends the connections of an agent that is revoked, in that transaction. */
export async function endWithAgent(ctx: Ctx, tx: Tx, { kind, id, reason }: Frozen): Promise<void> {
  if (kind !== 'agent' || reason !== 'agent_revoked') return;
  const rows = await tx.connection.findMany({ where: { agentId: id, status: 'active' }, orderBy: { id: 'asc' } });
  if (rows.length > 0) await end(ctx, tx, rows, 'revoked');
}

/** Ends the connection of a grant: its client gave it up, or used a code or a token twice. */
export async function endConnectionOf({ cells }: Platform, environment: Environment, grantId: string): Promise<void> {
  const owner = await ownerOfToken(cells.directory.database.pool, artifactHash('Grant', grantId));
  if (owner === null) return;
  const platform = await cells.find({ workspaceId: owner.workspaceId });
  const workspace = await workspaceById(platform, owner.workspaceId);
  if (workspace?.environment !== environment) return;
  const act = { action: 'endConnection', resourceType: 'connection', resourceId: owner.connectionId };
  await revokeConnection(systemCtx(platform, workspace, act), owner.connectionId);
}

// Gap G-485: A connection expires by real time; its row says so within a minute, and no event tells of it.
/** Ends connections whose time is over, with their budgets; how many. For the worker. */
export async function sweepConnections(platform: Platform, most = 1_000): Promise<number> {
  const { database, clock } = platform;
  const rows = await expiredConnections(database.pool, clock.now(), Math.min(most, 100));
  for (const { id, ...found } of rows) {
    const workspace = workspaceOf({ ...found, id: found.workspaceId });
    const ctx = systemCtx(platform, workspace, {
      action: 'expireConnection',
      resourceType: 'connection',
      resourceId: id,
    });
    await transact(ctx, async (tx) => {
      const row = await lockRow(tx.connection, id);
      if (statusOf(row, clock.now()) === 'expired' && row.status === 'active') await end(ctx, tx, [row], 'expired');
      return row;
    });
    forget(ctx, [{ id }]);
  }
  return rows.length;
}

// Gap G-487: Connections of a removed member stop at once, and are `revoked` within a minute; suspension stops them alone.
/** Ends connections whose members were removed; how many. For the worker. */
export async function sweepOrphans(platform: Platform, most = 1_000): Promise<number> {
  const rows = await orphanedConnections(platform.database.pool, Math.min(most, 100));
  for (const { id, ...found } of rows) {
    const act = { action: 'endConnection', resourceType: 'connection', resourceId: id };
    await revokeConnection(systemCtx(platform, workspaceOf({ ...found, id: found.workspaceId }), act), id);
  }
  return rows.length;
}

/** Deletes what the authorization server keeps and has expired; how many. For the worker. */
export function sweepArtifacts({ database, clock }: Platform, most = 1_000): Promise<number> {
  return deleteExpired(database.pool, clock.now(), most);
}

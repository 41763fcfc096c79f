// The commands about connections.
import { revokeConnection, statusOf } from '../contexts/connections/connection.js';
import type { Platform, Workspace } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { printId } from '../platform/schema/id.js';

/** Connections that are listed. */
const most = 1_000;

/** The programs that were connected to agents, the newest first, as text or as JSON. */
export async function listConnections(platform: Platform, workspace: Workspace, isJson: boolean): Promise<string> {
  const rows = await systemCtx(platform, workspace, null).db.connection.findMany({ orderBy: { id: 'desc' }, take: most });
  const connections = rows.map((row) => ({
    id: printId('connection', row.id),
    status: statusOf(row, platform.clock.now()),
    agent_id: printId('agent', row.agentId),
    redirect_host: row.redirectHost,
    expires_at: row.expiresAt.toISOString(),
    client_name: row.clientName,
  }));
  if (isJson) return JSON.stringify(connections);
  if (connections.length === 0) return 'No program is connected.';
  return connections.map((connection) => Object.values(connection).join('  ')).join('\n');
}

/** Revokes a connection at once. */
export async function endConnection(platform: Platform, workspace: Workspace, id: string): Promise<void> {
  await revokeConnection(systemCtx(platform, workspace, { action: 'revokeConnection', resourceType: 'connection' }), id);
}

// Where tenants are, as the directory has it. Of a tenant of another cell it is written first, as pending; then the cell is; then it is confirmed.
// What a crash leaves between is ended by a sweep, which asks the cell. A pending entry leads to its cell like any other: the cell decides.

import { homeCell } from '../../platform/cell/cells.js';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import type { Database, Tx } from '../../platform/postgres/database.js';
import { listEntries } from './directory.js';

/** A tenant that is given a place. */
interface PlacedTenant {
  id: string;
  workspaces: readonly { id: string; apiKey: { id: string; hash: Buffer<ArrayBuffer> } }[];
}

/** Writes where a tenant is, and which workspaces are its. */
export async function insertPlace(
  tx: Tx | Database['unscoped'],
  place: { tenantId: string; cellName: string; pendingSince?: Date; workspaces: readonly { id: string }[] },
): Promise<void> {
  const { workspaces, ...data } = place;
  await tx.tenantPlace.create({ data });
  await tx.workspacePlace.createMany({ data: workspaces.map(({ id }) => ({ id, tenantId: data.tenantId })) });
}

/** Lists a tenant of another cell, with its first keys, before the cell has it. */
export async function listTenant(platform: Platform, { id: tenantId, workspaces }: PlacedTenant): Promise<void> {
  const { cell: cellName, cells, clock } = platform;
  await cells.directory.database.unscoped.$transaction((tx) =>
    insertPlace(tx, { tenantId, cellName, pendingSince: clock.now(), workspaces }),
  );
  const entries = workspaces.map(({ id: workspaceId, apiKey: { id, hash } }) => ({ workspaceId, kind: 'api_key' as const, id, hash }));
  await listEntries(platform, entries);
}

/** Says that the cell has a tenant. */
export async function confirmTenant({ cells }: Platform, tenantId: string): Promise<void> {
  await cells.directory.database.unscoped.tenantPlace.updateMany({ where: { tenantId }, data: { pendingSince: null } });
}

// Gap G-545: An entry of the directory whose cell does not have it after a minute is deleted; one that it has is confirmed.
/** What was begun so long ago has been written by now, or never will be: longer than any request may take. */
const settledSeconds = 60;

/** Ends what was left pending for the cell of the platform: asks it, then confirms or deletes; how many. For the worker. */
export async function sweepPending(platform: Platform, most = 1_000): Promise<number> {
  if (platform.cell === homeCell) return 0;
  return (await sweepTenants(platform, most)) + (await sweepEntries(platform, most));
}

async function sweepTenants({ cell, cells, clock, database }: Platform, most: number): Promise<number> {
  const { unscoped } = cells.directory.database;
  const pendingSince = { lte: addSeconds(clock.now(), -settledSeconds) };
  const pending = await unscoped.tenantPlace.findMany({ where: { cellName: cell, pendingSince }, take: most, select: { tenantId: true } });
  if (pending.length === 0) return 0;
  const ids = pending.map(({ tenantId }) => tenantId);
  const there = (await database.unscoped.tenant.findMany({ where: { id: { in: ids } }, select: { id: true } })).map(({ id }) => id);
  await unscoped.tenantPlace.updateMany({ where: { tenantId: { in: there } }, data: { pendingSince: null } });
  await unscoped.tenantPlace.deleteMany({ where: { tenantId: { in: ids, notIn: there }, pendingSince } });
  return ids.length;
}

async function sweepEntries({ cell, cells, clock, database }: Platform, most: number): Promise<number> {
  const until = addSeconds(clock.now(), -settledSeconds);
  const hashes = await cells.directory.pendingEntries(cell, until, most);
  if (hashes.length === 0) return 0;
  const { unscoped } = cells.directory.database;
  const rows = await database.unscoped.credential.findMany({ where: { hash: { in: hashes } }, select: { hash: true } });
  const there = rows.map(({ hash }) => hash);
  await unscoped.credential.updateMany({ where: { hash: { in: there } }, data: { pendingSince: null } });
  await unscoped.credential.deleteMany({ where: { hash: { in: hashes, notIn: there }, pendingSince: { lte: until } } });
  return hashes.length;
}

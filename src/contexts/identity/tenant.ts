// Tenants and their two workspaces, test and live. Nobody calls this over the wire: the command line and the first start do
// (ARCHITECTURE.md 9), so it works through the unscoped door.

import type { Config } from '../../config.js';
import { homeCell } from '../../platform/cell/cells.js';
import { sha256 } from '../../platform/crypto.js';
import { type Environment, type Platform, type Workspace, workspaceOf } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId, parseAnyId } from '../../platform/schema/id.js';
import { apiKeyRow, newApiKey } from './api-key.js';
import { confirmTenant, insertPlace, listTenant } from './place.js';
import { serializable } from './serializable.js';

export interface CreateTenantInput {
  name: string;
  /** Taken as they are; generated where absent. */
  liveKey?: string | null | undefined;
  testKey?: string | null | undefined;
}

/** A new tenant with the only sight of its first keys. */
export interface CreatedTenant {
  tenantId: string;
  liveKey: string;
  testKey: string;
}

/** Makes a tenant, its two workspaces and one API key in each, in the cell of the platform. */
export async function createTenant(platform: Platform, input: CreateTenantInput): Promise<CreatedTenant> {
  const tenant = newTenant(input, platform.clock.now());
  if (platform.cell !== homeCell) await listTenant(platform, tenant);
  await platform.database.unscoped.$transaction((tx) => insertTenant(platform, tx, tenant));
  if (platform.cell !== homeCell) await confirmTenant(platform, tenant.id);
  return shown(tenant);
}

/**
 * Makes the demo tenant when there is no tenant yet, and returns its keys. On every later start it adds the BOOTSTRAP_* keys
 * that are set and were never stored to the oldest tenant, and returns null. Processes that start at once agree: the look
 * and the write are one serializable transaction, and the loser looks again.
 */
export function bootstrapTenant(
  platform: Platform,
  { bootstrapLiveKey, bootstrapTestKey }: Pick<Config, 'bootstrapLiveKey' | 'bootstrapTestKey'>,
): Promise<CreatedTenant | null> {
  const work = async (tx: Tx): Promise<CreatedTenant | null> => {
    const at = platform.clock.now();
    const oldest = await tx.tenant.findFirst({ orderBy: { id: 'asc' }, select: { id: true } });
    if (oldest === null) {
      const tenant = newTenant({ name: 'Demo', liveKey: bootstrapLiveKey, testKey: bootstrapTestKey }, at);
      await insertTenant(platform, tx, tenant);
      return shown(tenant);
    }
    await addKey(tx, oldest.id, 'live', bootstrapLiveKey, at);
    await addKey(tx, oldest.id, 'test', bootstrapTestKey, at);
    return null;
  };
  return serializable(platform, work);
}

/** The platform of the cell that a tenant is in; the first one where nobody knows it. */
export function platformOfTenant({ cells }: Platform, tenant: string): Promise<Platform> {
  const tenantId = parseAnyId(tenant);
  return cells.find(tenantId === null ? undefined : { tenantId });
}

/** The half of a tenant that an operator at the command line works in, or null. */
export async function tenantWorkspace(platform: Platform, tenant: string, environment: Environment): Promise<Workspace | null> {
  const tenantId = parseAnyId(tenant);
  if (tenantId === null) return null;
  const row = await platform.database.unscoped.workspace.findUnique({ where: { tenantId_environment: { tenantId, environment } } });
  return row === null ? null : workspaceOf(row);
}

/** A workspace of the cell, or null. */
export async function workspaceById({ database }: Platform, id: string): Promise<Workspace | null> {
  const row = await database.unscoped.workspace.findUnique({ where: { id } });
  return row === null ? null : workspaceOf(row);
}

/** Both workspaces of a tenant, or those of all tenants; the oldest first. */
export async function workspacesOf(platform: Platform, tenant?: string): Promise<Workspace[]> {
  const tenantId = tenant === undefined ? undefined : parseAnyId(tenant);
  if (tenantId === null) return [];
  const where = tenantId === undefined ? {} : { tenantId };
  return (await platform.database.unscoped.workspace.findMany({ where, orderBy: { id: 'asc' } })).map(workspaceOf);
}

/** A tenant that is not written yet. */
interface NewTenant {
  id: string;
  name: string;
  at: Date;
  workspaces: { id: string; environment: Environment; key: string; apiKey: ReturnType<typeof apiKeyRow> }[];
}

function newTenant({ name, liveKey, testKey }: CreateTenantInput, at: Date): NewTenant {
  const workspace = (environment: Environment, key: string) => {
    const id = newId(at);
    return { id, environment, key, apiKey: apiKeyRow({ key, name: 'First key' }, at) };
  };
  const id = newId(at);
  return { id, name, at, workspaces: [workspace('live', liveKey ?? newApiKey('live')), workspace('test', testKey ?? newApiKey('test'))] };
}

function shown({ id, workspaces }: NewTenant): CreatedTenant {
  const keyOf = (environment: Environment) => workspaces.find((each) => each.environment === environment)?.key ?? '';
  return { tenantId: id, liveKey: keyOf('live'), testKey: keyOf('test') };
}

/** Writes a tenant; beside the directory its place too. */
async function insertTenant({ cell }: Platform, tx: Tx, { id: tenantId, name, at, workspaces }: NewTenant): Promise<void> {
  await tx.tenant.create({ data: { id: tenantId, name, createdAt: at } });
  await tx.workspace.createMany({ data: workspaces.map(({ id, environment }) => ({ id, tenantId, environment, createdAt: at })) });
  if (cell === homeCell) await insertPlace(tx, { tenantId, cellName: cell, workspaces });
  for (const { id, apiKey } of workspaces) await insertKey(tx, id, apiKey);
}

async function addKey(tx: Tx, tenantId: string, environment: Environment, key: string | null, at: Date): Promise<void> {
  if (key === null) return;
  const { id } = await tx.workspace.findUniqueOrThrow({ where: { tenantId_environment: { tenantId, environment } }, select: { id: true } });
  const hash = sha256(key);
  // One that was revoked has left the directory, and does not come back.
  const known =
    (await tx.apiKey.findFirst({ where: { workspaceId: id, hash }, select: { id: true } })) ??
    (await tx.credential.findUnique({ where: { hash }, select: { id: true } }));
  if (known === null) await insertKey(tx, id, apiKeyRow({ key, name: 'Bootstrap key' }, at));
}

async function insertKey(tx: Tx, workspaceId: string, row: ReturnType<typeof apiKeyRow>): Promise<void> {
  await tx.apiKey.create({ data: { ...row, workspaceId } });
  await tx.credential.create({ data: { kind: 'api_key', id: row.id, hash: row.hash, workspaceId } });
}

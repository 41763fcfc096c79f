// Tenants and their two workspaces, test and live. Nobody calls this over the wire: the command line and the first start do
// (ARCHITECTURE.md 9), so it works through the unscoped door.

import type { Config } from '../../config.js';
import { sha256 } from '../../platform/crypto.js';
import { type Environment, type Platform, type Workspace, workspaceOf } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId, parseAnyId } from '../../platform/schema/id.js';
import { type ApiKeyFacts, apiKeyRow, newApiKey } from './api-key.js';
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

/** Makes a tenant, its two workspaces and one API key in each. */
export function createTenant(platform: Platform, input: CreateTenantInput): Promise<CreatedTenant> {
  return platform.database.unscoped.$transaction((tx) => insertTenant(tx, input, platform.clock.now()));
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
    if (oldest === null) return insertTenant(tx, { name: 'Demo', liveKey: bootstrapLiveKey, testKey: bootstrapTestKey }, at);
    await addKey(tx, oldest.id, 'live', bootstrapLiveKey, at);
    await addKey(tx, oldest.id, 'test', bootstrapTestKey, at);
    return null;
  };
  return serializable(platform, work);
}

/** The half of a tenant that an operator at the command line works in, or null. */
export async function tenantWorkspace(platform: Platform, tenant: string, environment: Environment): Promise<Workspace | null> {
  const tenantId = parseAnyId(tenant);
  if (tenantId === null) return null;
  const row = await platform.database.unscoped.workspace.findUnique({ where: { tenantId_environment: { tenantId, environment } } });
  return row === null ? null : workspaceOf(row);
}

/** Both workspaces of a tenant, or those of all tenants; the oldest first. */
export async function workspacesOf(platform: Platform, tenant?: string): Promise<Workspace[]> {
  const tenantId = tenant === undefined ? undefined : parseAnyId(tenant);
  if (tenantId === null) return [];
  const where = tenantId === undefined ? {} : { tenantId };
  return (await platform.database.unscoped.workspace.findMany({ where, orderBy: { id: 'asc' } })).map(workspaceOf);
}

async function insertTenant(tx: Tx, { name, liveKey, testKey }: CreateTenantInput, at: Date): Promise<CreatedTenant> {
  const tenantId = newId(at);
  const live = { id: newId(at), environment: 'live' as const, key: liveKey ?? newApiKey('live') };
  const test = { id: newId(at), environment: 'test' as const, key: testKey ?? newApiKey('test') };
  await tx.tenant.create({ data: { id: tenantId, name, createdAt: at } });
  await tx.workspace.createMany({ data: [live, test].map(({ id, environment }) => ({ id, tenantId, environment, createdAt: at })) });
  for (const { id, key } of [live, test]) await insertKey(tx, id, { key, name: 'First key' }, at);
  return { tenantId, liveKey: live.key, testKey: test.key };
}

async function addKey(tx: Tx, tenantId: string, environment: Environment, key: string | null, at: Date): Promise<void> {
  if (key === null) return;
  const { id } = await tx.workspace.findUniqueOrThrow({ where: { tenantId_environment: { tenantId, environment } }, select: { id: true } });
  const hash = sha256(key);
  // One that was revoked has left the directory, and does not come back.
  const known =
    (await tx.apiKey.findFirst({ where: { workspaceId: id, hash }, select: { id: true } })) ??
    (await tx.credential.findUnique({ where: { hash }, select: { id: true } }));
  if (known === null) await insertKey(tx, id, { key, name: 'Bootstrap key' }, at);
}

async function insertKey(tx: Tx, workspaceId: string, facts: ApiKeyFacts, at: Date): Promise<void> {
  const row = apiKeyRow(facts, at);
  await tx.apiKey.create({ data: { ...row, workspaceId } });
  await tx.credential.create({ data: { kind: 'api_key', id: row.id, hash: row.hash, workspaceId } });
}

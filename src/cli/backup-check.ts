// What is checked of a backup that was put back into a scratch database: whether the platform could go on from it.
import path from 'node:path';
import pg from 'pg';
import type { Config } from '../config.js';
import { checkDocuments } from '../contexts/audit/document-check.js';
import { workspacesOf } from '../contexts/identity/tenant.js';
import { type UnreferencedOrder, unreferencedOrders } from '../contexts/reconciliation/unreferenced-order.sql.js';
import { manifest } from '../contexts.js';
import { newestEntryAt } from '../ledger/entry.js';
import { checkLedger } from '../ledger/trial-balance.js';
import { standAlone } from '../platform/backup/cell-key.js';
import { damagedFiles, sequencesBehind } from '../platform/backup/content.js';
import { CannotCheck } from '../platform/backup/failure.js';
import type { Scratch } from '../platform/backup/scratch.js';
import { homeCell } from '../platform/cell/cells.js';
import type { Platform } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { createLogger } from '../platform/log.js';
import { migrate } from '../platform/postgres/migration.js';
import { pendingMigrations, unknownMigrations } from '../platform/postgres/migration-history.js';
import { checkSealed } from '../platform/secrets/sealed-check.js';
import { sealedColumns } from '../platform/secrets/sealed-column.js';
import { closePlatform, openPlatform } from '../server.js';
import { checkLog } from './log-check.js';

/** One thing that was looked at. */
export interface BackupCheck {
  name: string;
  status: 'ok' | 'failed' | 'skipped';
  text: string;
  /** What is wrong, a sentence each. */
  found: string[];
}

/** Everything that was found. */
export interface BackupReport {
  checks: BackupCheck[];
  /** Orders of rails that would be submitted again. They are for a person to compare, and no fault. */
  orders: UnreferencedOrder[];
  /** When the last entry of the ledger was made: what came later is not in the backup. */
  newestEntry: Date | null;
}

/** Settings of the installation, with the keys that seal. `databaseUrl` is that of the directory, where there is one. */
export type BackupConfig = Config & { secretsKey: string };

/** Checks what was put back. It may change the scratch, and nothing else. */
export async function checkBackup(scratch: Scratch, config: BackupConfig): Promise<BackupReport> {
  const migrations = await checkMigrations(scratch);
  if (migrations.status === 'failed') return { checks: [migrations], orders: [], newestEntry: null };
  const log = createLogger('silent');
  const own = { ...config, databaseUrl: scratch.url, cells: [homeCell], redisUrl: null, tracing: null };
  const copy = new pg.Pool({ connectionString: scratch.url, max: 1 });
  copy.on('error', () => {});
  const checks = [migrations];
  try {
    checks.push(await checkFiles(copy));
    checks.push(await looked('sequences', 'every sequence is beyond its table', () => sequencesBehind(copy)));
    await standAlone(copy, config.databaseUrl, log);
  } finally {
    await copy.end();
  }
  // What was signed before is in another memory than this one, so that nothing is signed here.
  const platform = await openPlatform({ config: { ...own, memoryDir: path.join(scratch.folder, 'memory') }, log });
  try {
    const { pool } = platform.database;
    checks.push(await checkSecrets(platform));
    checks.push(await looked('ledger', 'sums, chains, holds and documents are right', () => ledgerFaults(platform)));
    const [orders, newestEntry] = [await unreferencedOrders(pool), await newestEntryAt(pool)];
    checks.push(await checkLogs(platform));
    return { checks, orders, newestEntry };
  } finally {
    await closePlatform(platform);
  }
}

/** A check that finds sentences. What cannot be read is found too. */
async function looked(name: string, text: string, look: () => Promise<string[]>): Promise<BackupCheck> {
  try {
    return resultOf(name, text, await look());
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    return resultOf(name, text, [(error as Error).message]);
  }
}

function resultOf(name: string, text: string, found: string[]): BackupCheck {
  if (found.length === 0) return { name, status: 'ok', text, found };
  return { name, status: 'failed', text: `${found.length} ${found.length === 1 ? 'fault' : 'faults'}`, found };
}

/** The migrations of the copy are known to this release. Those that it lacks are applied to the copy. */
async function checkMigrations({ url }: Scratch): Promise<BackupCheck> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  try {
    const unknown = await unknownMigrations(pool);
    if (unknown.length > 0) {
      const found = [`${unknown.join(', ')} is of a newer release than this one: verify the backup with that release`];
      return resultOf('migrations', '', found);
    }
    const pending = await pendingMigrations(pool);
    await migrate(url);
    const applied = pending.length === 0 ? 'none is missing' : `${pending.length} newer ones were applied to the copy`;
    return resultOf('migrations', `all are known, ${applied}`, []);
  } catch (error) {
    const isOther = (error as { code?: string }).code === '42P01';
    return resultOf('migrations', '', [
      isOther ? 'it is the database of another program: it has no table _prisma_migrations' : (error as Error).message,
    ]);
  } finally {
    await pool.end();
  }
}

async function checkFiles(copy: pg.Pool): Promise<BackupCheck> {
  let isThere = true;
  const check = await looked('files', 'amcheck finds tables and indexes whole', async () => {
    const found = await damagedFiles(copy);
    isThere = found !== null;
    return found ?? [];
  });
  return isThere ? check : { ...check, status: 'skipped', text: 'the scratch server has no amcheck that its user may use' };
}

async function checkSecrets({ database, extensions, config }: Platform): Promise<BackupCheck> {
  let text = '';
  return looked('secrets', text, async () => {
    const keys = { secretsKey: config.secretsKey ?? '', secretsKeysOld: config.secretsKeysOld };
    const { opened, columns, faults } = await checkSealed(database.pool, extensions.of(sealedColumns), keys);
    text = `${opened} sealed values of ${columns} kinds open`;
    return faults;
  }).then((check) => (check.status === 'ok' ? { ...check, text } : check));
}

async function ledgerFaults({ database }: Platform): Promise<string[]> {
  return [...(await checkLedger(database, manifest.escrows)), ...(await checkDocuments(database))];
}

async function checkLogs(platform: Platform): Promise<BackupCheck> {
  let [logs, entries] = [0, 0];
  const check = await looked('logs', '', async () => {
    const found: string[] = [];
    for (const workspace of await workspacesOf(platform)) {
      const ctx = systemCtx(platform, workspace, { action: 'verifyEvidence', resourceType: 'evidence_log' });
      const log = await ctx.db.evidenceLog.findFirst({ where: { state: { not: 'ended' } } });
      const { checked, fault } = await checkLog(ctx, log);
      logs += 1;
      entries += checked;
      if (fault !== null) found.push(`workspace ${workspace.id} (${workspace.environment}): ${fault}`);
    }
    return found;
  });
  return check.status === 'ok' ? { ...check, text: `${entries} entries of ${logs} logs are as they were written` } : check;
}

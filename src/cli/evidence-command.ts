// The commands about logs of evidence, and the memory that keeps them from forking.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { currentLog } from '../contexts/evidence/head.js';
import { headInLog, resumeLog } from '../contexts/evidence/kept-head.js';
import { renewLog, rotateKey } from '../contexts/evidence/renewal.js';
import type { Ctx, Environment, Platform, Workspace } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { adoptMemory } from '../platform/fence.js';
import { inTransaction } from '../platform/postgres/database.js';
import { printId } from '../platform/schema/id.js';
import { flag, ofData, required, say, settingsOf, text } from './argument.js';
import { checkLog } from './log-check.js';
import { environmentOf, withPlatform, withTenant } from './with-platform.js';

const ofLog = { ...ofData, tenant: text, environment: text, head: text };

const ctxOf = (platform: Platform, workspace: Workspace, action: string): Ctx =>
  systemCtx(platform, workspace, { action, resourceType: 'evidence_log' });

/** What there is to say of the log of a workspace. */
async function statusOf(platform: Platform, workspace: Workspace): Promise<Record<string, unknown>> {
  const ctx = ctxOf(platform, workspace, 'readEvidence');
  const log = await currentLog(ctx);
  const tree = await ctx.db.auditHead.findFirst({ select: { treeSize: true } });
  return {
    log_id: printId('evidenceLog', log.id),
    origin: log.origin,
    state: log.state,
    reason: log.reason,
    tree_size: Number(log.treeSize),
    behind: Number((tree?.treeSize ?? log.treeSize) - log.treeSize),
    head_at: log.headAt?.toISOString() ?? null,
  };
}

const environmentIn = (given: string | undefined): Environment => environmentOf(given ?? 'live');

export const evidenceCommands = {
  'evidence status': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text, json: flag } });
    await withTenant(values, environmentIn(values.environment), async (platform, workspace) => {
      const status = await statusOf(platform, workspace);
      const lines = Object.entries(status).map(([name, value]) => `${name.padEnd(10)}${value ?? '-'}`);
      say(values.json ? JSON.stringify(status) : lines.join('\n'));
    });
  },
  'evidence verify': async (args: string[]) => {
    const { values } = parseArgs({ args, options: ofLog });
    const note = values.head === undefined ? undefined : await readFile(values.head, 'utf8');
    await withTenant(values, environmentIn(values.environment), async (platform, workspace) => {
      const ctx = ctxOf(platform, workspace, 'verifyEvidence');
      const { checked, erased, fault } = await checkLog(ctx, await currentLog(ctx));
      if (fault !== null) throw new Error(fault);
      say(`${checked} entries are as they were written${erased > 0 ? `; the content of ${erased} of them was erased` : ''}.`);
      if (note === undefined) return;
      const { size } = await headInLog(ctx, await currentLog(ctx), note);
      say(`The head with ${size} leaves is a head of this log.`);
    });
  },
  'evidence resume': async (args: string[]) => {
    const { values } = parseArgs({ args, options: ofLog });
    const note = await readFile(required(values.head, 'head'), 'utf8');
    await withTenant(values, environmentIn(values.environment), async (platform, workspace) => {
      const ctx = ctxOf(platform, workspace, 'resumeEvidence');
      await resumeLog(ctx, await currentLog(ctx), note);
      say('The log is open: nothing was lost.');
    });
  },
  'evidence renew': async (args: string[]) => {
    const { values } = parseArgs({ args, options: ofLog });
    const note = values.head === undefined ? null : await readFile(values.head, 'utf8');
    await withTenant(values, environmentIn(values.environment), async (platform, workspace) => {
      const ctx = ctxOf(platform, workspace, 'renewEvidence');
      const { origin, found, known } = await renewLog(ctx, await currentLog(ctx), note);
      say(`The log ended with ${found} leaves; ${known} were known. Another one begins: ${origin}`);
    });
  },
  'evidence rotate-key': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, tenant: text, environment: text } });
    await withTenant(values, environmentIn(values.environment), async (platform, workspace) => {
      const ctx = ctxOf(platform, workspace, 'rotateEvidenceKey');
      say(`${await rotateKey(ctx, await currentLog(ctx))}\nThe key of before signs beside it for 30 days.`);
    });
  },
  'memory adopt': async (args: string[]) => {
    const { values } = parseArgs({ args, options: ofData });
    await withPlatform(settingsOf(values), async ({ cells, config }) => {
      for (const { database } of cells.served) await inTransaction(database.pool, (tx) => adoptMemory(tx, config));
      say(`The memory in ${config.memoryDir} belongs to this database now.`);
    });
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;

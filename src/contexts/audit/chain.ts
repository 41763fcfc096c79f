// The chains of the audit log: after a change has committed, its line becomes the last entry of the chain of its workspace. One process at a
// time does so, beside the writers and not under the lock of whoever publishes. A chain is checked in stretches.
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { writeDenials } from '../../platform/denial.js';
import type { AfterCommit } from '../../platform/due/after-commit.js';
import { NotFound } from '../../platform/errors.js';
import { chainLines, checkStretch, type Link, notedOtherwise, strayEntry } from './chain.sql.js';

const stepSize = 500;
/** A line may be committed after some with higher numbers: so many numbers before the last one are read again. */
const slack = 500;
/** How often all lines are read again, and not only those after the last one. */
const fullLookMs = 1_000;

/** Chains what was committed, until nothing is left that it may take. */
export const chainAudit: AfterCommit = {
  name: 'audit',
  round() {
    let last = 0;
    let lookedAtAll = Number.NEGATIVE_INFINITY;
    return async ({ database: { pool } }) => {
      const all = performance.now() - lookedAtAll >= fullLookMs;
      for (;;) {
        const step = await chainLines(pool, { most: stepSize, after: all ? 0 : Math.max(0, last - slack) });
        if (step.busy) return;
        last = Math.max(last, step.last ?? 0);
        if (step.chained < stepSize) break;
      }
      if (all) lookedAtAll = performance.now();
    };
  },
};

/** Steps of a reader, at most: what is written while it reads is for the next one. */
const mostSteps = 20;

/** Chains what was done in the workspace by now, so that whoever reads the log finds what it has done before, and what it was denied. */
export async function catchUp({ platform, workspace }: Ctx): Promise<void> {
  await writeDenials(platform);
  const { database } = platform;
  for (let n = 0; n < mostSteps; n += 1) {
    const { chained } = await chainLines(database.pool, { most: stepSize, workspaceId: workspace.id, wait: true });
    if (chained < stepSize) return;
  }
}

/** What checking a chain came to. */
export interface Verification {
  valid: boolean;
  /** Entries that were recomputed. */
  checked: number;
  /** The first entry that is not as it was written, or comes after one that is missing. */
  firstInvalidId: string | null;
  headHash: string | null;
  /** Where to go on, when there are more entries than one request checks. */
  nextAfter: string | null;
}

const stretchSize = 5_000;
/** Entries that one request checks, at most. Gap G-367 */
const mostChecked = 250_000;

/**
 * Recomputes the chain of the workspace from its beginning, or from the entry `after` on. An entry that was changed, added or removed is
 * found; one that is missing at the end has no id, but the head says that it was there. A chain that was hashed anew, or cut off with its
 * head, is found where a snapshot of the treasury had noted the head. 404 for an unknown entry.
 */
export async function verifyAuditLog(ctx: Ctx, after: string | null): Promise<Verification> {
  await catchUp(ctx);
  const { pool } = ctx.platform.database;
  const { id: workspaceId } = ctx.workspace;
  const head = await ctx.db.auditHead.findFirst();
  const headHash = head === null ? null : Buffer.from(head.hash).toString('hex');
  const end = head?.position ?? 0n;
  const from = after === null ? beginning(workspaceId) : await linkOf(ctx, after);
  let link = from;
  let checked = 0;
  const found = (valid: boolean, firstInvalidId: string | null, nextAfter: string | null = null) => ({
    valid,
    checked,
    firstInvalidId,
    headHash,
    nextAfter,
  });
  while (link.position < end && checked < mostChecked) {
    const most = Number(end - link.position < BigInt(stretchSize) ? end - link.position : stretchSize);
    const stretch = await checkStretch(pool, workspaceId, link, most);
    checked += stretch.checked;
    if (stretch.invalid !== null || stretch.checked < most) return found(false, stretch.invalid);
    link = stretch;
  }
  const isWhole = link.position >= end;
  const broken = await notedOtherwise(pool, workspaceId, from.position, isWhole ? null : link.position);
  if (broken !== null) return found(false, broken.id);
  if (!isWhole) return found(true, null, await idAt(ctx, link.position));
  const stray = await strayEntry(pool, workspaceId);
  if (stray !== null) return found(false, stray);
  return found(head === null || Buffer.from(link.hash).toString('hex') === headHash, null);
}

/** Where every chain begins: at the hash of the workspace's id. */
function beginning(workspaceId: string): Link {
  return { position: 0n, hash: sha256(workspaceId) };
}

async function linkOf(ctx: Ctx, id: string): Promise<Link> {
  const found = await ctx.db.auditEntry.findFirst({ where: { id }, select: { position: true, hash: true } });
  if (found === null) throw new NotFound('after');
  return found;
}

async function idAt(ctx: Ctx, position: bigint): Promise<string | null> {
  return (await ctx.db.auditEntry.findFirst({ where: { position }, select: { id: true } }))?.id ?? null;
}

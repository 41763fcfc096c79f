// A log that cannot go on ends, and another one begins over what is left; and a key of a log that makes room for another (CONTRACT.md 25).
import type { EvidenceLog } from '../../generated/prisma/client.js';
import { writeLineIn } from '../../platform/audit.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { takeFence } from '../../platform/fence.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { takeUpNow } from '../audit/take-up.js';
import { factOf } from './comparison.js';
import { addKey, continueLog, endLog, insertLogs } from './head.sql.js';
import { HeadDoesNotFit } from './kept-head.js';
import { newKey, newLog } from './log.js';
import { keysOf } from './log-key.js';
import { openCheckpoint, vkeyOf } from './note.js';

/** What a renewal came to. */
export interface Renewal {
  origin: string;
  /** Leaves that the tree has now. */
  found: bigint;
  /** Leaves of the newest head of the old log that anybody is known to have. */
  known: bigint;
}

// Gap G-774: A log that is renewed goes on over the same tree, by another name and key; a line of it says what it continues.
/**
 * Ends the log at what is left, and begins another one with an id, an origin and a key of its own. Its first new leaf says which log it
 * continues, the newest head of that which is known, and the size that was found. `note`: the newest head that somebody has kept.
 * @throws HeadDoesNotFit where the note is no head of this log, or this process may not sign
 */
export async function renewLog(ctx: Ctx, log: EvidenceLog, note: string | null): Promise<Renewal> {
  const { workspace } = ctx;
  const kept = note === null ? null : await headOf(ctx, log, note);
  await takeUpNow(ctx);
  const begun = await newLog(ctx.platform, { workspaceId: workspace.id, environment: workspace.environment });
  const renewal = await inTransaction(ctx.platform.database.pool, async (tx) => {
    const { memory } = await takeFence(tx, ctx.platform.config);
    if (memory === null) throw new HeadDoesNotFit('The log cannot be renewed here: this process does not have the memory of the database.');
    const remembered = memory.get(factOf({ workspaceId: workspace.id, logId: log.id, size: 0n, root: Buffer.alloc(32) }).name);
    const known = [log.treeSize, remembered?.number ?? 0n, kept?.treeSize ?? 0n].reduce((a, b) => (a > b ? a : b));
    const found = (await ctx.db.auditHead.findFirst({ select: { treeSize: true } }))?.treeSize ?? 0n;
    const isOurs = await endLog(tx, workspace.id, log.id);
    if (!isOurs) throw new HeadDoesNotFit('Somebody else has just renewed the log.');
    await insertLogs(tx, [begun]);
    await continueLog(tx, workspace.id, { ended: log.id, begun: begun.id });
    const outcome = {
      continued_by: printId('evidenceLog', begun.id),
      found_size: Number(found),
      known_root: kept !== null && kept.treeSize === known ? Buffer.from(kept.root).toString('base64') : null,
      known_size: Number(known),
      log_id: printId('evidenceLog', log.id),
      origin: begun.origin,
    };
    await writeLineIn(ctx, tx, { action: 'log.renew', resourceType: 'evidence_log', resourceId: begun.id, outcome });
    return { origin: begun.origin, found, known };
  });
  ctx.platform.database.written.ring();
  return renewal;
}

async function headOf(ctx: Ctx, log: EvidenceLog, note: string) {
  const keys = (await keysOf(ctx, log)).map(({ publicKey }) => ({ origin: log.origin, publicKey }));
  const head = openCheckpoint(note, keys);
  if (head === null) throw new HeadDoesNotFit(`The file is no checkpoint that the log ${log.origin} has signed.`);
  return head;
}

/** For so long the key of before signs beside the new one. */
const besideDays = 30;
const daySeconds = 86_400;

/** Gives the log a new key; the one of before signs beside it for 30 days. Answers the new one as readers of notes take it. */
export async function rotateKey(ctx: Ctx, log: EvidenceLog): Promise<string> {
  const { workspace } = ctx;
  const at = ctx.platform.clock.now();
  const key = newKey(ctx.platform, at);
  const vkey = vkeyOf({ origin: log.origin, publicKey: key.publicKey });
  await inTransaction(ctx.platform.database.pool, async (tx) => {
    await addKey(tx, { workspaceId: workspace.id, id: log.id }, key, { at, until: addSeconds(at, besideDays * daySeconds) });
    await writeLineIn(ctx, tx, { action: 'log.rotate_key', resourceType: 'evidence_log', resourceId: log.id, outcome: { vkey } });
  });
  ctx.platform.database.written.ring();
  return vkey;
}

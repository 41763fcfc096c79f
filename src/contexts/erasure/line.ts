// Erasing what lines of the audit log say (CONTRACT.md 24, 25 and 29). A line of the erasure first names those that lose their content, each by
// its id and the hash of its leaf; when that line is a leaf itself, they do. So whoever checks the log tells what was erased from what was
// taken away.
import type pg from 'pg';
import { writeLineIn } from '../../platform/audit.js';
import { keptSalts } from '../../platform/audit-leaf.js';
import type { Ctx } from '../../platform/ctx.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { leavesOf, linesOf } from '../audit/block.sql.js';
import type { ErasureOutcome, NamedLine } from '../audit/erased-line.js';
import { takeUpNow } from '../audit/take-up.js';
import { emptyLines, type TellingLine, tellingLines } from './line.sql.js';
import type { ErasureWork, Progress, Stage } from './work.js';

// Gap G-812: A line of an erasure names at most 500 lines; there are as many as it takes.
/** Lines that one line of an erasure names. */
const mostNamed = 500;

/** The stage that empties lines of the audit log. */
export const lines: Stage = {
  name: 'lines',
  erases: ['ip', 'changes', 'request_id', 'seed', 'kept'],
  // What is named becomes a leaf before, and what names it too.
  before: (ctx) => takeUpNow(ctx),
  run: (tx, work, ctx) => (work.namedBy === null ? nameSet(tx, work, ctx) : emptyNamed(tx, work, work.namedBy, ctx)),
};

async function nameSet(tx: pg.ClientBase, work: ErasureWork, ctx: Ctx): Promise<Progress> {
  const { lines: found, last } = await tellingLines(tx, work);
  if (last === null) return { isOver: true };
  const telling = found.slice(0, mostNamed);
  const leaves = await leavesOf(
    ctx.platform.database.pool,
    work.workspaceId,
    telling.map(({ id }) => id),
  );
  const named = telling.flatMap((line) => nameOf(line, leaves.get(line.id)?.hash) ?? []);
  const cursor = [found.length > mostNamed ? (telling.at(-1)?.id ?? last) : last];
  if (named.length === 0) return { cursor };
  const subject = work.accountId === null ? 'member' : 'account';
  const outcome: ErasureOutcome = { erasure_id: printId('erasure', work.id), lines: named };
  const namedBy = await writeLineIn(ctx, tx, {
    action: `${subject}.erase`,
    resourceType: subject,
    resourceId: work.accountId ?? work.memberId ?? '',
    outcome: { ...outcome },
  });
  return { cursor, namedBy };
}

/** How a line is named; null for one that is no leaf yet. */
function nameOf({ id, hash }: TellingLine, leaf: Buffer | undefined): NamedLine | null {
  const name = { line_id: printId('auditEntry', id) };
  if (hash !== null) return { ...name, hash: hash.toString('hex') };
  return leaf === undefined ? null : { ...name, leaf_hash: leaf.toString('hex') };
}

async function emptyNamed(tx: pg.ClientBase, { workspaceId }: ErasureWork, namedBy: string, ctx: Ctx): Promise<Progress> {
  const { pool } = ctx.platform.database;
  // Another process takes lines up: what names is no leaf yet.
  if (!(await leavesOf(pool, workspaceId, [namedBy])).has(namedBy)) return { waitSeconds: 1 };
  const [naming] = await linesOf(pool, workspaceId, [namedBy]);
  if (naming === undefined) throw new Error('a line of the log stays');
  const { lines: named } = naming.outcome as ErasureOutcome;
  const ids = named.flatMap((line) => parseId('auditEntry', line.line_id) ?? []);
  const found = (await linesOf(pool, workspaceId, ids)).filter(({ kept }) => kept === null);
  const kept = found.map((line) => ({ id: line.id, kept: { ...(line.seed !== null && keptSalts(line, line.seed)), by: namedBy } }));
  await emptyLines(tx, workspaceId, kept);
  const values = found.flatMap(({ ip, changes, requestId }) => [ip, changes, requestId].filter((value) => value !== null));
  return { namedBy: null, rows: found.length, fields: values.length };
}

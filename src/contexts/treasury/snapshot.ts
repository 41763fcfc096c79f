// Snapshots of the treasury, kept for audit: the position at one instant, never changed (SPEC.md "Treasury snapshot", CONTRACT.md 15).
import type { Prisma, TreasurySnapshot } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { checkPosition, readPosition } from './position.js';
import { type Position, type PositionText, readPositions } from './position.sql.js';

/** The tree of the audit log as it is now; null while there is none. */
export async function treeHead({ db }: { db: Pick<Ctx['db'] | Tx, 'auditHead'> }): Promise<{ size: bigint; root: string } | null> {
  const head = await db.auditHead.findFirst();
  return head?.root ? { size: head.treeSize, root: Buffer.from(head.root).toString('hex') } : null;
}

// Gap G-196: A snapshot is `{id, description, captured_at, balances, exposure, tree_head}`; its description is optional.
/** Takes a snapshot of the workspace as it is now. */
export function takeSnapshot(ctx: Ctx, description: string | null | undefined): Promise<TreasurySnapshot> {
  return transact(ctx, async (tx) => {
    const capturedAt = ctx.clock.now();
    const read = await readPositions(within(ctx, tx));
    read.map(readPosition).forEach(checkPosition);
    const positions = read as unknown as Prisma.InputJsonValue;
    const head = await treeHead({ db: tx });
    const treeFields = { treeHead: head?.root ?? null, treeSize: head?.size ?? null };
    return tx.treasurySnapshot.create({
      data: { id: newId(capturedAt), description: description ?? null, positions, capturedAt, ...treeFields },
    });
  });
}

/** The snapshot, or 404. */
export async function snapshot(ctx: Ctx, id: string): Promise<TreasurySnapshot> {
  const found = await ctx.db.treasurySnapshot.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Snapshots, newest first. */
export const snapshots = listOf('treasurySnapshot', { kind: 'snapshot' });

/** The positions that a snapshot keeps. */
export function positionsOf({ positions }: Pick<TreasurySnapshot, 'positions'>): Position[] {
  return (positions as unknown as PositionText[]).map(readPosition);
}

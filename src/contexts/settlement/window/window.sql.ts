// The statements of settlement windows: their lock, and the payouts that wait for one.
import type { Ctx } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';

/** No window of the workspace changes or closes until the transaction has ended: what it lets wait is seen by the next closing. */
export async function shareWindows({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT share_windows(workspace_id => ${workspace.id}::uuid)`;
}

/** Waits for everybody who lets a payout wait for a window of the workspace, and holds up who comes next. */
export async function lockWindows({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT lock_windows(workspace_id => ${workspace.id}::uuid)`;
}

/** True when a payout waits for the window. */
export async function isAwaited({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx, windowId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<object[]>`SELECT id FROM payout
    WHERE workspace_id = ${workspace.id}::uuid AND window_id = ${windowId}::uuid AND status = 'pending' AND batch_reference IS NULL LIMIT 1`;
  return rows.length > 0;
}

/** What all payouts come to that wait for the window, minor units. */
export async function waitingSum({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx, windowId: string): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ sum: string }[]>`SELECT coalesce(sum(amount), 0)::text AS sum FROM payout
    WHERE workspace_id = ${workspace.id}::uuid AND window_id = ${windowId}::uuid AND status = 'pending' AND batch_reference IS NULL`;
  return BigInt(row?.sum ?? 0);
}

/** A group of payouts that are submitted together. */
export interface Group {
  reference: string;
  /** At most so many payouts. */
  size: number;
  at: Date;
}

/** Lets the oldest payouts that wait for the window go: they are due now, under one reference. */
export async function releasePayouts(
  { workspace }: Pick<Ctx, 'workspace'>,
  tx: Tx,
  windowId: string,
  { reference, size, at }: Group,
): Promise<void> {
  await tx.$executeRaw`
    WITH oldest AS MATERIALIZED (
      SELECT id FROM payout
      WHERE workspace_id = ${workspace.id}::uuid AND window_id = ${windowId}::uuid AND status = 'pending' AND batch_reference IS NULL
      ORDER BY id LIMIT ${size}::int FOR NO KEY UPDATE
    )
    UPDATE payout p SET batch_reference = ${reference}, due_at = ${at}::timestamptz
    FROM oldest WHERE p.workspace_id = ${workspace.id}::uuid AND p.id = oldest.id`;
}

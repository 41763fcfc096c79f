// The statements about orders that rails of production have accepted.
import type pg from 'pg';
import type { ConnectorOrder } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { inTransaction } from '../../platform/postgres/database.js';
import type { RailOrder } from '../settlement/rail/rail.js';

type NewOrder = Pick<RailOrder, 'id' | 'reference' | 'direction' | 'amount' | 'currency' | 'expiresAt'> & {
  rail: string;
  sealedDestination: Uint8Array;
  at: Date;
  expectedAt: Date;
};

/**
 * Accepts an order, once for its id: under another reference it is the same one. False where it has come too late; then it never is accepted
 * under this reference. The clock is read after the database has said what time it has, which adds what has passed since.
 */
export async function insertOrder(
  { platform, workspace, clock }: Ctx,
  { id, rail, reference, direction, amount, currency, sealedDestination, at, expectedAt, expiresAt }: NewOrder,
): Promise<boolean> {
  return inTransaction(platform.database.pool, async (tx) => {
    const { rows } = await tx.query<{ heard: string }>('SELECT clock_timestamp()::text AS heard');
    const { rowCount } = await tx.query({
      name: 'connector-accept',
      text: `
        INSERT INTO connector_order
          (workspace_id, id, rail, reference, direction, amount, currency, sealed_destination, created_at, expected_at, due_at)
        SELECT $1, $2, $3, $4, $5::rail_direction, $6, $7, $8, $9, $10, $9
        WHERE $12::timestamptz + (clock_timestamp() - $13::timestamptz) <= $11
        ON CONFLICT (workspace_id, id) DO UPDATE SET reference = greatest(connector_order.reference, excluded.reference)
          WHERE connector_order.rail = excluded.rail`,
      values: [
        workspace.id,
        id,
        rail,
        reference,
        direction,
        amount.toString(),
        currency,
        sealedDestination,
        at,
        expectedAt,
        expiresAt,
        clock.now(),
        rows[0]?.heard,
      ],
    });
    return rowCount === 1;
  });
}

/** The order of a reference. */
export async function findOrder({ db }: Pick<Ctx, 'db'>, rail: string, reference: string): Promise<ConnectorOrder | null> {
  return db.connectorOrder.findFirst({ where: { rail, reference } });
}

/** The day in whose limits an open order counts, under its lock; null for none yet. Undefined where it has ended. */
export async function lockDay(
  tx: pg.ClientBase,
  { workspaceId, id }: Pick<ConnectorOrder, 'workspaceId' | 'id'>,
): Promise<string | null | undefined> {
  const { rows } = await tx.query<{ day: string | null }>(
    `SELECT day::text AS day FROM connector_order WHERE workspace_id = $1 AND id = $2 AND state = 'accepted' FOR UPDATE`,
    [workspaceId, id],
  );
  return rows[0]?.day;
}

/** Notes the day in whose limits an order counts. */
export async function setDay(tx: pg.ClientBase, { workspaceId, id }: Pick<ConnectorOrder, 'workspaceId' | 'id'>, day: Date): Promise<void> {
  await tx.query('UPDATE connector_order SET day = $3::date WHERE workspace_id = $1 AND id = $2', [workspaceId, id, day]);
}

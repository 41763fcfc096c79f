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
 * under this reference. `at` is read before the statement is sent, and the database adds what it took itself.
 */
export async function insertOrder(
  { platform, workspace, clock }: Ctx,
  { id, rail, reference, direction, amount, currency, sealedDestination, at, expectedAt, expiresAt }: NewOrder,
): Promise<boolean> {
  return inTransaction(platform.database.pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'connector-accept',
      text: `
        INSERT INTO connector_order
          (workspace_id, id, rail, reference, direction, amount, currency, sealed_destination, created_at, expected_at, due_at)
        SELECT $1, $2, $3, $4, $5::rail_direction, $6, $7, $8, $9, $10, $9
        WHERE $12::timestamptz + (clock_timestamp() - statement_timestamp()) <= $11
        ON CONFLICT (workspace_id, id) DO UPDATE SET reference = excluded.reference WHERE connector_order.rail = excluded.rail`,
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
      ],
    });
    return rowCount === 1;
  });
}

/** The order of a reference. */
export async function findOrder({ db }: Pick<Ctx, 'db'>, rail: string, reference: string): Promise<ConnectorOrder | null> {
  return db.connectorOrder.findFirst({ where: { rail, reference } });
}

/** Locks an order that counts in no day yet. False where it does, or has ended. */
export async function lockUncounted(tx: pg.ClientBase, { workspaceId, id }: Pick<ConnectorOrder, 'workspaceId' | 'id'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM connector_order WHERE workspace_id = $1 AND id = $2 AND day IS NULL AND state = 'accepted' FOR UPDATE`,
    [workspaceId, id],
  );
  return rowCount === 1;
}

/** Notes the day in whose limits an order counts. */
export async function setDay(tx: pg.ClientBase, { workspaceId, id }: Pick<ConnectorOrder, 'workspaceId' | 'id'>, day: Date): Promise<void> {
  await tx.query('UPDATE connector_order SET day = $3::date WHERE workspace_id = $1 AND id = $2', [workspaceId, id, day]);
}

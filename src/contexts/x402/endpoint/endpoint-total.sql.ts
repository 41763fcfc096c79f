// What endpoints have earned: written from what was published, in one statement for a stretch of events, so that a payment updates no
// row that others update too.
import type { EventListener } from '../../../events/listener.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';

/**
 * A test event tells of no settlement: it adds nothing, also where it names a payment. OFFSET 0: the payment of each event is looked up,
 * and never the events for each payment.
 */
const addUp = {
  name: 'add-up-endpoints',
  text: `
    INSERT INTO x402_endpoint_total (workspace_id, endpoint_id, calls, revenue)
    SELECT $1::uuid, p.endpoint_id, count(*), sum(p.amount)
    FROM heard_events($1, $2, $3) e
    CROSS JOIN LATERAL (SELECT endpoint_id, amount, settled_at FROM x402_payment
      WHERE workspace_id = $1::uuid AND id = substr(e.data ->> 'payment_id', 5)::uuid OFFSET 0) p
    WHERE e.type = 'x402.payment.completed' AND p.endpoint_id IS NOT NULL AND p.settled_at = e.created_at
    GROUP BY p.endpoint_id
    ON CONFLICT (workspace_id, endpoint_id) DO UPDATE
      SET calls = x402_endpoint_total.calls + excluded.calls, revenue = x402_endpoint_total.revenue + excluded.revenue`,
};

/** Gap G-295: `total_calls` and `total_revenue` count settled payments before fees and refunds, a moment later. */
export const endpointListener: EventListener = {
  name: 'x402-endpoints',
  async hear(tx, { workspaceId, after, upTo }) {
    await tx.query({ ...addUp, values: [workspaceId, after, upTo] });
  },
};

export interface EndpointTotal {
  calls: number;
  /** Minor units. */
  revenue: bigint;
}

/** What an endpoint has earned; those of a list are read together. */
export async function endpointTotalOf(ctx: Ctx, endpointId: string): Promise<EndpointTotal> {
  const found = await loadTogether(ctx, 'endpoint total', endpointId, async (ids) => {
    const rows = await ctx.db.x402EndpointTotal.findMany({ where: { endpointId: { in: [...ids] } } });
    return new Map(rows.map((row) => [row.endpointId, { calls: Number(row.calls), revenue: row.revenue }]));
  });
  return found ?? { calls: 0, revenue: 0n };
}

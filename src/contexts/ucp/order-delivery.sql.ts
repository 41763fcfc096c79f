// A change of an order becomes a delivery to whoever its checkout names, in the transaction that moves the position of the listener: once.
import type { EventListener } from '../../events/listener.js';
import { orderSender } from './order-webhook.js';

const addDeliveries = {
  name: 'ucp-order-deliveries',
  text: `
    INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, due_at, created_at)
    SELECT uuid_at(e.created_at), e.workspace_id, w.id, e.id, e.type, e.created_at, e.created_at
    FROM heard_events($1::uuid, $2::bigint, $3::bigint) e
    CROSS JOIN LATERAL (
      SELECT order_webhook FROM checkout WHERE workspace_id = e.workspace_id AND id = e.object_id AND order_webhook IS NOT NULL OFFSET 0
    ) c
    CROSS JOIN LATERAL (
      SELECT id FROM webhook WHERE workspace_id = e.workspace_id AND id = (c.order_webhook ->> 'webhookId')::uuid
        AND sender = $4 AND status = 'active' AND deleted_at IS NULL OFFSET 0
    ) w
    WHERE e.type = '_ucp.order.changed'`,
};

/** Hears of orders that were placed, delivered and refunded. */
export const orderListener: EventListener = {
  name: 'ucp_orders',
  async hear(tx, { workspaceId, after, upTo }) {
    await tx.query({ ...addDeliveries, values: [workspaceId, after, upTo, orderSender] });
  },
};

// A rail of production as settlement knows it: it accepts an order by one insert, so an order is accepted or it is not. All that is uncertain
// about the world outside lies behind that, where it is stored step by step (docs/rails.md).
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { Rail } from '../settlement/rail/rail.js';
import { admit } from './admission.js';
import { answerOf, expectedAt } from './connector-order.js';
import { findOrder, insertOrder } from './connector-order.sql.js';
import type { ConfiguredRail } from './rail-kind.js';

/** The rail of a configured one. */
export function connector(rail: ConfiguredRail): Rail {
  const { name, fee, expectedSeconds } = rail;
  return {
    name,
    fee,
    latencySeconds: expectedSeconds,
    admit: (ctx, order) => admit(ctx, rail, order),
    submit: async (ctx, order) => {
      const at = ctx.clock.now();
      const sealedDestination = ctx.platform.vault.seal(JSON.stringify(order.destination), order.id);
      const inserted = await insertOrder(ctx, { ...order, rail: name, sealedDestination, at, expectedAt: expectedAt(rail, at) });
      if (!inserted) return { state: 'missing' };
      ringAt(ctx, 'connector_order', at);
      return { state: 'queued', expectedAt: expectedAt(rail, at) };
    },
    status: async (ctx: Ctx, reference: string) => {
      const row = await findOrder(ctx, name, reference);
      return row === null ? { state: 'missing' } : answerOf(row);
    },
  };
}

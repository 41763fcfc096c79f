// The connections of a workspace to processors of cards: which of them may vault and charge its cards (CONTRACT.md 14).
import type { PaymentHandler } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import { railOf } from '../../settlement/rail/rail.js';
import { cardRails } from '../../transfers/rail.js';
import { processorDisconnected } from '../errors.js';

/** The processors that are known by name; one is there where its rails are connected. */
const processors = ['simulated'] as const;

/** How a workspace stands with a processor. */
export interface HandlerState {
  processor: string;
  status: 'connected';
  /** Null: connected from the beginning, as the sandbox's is. */
  connectedAt: Date | null;
}

/** The processors whose rails are connected in the environment. */
export function servedProcessors(ctx: Pick<Ctx, 'platform' | 'workspace'>): string[] {
  return processors.filter((name) => cardRails(name).some(({ rail }) => railOf(ctx, rail) !== undefined));
}

const stateOf = (processor: string, row: PaymentHandler | undefined): HandlerState => ({
  processor,
  status: 'connected',
  connectedAt: row?.connectedAt ?? null,
});

/** The processors that the workspace is connected to. */
export async function processorHandlers(ctx: Ctx): Promise<HandlerState[]> {
  const rows = await ctx.db.paymentHandler.findMany({ where: { processor: { in: servedProcessors(ctx) } } });
  const rowOf = new Map(rows.map((row) => [row.processor, row]));
  return servedProcessors(ctx)
    .filter((processor) => rowOf.get(processor)?.disconnectedAt == null)
    .map((processor) => stateOf(processor, rowOf.get(processor)));
}

// Gap G-241: The sandbox's processor is connected from the start; an ended one vaults and charges no card (409).
/** Connects a processor: at once in the sandbox, whose processor asks nobody. 400 for one that is not there. */
export async function connectProcessor(ctx: Ctx, processor: string): Promise<HandlerState> {
  checkServed(ctx, processor);
  const at = ctx.clock.now();
  return transact(
    ctx,
    async (tx) => {
      await tx.paymentHandler.createMany({ data: [{ id: newId(at), processor, connectedAt: at }], skipDuplicates: true });
      await tx.paymentHandler.updateMany({
        where: { processor, disconnectedAt: { not: null } },
        data: { connectedAt: at, disconnectedAt: null },
      });
      return stateOf(processor, await tx.paymentHandler.findFirstOrThrow({ where: { processor } }));
    },
    () => processor,
  );
}

/**
 * Ends the connection to a processor: it vaults no card and charges none until it is connected again. What it has in hand goes on.
 * 404 for one that the workspace is not connected to.
 */
export async function disconnectProcessor(ctx: Ctx, processor: string): Promise<{ id: string }> {
  if (!servedProcessors(ctx).includes(processor)) throw new NotFound();
  const at = ctx.clock.now();
  return transact(ctx, async (tx) => {
    await tx.paymentHandler.createMany({ data: [{ id: newId(at), processor, connectedAt: at }], skipDuplicates: true });
    const found = await tx.paymentHandler.findFirstOrThrow({ where: { processor } });
    const { count } = await tx.paymentHandler.updateMany({ where: { id: found.id, disconnectedAt: null }, data: { disconnectedAt: at } });
    if (count === 0) throw new NotFound();
    return { id: processor };
  });
}

/** Throws 409 when the workspace has ended its connection to the processor. */
export async function checkConnected({ db }: { db: Pick<Tx, 'paymentHandler'> }, processor: string): Promise<void> {
  const row = await db.paymentHandler.findFirst({ where: { processor }, select: { disconnectedAt: true } });
  if (row !== null && row.disconnectedAt !== null) throw processorDisconnected(processor);
}

/** Throws 400 for a processor that is not there. */
function checkServed(ctx: Ctx, processor: string): void {
  const served = servedProcessors(ctx);
  if (served.includes(processor)) return;
  const message = served.length > 0 ? `must be one of ${served.join(', ')}` : 'is none: no processor can be connected here';
  throw new ValidationFailed([{ path: ['processor'], message, rule: 'enum' }]);
}

/** The connection of a keyed request that is repeated. */
export async function paymentHandler(ctx: Ctx, processor: string): Promise<HandlerState> {
  const row = await ctx.db.paymentHandler.findFirst({ where: { processor } });
  if (row === null) throw new NotFound();
  return stateOf(processor, row);
}

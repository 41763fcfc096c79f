// Transfers as they change, for a dashboard or an agent that waits for one (CONTRACT.md 21 "Subscriptions"). It follows the events of
// transfers, and shows those transfers that the actor sees, as they are when it looks.
import type { PublishedEvent } from '../../events/publication.js';
import type { Prisma, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { parseId } from '../../platform/schema/id.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { followEvents } from './workspace-stream.js';

// Gap G-435: `transferUpdated` shows every published change, with the transfer as it is then, to operators and to agents that see it.
/** Of which transfers: every one that is asked for has to fit. */
export interface TransferChoice {
  id?: string | null | undefined;
  /** On either side. */
  walletId?: string | null | undefined;
  agentId?: string | null | undefined;
}

/** A change of a transfer, and the transfer. */
export interface TransferUpdate {
  event: PublishedEvent;
  transfer: Transfer;
}

/** Changes of transfers from now on, or after an event. Ends as `followEvents` does. */
export async function transferUpdates(
  ctx: Ctx,
  choice: TransferChoice,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<TransferUpdate, undefined>> {
  const events = await followEvents(ctx, (type) => /^_?transfer\./.test(type), after);
  const updates: AsyncIterableIterator<TransferUpdate, undefined> = {
    async next() {
      for (let step = await events.next(); !step.done; step = await events.next()) {
        const transfer = await chosen(ctx, choice, step.value);
        if (transfer !== null) return { done: false, value: { event: step.value, transfer } };
      }
      return { done: true, value: undefined };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => updates,
  };
  return updates;
}

/** The transfer of an event, where it is one of those that are asked for and the actor sees it. */
async function chosen(ctx: Ctx, { id, walletId, agentId }: TransferChoice, { data }: PublishedEvent): Promise<Transfer | null> {
  const about = parseId('transfer', (data as { transfer_id?: unknown }).transfer_id);
  if (about === null || (id != null && id !== about)) return null;
  const conditions: Prisma.TransferWhereInput[] = [{ id: about }, await visibleTransfers(ctx)];
  if (walletId != null) conditions.push({ OR: [{ fromWalletId: walletId }, { toWalletId: walletId }] });
  if (agentId != null) conditions.push({ agentId });
  return ctx.db.transfer.findFirst({ where: { AND: conditions } });
}

// Where an order is on the network that carries it, as far as its rail knows (CONTRACT.md 27 "Payout adds").
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import { namedParts } from '../../../platform/extension.js';

/** What a rail knows of an order. */
export interface RailDetails {
  txHash: string | null;
  network: string | null;
  blockNumber: bigint | null;
}

/** What a rail says of orders of the workspace, by their ids; those that it knows nothing of are left out. */
export type DetailsReader = (ctx: Ctx, kind: DetailedOrder, ids: readonly string[]) => Promise<ReadonlyMap<string, RailDetails>>;

/** The nouns whose orders have details. */
export type DetailedOrder = 'payout' | 'fundingTransaction';

/** The rails that know more of their orders than what became of them, by name. */
export const railDetails = namedParts<DetailsReader>('details of rails');

/** Where an order is; null where its rail says nothing of it. All that one request asks for are read together. */
export async function detailsOf(ctx: Ctx, kind: DetailedOrder, { id, rail }: { id: string; rail: string }): Promise<RailDetails | null> {
  const readers = ctx.platform.extensions.of(railDetails);
  if (ctx.workspace.environment !== 'live' || !readers.has(rail)) return null;
  const read = readers.get(rail);
  return (await loadTogether(ctx, `details of ${kind} ${rail}`, id, (ids) => read(ctx, kind, ids))) ?? null;
}

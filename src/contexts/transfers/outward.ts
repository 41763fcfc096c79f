// The way out of the platform. Settlement declares it: transfers and quotes ask for it here and know no rail's provider.
import type { Ctx } from '../../platform/ctx.js';
import type { DryRun } from './dry-run.js';
import type { CreateTransferInput } from './transfer.input.js';
import type { CreatedTransfer, TransferPart } from './transfer.js';

/** What carries money out of the platform. Each throws 422 `unsupported_rail` and 503 `rail_unavailable`, with nothing held. */
export interface Outward {
  /** The fee of a rail, minor units of the currency that it carries. */
  feeOf(ctx: Ctx, rail: string, currency: string): bigint;
  /** Makes the payout of a transfer whose destination is out of the platform; answers the transfer. */
  transfer(ctx: Ctx, input: CreateTransferInput, part?: TransferPart): Promise<CreatedTransfer>;
  dryRun(ctx: Ctx, input: CreateTransferInput): Promise<DryRun>;
}

const ways: Outward[] = [];

/** Declares the way out. Throws when there is one. */
export function declareOutward(way: Outward): void {
  if (ways.length > 0) throw new Error('the way out of the platform is declared twice');
  ways.push(way);
}

/** The way out of the platform. */
export function outward(): Outward {
  const [way] = ways;
  if (way === undefined) throw new Error('no context declares a way out of the platform');
  return way;
}

// Transfers that leave the platform. Settlement carries them out: transfers and quotes ask for it here and know no rail's provider.
import type { Ctx } from '../../platform/ctx.js';
import { onePart } from '../../platform/extension.js';
import type { DryRun } from '../spending/pipeline/dry-run.js';
import type { CreateTransferInput } from './transfer.input.js';
import type { CreatedTransfer, TransferPart } from './transfer.js';

/** What carries money out of the platform. Each throws 422 `unsupported_rail` and 503 `rail_unavailable`, with nothing held. */
export interface ExternalTransfers {
  /** The fee of a rail, minor units of the currency that it carries. */
  feeOf(ctx: Ctx, rail: string, currency: string): Promise<bigint>;
  /** Makes the payout of a transfer whose destination is out of the platform; answers the transfer. */
  transfer(ctx: Ctx, input: CreateTransferInput, part?: TransferPart): Promise<CreatedTransfer>;
  dryRun(ctx: Ctx, input: CreateTransferInput): Promise<DryRun>;
}

/** Who carries transfers out of the platform. */
export const externalTransfers = onePart<ExternalTransfers>('transfers out of the platform');

/** What carries transfers out of the platform. */
export function externalOf({ platform }: Pick<Ctx, 'platform'>): ExternalTransfers {
  return platform.extensions.of(externalTransfers);
}

// Money that moves inside one wallet, between its spendable and its stream-ready bucket (CONTRACT.md 1 "Wrap / unwrap meaning").
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Currency } from '../../platform/money.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { createTransfer } from './transfer-request.js';

export interface MoveWithinWalletInput {
  id: string;
  type: 'wrap' | 'unwrap';
  amount: string;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Wraps or unwraps. 404 for an unknown wallet. */
export async function moveWithinWallet(ctx: Ctx, { id, ...input }: MoveWithinWalletInput): Promise<Transfer> {
  const found = await walletRef(ctx, id);
  if (found === null) throw new NotFound();
  const { transfer } = await createTransfer(ctx, { ...input, fromWalletId: id, currency: found.currency as Currency });
  return transfer;
}

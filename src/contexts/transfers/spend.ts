// Whether a transfer is a spend (CONTRACT.md 0 "What a spend is"). It is decided when the transfer is made, and kept with it.
import type { TransferType } from '../../generated/prisma/client.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { isSpend } from '../spending/pipeline/pipeline.js';
import type { SubjectRef, TransferOrigin } from './subject.js';

/** Money that comes out of a stream, whose deposit was the spend. */
const outOfStream: readonly TransferType[] = ['stream_withdraw', 'stream_cancel'];

/** A transfer, with its parties as far as they are wallets. */
interface Moved {
  type: TransferType;
  from: WalletRef | null;
  to: WalletRef | null;
  subject?: SubjectRef | undefined;
  origin?: TransferOrigin | undefined;
}

/**
 * True when the money of a wallet leaves its owner. What goes back does not count, nor what leaves the wallets for nothing that it pays, or
 * by a settlement rule.
 */
export function isSpendOf({ type, from, to, subject, origin }: Moved): boolean {
  if (from === null || outOfStream.includes(type) || subject?.type === 'refund') return false;
  if (to === null && (subject === undefined || origin?.type === 'settlement_execution')) return false;
  return isSpend({ from, to });
}

// Receipts as other protocols spell them (CONTRACT.md 25): made by the context that speaks the protocol.
import type { Ctx } from '../../platform/ctx.js';
import { namedParts } from '../../platform/extension.js';

export const receiptFormats = ['x402'] as const;
export type ReceiptFormat = (typeof receiptFormats)[number];

/** The receipt of a completed transfer in one protocol; null for a transfer that the protocol did not pay. */
export type ReceiptView = (ctx: Ctx, transferId: string) => Promise<string | null>;

/** Who makes receipts, by the name of the protocol. */
export const receiptViews = namedParts<ReceiptView>('receipts of protocols');

// What is kept back of what a protocol pays: a fee, and a reserve for a time. Settlement says it: transfers know neither its config
// nor its reserve, and every transfer passes here, however it is carried out (CONTRACT.md 12 "Reserve").
import type { Protocol, Transfer } from '../../generated/prisma/client.js';
import type { Leg, Posting } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { onePart } from '../../platform/extension.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';

/** What a posting moves and records. */
export type Paid = Pick<Posting, 'legs' | 'records'>;

/** Takes its parts out of what the legs credit to the payee of the transfer. */
export type Withholding = (transfer: Transfer, legs: readonly Leg[], at: Date) => Paid;

/** Says what is kept back of payments by a protocol to a wallet, as it is now; null: nothing. */
export type Withholder = (ctx: Ctx, protocol: Protocol, payee: WalletRef) => Promise<Withholding | null>;

/** Who keeps something back. */
export const withholder = onePart<Withholder>('what is kept back of payments');

// Gap G-178: The holdback binds whoever x402, ACP, UCP, AP2 or MPP pays, by the config of that moment; the x402 fee is for x402 only.
/** The protocols by which merchants and endpoints are paid: whoever they pay is taken for one. */
const paying: ReadonlySet<Protocol> = new Set<Protocol>(['x402', 'acp', 'ucp', 'ap2', 'mpp']);

type Payment = Pick<Transfer, 'protocol' | 'toWalletId' | 'subjectType'>;

/** True for a payment of which something may be kept back. A refund pays a payer. */
function isProtocolPayment({ protocol, toWalletId, subjectType }: Payment): boolean {
  return paying.has(protocol) && toWalletId !== null && subjectType !== 'refund';
}

/** What is kept back of a payment to the wallet, for the maker of a transfer: the posting of a protocol's payment asks for it. */
export async function withholdingOf(ctx: Ctx, protocol: Protocol, payee: WalletRef): Promise<Withholding | null> {
  return paying.has(protocol) ? ctx.platform.extensions.of(withholder)(ctx, protocol, payee) : null;
}

/** The legs of a transfer that is new, less what is kept back. Throws for a payment whose maker has not asked what that is. */
export function lessWithheld(transfer: Transfer, legs: readonly Leg[], at: Date, withholding: Withholding | null | undefined): Paid {
  if (!isProtocolPayment(transfer)) return { legs, records: {} };
  if (withholding === undefined) throw new Error(`nobody has asked what is kept back of a payment by ${transfer.protocol}`);
  return withholding === null ? { legs, records: {} } : withholding(transfer, legs, at);
}

/** The same for a transfer that is there already, and is paid at `at`. */
export async function lessWithheldAt(ctx: Ctx, transfer: Transfer, legs: readonly Leg[], at: Date): Promise<Paid> {
  const payee = isProtocolPayment(transfer) ? await walletRef(ctx, transfer.toWalletId ?? '') : null;
  const withholding = payee === null ? null : await withholdingOf(ctx, transfer.protocol, payee);
  return withholding === null ? { legs, records: {} } : withholding(transfer, legs, at);
}

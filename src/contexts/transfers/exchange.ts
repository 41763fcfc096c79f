// A change of currency on the way from the payer to the payee: what was sent goes into clearing, what is paid comes out of it, and the
// fee is a part of what was sent (CONTRACT.md 2 "Fees").
import type { Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { type Leg, move } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { walletRef } from '../accounts/wallet-ref.js';

/** The ledger accounts of the workspace that take part: clearing in either currency, and fees in the one that was sent. */
export interface ExchangeAccounts {
  sent: string;
  paid: string;
  fees: string;
}

/** What the payee gets, minor units of `currency`. `fee` is the part of what was sent that is not changed. */
export interface CurrencyExchange {
  quoteId: string | null;
  amount: bigint;
  currency: string;
  fee: bigint;
  accounts: ExchangeAccounts;
}

/** The accounts of a change from one currency to another, opened on first use. */
export async function exchangeAccounts(ctx: Ctx, from: string, to: string): Promise<ExchangeAccounts> {
  const [sent, paid, fees] = await Promise.all([
    unboundedAccount(ctx, 'fx.clearing', from),
    unboundedAccount(ctx, 'fx.clearing', to),
    unboundedAccount(ctx, 'fees', from),
  ]);
  return { sent, paid, fees };
}

/** Money that leaves one ledger account and reaches another in another currency. */
interface Exchanged {
  amount: bigint;
  currency: string;
  from: string;
  to: string;
  exchange: CurrencyExchange;
}

/** The legs of a change of currency. A side that rounds to nothing has none. */
export function exchangeLegs({ amount, currency, from, to, exchange }: Exchanged): Leg[] {
  const { fee, accounts } = exchange;
  const legs: Leg[] = [
    { accountId: from, currency, amount: -amount },
    { accountId: accounts.sent, currency, amount: amount - fee },
    { accountId: accounts.fees, currency, amount: fee },
    ...move(exchange.currency, exchange.amount, accounts.paid, to),
  ];
  return legs.filter((leg) => leg.amount !== 0n);
}

// Gap G-126: A waiting change of currency keeps the rate of its quote; of a partial capture the payee's side is rounded down, the fee up.
/**
 * What a transfer comes to of which only a part was captured: the payee's side is rounded down, the fee up. Nothing changes for one that
 * changes no currency.
 */
export function paidData(
  { amount, feeAmount, destinationAmount }: Transfer,
  captured: bigint,
): Pick<Transfer, 'destinationAmount' | 'feeAmount'> {
  const paid = destinationAmount === null ? null : (destinationAmount * captured) / amount;
  return { destinationAmount: paid, feeAmount: (feeAmount * captured + amount - 1n) / amount };
}

/** What follows the capture of a transfer whose held money was captured into clearing: the fee, and what the payee gets. */
export async function captureLegs(ctx: Ctx, transfer: Transfer): Promise<Leg[]> {
  const { id, currency, destinationCurrency, destinationAmount, feeAmount, toWalletId } = transfer;
  if (destinationCurrency === null || destinationAmount === null) return [];
  const [accounts, payee] = await Promise.all([exchangeAccounts(ctx, currency, destinationCurrency), walletRef(ctx, toWalletId ?? '')]);
  if (payee === null) throw new Error(`transfer ${id} has no payee`);
  const legs = [
    ...move(currency, feeAmount, accounts.sent, accounts.fees),
    ...move(destinationCurrency, destinationAmount, accounts.paid, payee.ledger.available),
  ];
  return legs.filter(({ amount }) => amount !== 0n);
}

/** What leaves the payer, minor units: the fee of a payout comes on top of its amount, that of a quote is a part of it. */
export function leavingOf(transfer: Transfer): bigint {
  const { amount, feeAmount, quoteId, subjectType } = transfer;
  return subjectType === 'payout' && quoteId === null ? amount + feeAmount : amount;
}

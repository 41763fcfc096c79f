// A deposit: money that reached the address of a wallet without being asked for. It is a funding transaction from the time when it is seen, and
// is credited when whoever watches the network says that it has come for good (CONTRACT.md 27 "Deposits").
import type { FundingTransaction } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { posting } from '../../ledger/posting.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { collectingWallet } from '../settlement/rail/collection.js';
import type { RailReason } from '../settlement/rail/rail.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { type NewTransfer, transferRow } from '../transfers/transfer.js';
import { fundingOrders } from './funding-life.js';
import { fundingRow, pendingTransfer } from './funding-row.js';

/** Money that was seen on its way to a wallet; minor units. */
export interface Deposit extends Pick<FundingTransaction, 'id' | 'provider' | 'type' | 'rail' | 'walletId' | 'amount' | 'currency'> {
  sourceRef: string;
  /** What the statement of the rail calls it. */
  railReference: string;
}

// Gap G-853: A deposit costs its wallet no fee: the `fee` of a rail is for orders.
/** Writes a deposit that was seen: pending, with its transfer. Nothing is credited yet. */
export async function openDeposit(ctx: Ctx, tx: Tx, deposit: Deposit): Promise<FundingTransaction> {
  const { id, provider, type, rail, amount, currency, sourceRef, railReference } = deposit;
  const reader = within(ctx, tx);
  const [to, source] = await Promise.all([collectingWallet(reader, deposit), unboundedAccount(reader, `rail.clearing:${rail}`, currency)]);
  const at = ctx.clock.now();
  const subject = { type: 'funding_transaction', id };
  const value: NewTransfer = {
    type: 'internal',
    protocol: 'internal',
    from: { ledgerAccountId: source },
    to,
    amount,
    currency,
    at,
    subject,
  };
  const { transfer, records } = pendingTransfer(ctx, transferRow(ctx, value), 0n);
  const { workspaceId: _, ...row } = fundingRow(ctx, { id, provider, type, sourceRef, rail, fee: 0n, to }, transfer);
  const made = await tx.fundingTransaction.create({ data: { ...row, railReference } });
  await postSpend(ctx, posting(ctx, { at, transferId: transfer.id, legs: [], records }), { in: tx });
  return made;
}

/** The deposit has come for good: its wallet is credited, once. */
export async function settleDeposit(ctx: Ctx, tx: Tx, id: string): Promise<FundingTransaction> {
  return fundingOrders.follow(ctx, tx, await lockRow(tx.fundingTransaction, id), { state: 'settled' });
}

/**
 * The deposit has not come after all: nothing was credited. One that has ended stays as it is. Its reference is free for the one that follows
 * when the money comes again.
 */
export async function refuseDeposit(ctx: Ctx, tx: Tx, id: string, why: RailReason): Promise<void> {
  const { status } = await fundingOrders.follow(ctx, tx, await lockRow(tx.fundingTransaction, id), { state: 'rejected', ...why });
  if (status === 'failed') await tx.fundingTransaction.update({ where: rowKey(ctx, id), data: { railReference: null } });
}

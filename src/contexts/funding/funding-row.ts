// The rows of money that is to come in: a funding transaction, and the transfer that credits its wallet.
import { eventRecords } from '../../events/event.js';
import type { FundingTransaction, Transfer } from '../../generated/prisma/client.js';
import { joinRecords, type Records } from '../../ledger/record.js';
import type { Ctx } from '../../platform/ctx.js';
import { rowOf } from '../../platform/postgres/column.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { laneOf } from '../settlement/payout/payout.js';
import { event, transferData } from '../transfers/events.js';
import { transferEventSubject } from '../transfers/transfer.js';

/** What is known of money that is to come in. */
export type NewFunding = Pick<FundingTransaction, 'id' | 'provider' | 'type' | 'sourceRef' | 'rail' | 'fee'> & { to: WalletRef };

/** The row of money that has not come, and that nobody is asked for yet. */
export function fundingRow(
  ctx: Ctx,
  { to, ...known }: NewFunding,
  { id: transferId, amount, currency, createdAt }: Transfer,
): FundingTransaction {
  return {
    ...known,
    workspaceId: ctx.workspace.id,
    transferId,
    walletId: to.walletId,
    walletAgentId: to.agentId,
    status: 'pending',
    amount,
    currency,
    railReference: null,
    submittedAt: null,
    submissions: 0,
    asked: 0,
    errorCode: null,
    returnReason: null,
    returnCode: null,
    shortfall: 0n,
    expectedAt: null,
    createdAt,
    confirmedAt: null,
    completedAt: null,
    returnedAt: null,
    lane: laneOf(ctx, known.rail),
    dueAt: null,
    leaseUntil: null,
  };
}

/** The transfer of money that has not come, and what is written with it. */
export function pendingTransfer(ctx: Ctx, made: Transfer, fee: bigint): { transfer: Transfer; records: Records } {
  const transfer: Transfer = { ...made, status: 'pending', feeAmount: fee, completedAt: null };
  const created = event(ctx, 'transfer.created', transferData(transfer), { at: made.createdAt, ...transferEventSubject(transfer) });
  return { transfer, records: joinRecords({ transfer: [rowOf(transfer)] }, eventRecords(ctx.workspace.id, [created])) };
}

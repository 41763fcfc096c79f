// Money that leaves a stream: what has flowed goes to the payee when it asks for it, and at the end, when the rest goes back to the payer
// (CONTRACT.md 3). None of it is a spend: it was one when it was put in.
import type { Stream, Transfer } from '../../generated/prisma/client.js';
import { guardsOf, type Leg, type LimitUse, move } from '../../ledger/posting.js';
import type { Ending } from '../../manifest/approval-subject.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { conflict } from '../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { withdrawApproval } from '../spending/approval/approval.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { endTransfer } from '../transfers/hold.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import { checkpointed, endedAt, settlementAt, withdrawableAt } from './accrual.js';
import { beginChange, type Changing, checkOpen } from './change.js';
import { saveFlow } from './checkpoint.js';
import type { StreamChange } from './deposit.js';
import { tooLittleStreamed } from './errors.js';
import { usesReturned } from './give-back.js';
import { streamLifecycle, viewOf } from './stream.js';
import { streamSidesOf } from './top-up.js';

/** Pays out what has flowed, all of it or `amount`. 403 for the payer's agent, 409, 422 `insufficient_balance` for more than has flowed. */
export async function withdrawStream(ctx: Ctx, id: string, amount: string | null): Promise<StreamChange> {
  const made = await transact(
    ctx,
    async (tx) => {
      const changing = await beginChange(ctx, tx, id, 'payee');
      checkOpen(changing);
      const { row, flow, at } = changing;
      const available = withdrawableAt(flow, at);
      const wanted = amount === null ? available : parseMinor(amount, row.currency, ['amount']);
      if (wanted > available || available === 0n) throw tooLittleStreamed(id, row.currency, available, amount === null ? 1n : wanted);
      const saved = await saveFlow(ctx, tx, row, checkpointed(flow, at, { withdrawn: flow.withdrawn + wanted }));
      const { to } = await streamSidesOf(within(ctx, tx), row);
      const legsInto = (accountId: string) => move(row.currency, wanted, row.escrowAccountId, accountId);
      const transfer = await postOut(ctx, tx, row, {
        type: 'stream_withdraw',
        amount: wanted,
        money: { accountId: to.ledger.available, legsInto },
      });
      return { row: saved, transfer };
    },
    ({ transfer }) => transfer.id,
  );
  return changeOf(ctx, made);
}

// Gap G-137: Cancelling a pending stream withdraws its approval; the answer has the cancelled `stream_start` transfer.
/**
 * Ends a stream: the payee gets what has flowed, the rest goes back to the payer. One that waits for its approval is called off. 403 for
 * the payee's agent, 409 for one that has ended.
 */
export async function cancelStream(ctx: Ctx, id: string, reason: string | null): Promise<StreamChange> {
  const made = await transact(
    ctx,
    async (tx) => {
      const changing = await beginChange(ctx, tx, id, 'payer');
      const { status } = changing.row;
      if (!streamLifecycle.steps[status].includes('cancelled')) {
        throw conflict(streamLifecycle, printId('stream', id), status, 'cancelled');
      }
      return endStream(ctx, tx, changing, { status: 'cancelled', reason });
    },
    ({ transfer }) => transfer.id,
  );
  return changeOf(ctx, made);
}

function changeOf(ctx: Ctx, { row, transfer }: Ended): StreamChange {
  if (row.dueAt !== null) ringAt(ctx, 'stream', row.dueAt);
  return { stream: viewOf(ctx, row), transfer, approval: null };
}

interface Ended {
  row: Stream;
  transfer: Transfer;
}

/** Ends a stream at an instant, under its lock. Top-ups that wait for an approval are called off with it. */
export async function endStream(
  ctx: Ctx,
  tx: Tx,
  { row, flow, at }: Changing,
  { status, reason }: { status: 'completed' | 'cancelled'; reason: string | null },
): Promise<Ended> {
  const waiting = await callOff(ctx, tx, row, { status: 'cancelled', code: 'stream_ended', message: `The stream was ${status}.` });
  const { paid, returned } = settlementAt(flow, at);
  if (row.status === 'pending' && waiting !== undefined) {
    return { row: await saveFlow(ctx, tx, row, endedAt(flow, at, 'cancelled'), { statusReason: reason }), transfer: waiting };
  }
  const { from, to } = await streamSidesOf(within(ctx, tx), row);
  const limits = await usesReturned(tx, row, returned);
  const saved = await saveFlow(ctx, tx, row, endedAt(flow, at, status), { statusReason: reason });
  const legsInto = (accountId: string): Leg[] => [
    ...(paid > 0n ? move(row.currency, paid, row.escrowAccountId, accountId) : []),
    ...(returned > 0n ? move(row.currency, returned, row.escrowAccountId, from.ledger.available) : []),
  ];
  const transfer = await postOut(
    ctx,
    tx,
    row,
    {
      type: 'stream_cancel',
      amount: paid,
      money: { accountId: to.ledger.available, legsInto: (accountId) => legsInto(accountId).map((leg) => ({ ...leg, returns: true })) },
      protocolMetadata: { returned_amount: formatMinor(returned, row.currency) },
      description: reason,
    },
    limits,
  );
  return { row: saved, transfer };
}

/** Calls off what waits for an approval, and gives back what it holds. Returns the oldest of it. */
async function callOff(ctx: Ctx, tx: Tx, { id }: Stream, ending: Ending): Promise<Transfer | undefined> {
  const waiting = await tx.transfer.findMany({
    where: { subjectType: 'stream', subjectId: id, status: 'pending' },
    orderBy: { id: 'asc' },
  });
  const ended: Transfer[] = [];
  for (const transfer of waiting) {
    if (transfer.approvalId !== null) await withdrawApproval(ctx, tx, transfer.approvalId);
    ended.push(await endTransfer(ctx, tx, transfer, ending));
  }
  return ended[0];
}

type MoneyOut = Pick<NewTransfer, 'type' | 'amount' | 'money' | 'protocolMetadata' | 'description'>;

/** Posts money out of a stream, as a transfer of it. */
async function postOut(ctx: Ctx, tx: Tx, row: Stream, out: MoneyOut, limits: readonly LimitUse[] = []): Promise<Transfer> {
  const reader = within(ctx, tx);
  const { from, to } = await streamSidesOf(reader, row);
  const rules = await rulebook(reader);
  const value: NewTransfer = {
    ...out,
    protocol: 'internal',
    from,
    to,
    currency: row.currency,
    at: ctx.clock.now(),
    subject: { type: 'stream', id: row.id },
  };
  const transfer = transferRow(ctx, value);
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits, guards: guardsOf(ctx), rules }), { in: tx });
  return transfer;
}

// Money that is put into a stream: it comes out of what is wrapped, then out of what is available, and goes into the stream's escrow
// (CONTRACT.md 0 "Small decisions"). A deposit is a spend; one that waits for an approval is held meanwhile.
import type { Approval, Stream, Transfer } from '../../generated/prisma/client.js';
import { lockedBalances } from '../../ledger/account.js';
import { type Leg, move } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import type { Draft, SpendForm } from '../spending/pipeline/execution.js';
import type { Authority } from '../spending/pipeline/pipeline.js';
import { type Money, type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import { transfer as readTransfer } from '../transfers/transfer-list.js';
import { type StreamView, stream } from './stream.js';

/** What a deposit, a withdrawal or the end of a stream made, and the approval that it waits for. */
export interface StreamChange {
  stream: StreamView;
  transfer: Transfer;
  approval: Approval | null;
}

/** A deposit before it is posted. */
export interface StreamDeposit {
  /** The id of its transfer. */
  id: string;
  stream: Pick<Stream, 'id' | 'escrowAccountId'>;
  /** What is approved, where it has to be. */
  subjectType: 'stream' | 'stream_top_up';
  from: WalletRef;
  to: WalletRef;
  /** Minor units. */
  amount: bigint;
  authority: Authority;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Reads what the payer has, under the locks of its ledger accounts, and says which of it is put in. */
export async function depositMoney(
  ctx: Ctx,
  tx: Tx,
  { stream, from, amount }: Pick<StreamDeposit, 'stream' | 'from' | 'amount'>,
): Promise<Money> {
  const { wrapped } = await lockedBalances(ctx, tx, from.walletId);
  const fromWrapped = wrapped < amount ? wrapped : amount;
  const { currency, ledger } = from;
  const legsInto = (accountId: string): Leg[] => [
    ...(fromWrapped > 0n ? move(currency, fromWrapped, ledger.wrapped, accountId) : []),
    ...(fromWrapped < amount ? move(currency, amount - fromWrapped, ledger.available, accountId) : []),
  ];
  return { accountId: stream.escrowAccountId, legsInto };
}

/** The transfer and the posting of a deposit under its authority. */
export function draftStreamDeposit(ctx: Ctx, deposit: StreamDeposit, money: Money, form: SpendForm): Draft<Transfer> {
  const { id, stream, subjectType, from, to, amount, authority } = deposit;
  const value: NewTransfer = {
    type: 'stream_start',
    protocol: 'internal',
    from,
    to,
    amount,
    currency: from.currency,
    at: authority.at,
    money,
    agentId: authority.agentId,
    subject: { type: 'stream', id: stream.id },
    protocolMetadata: subjectType === 'stream_top_up' ? { top_up: true } : undefined,
    approvalId: form.approvalId,
    decisionId: form.decisionId,
    metadata: deposit.metadata,
  };
  const transfer = transferRow(ctx, value, id);
  // Gap G-135: A deposit is bound by the agent that acts; the agent whose wallet pays must be active, whoever asks.
  // A closed wallet could never be paid.
  const guards = [
    ...authority.guards,
    { kind: 'payee' as const, id: to.walletId },
    ...(from.agentId === null || from.agentId === authority.agentId ? [] : [{ kind: 'agent' as const, id: from.agentId }]),
  ];
  return {
    value: transfer,
    posting: transferPosting(ctx, transfer, value, { limits: form.limits, guards, rules: authority.rules }),
    request: {
      subject: { subjectType, subjectId: subjectType === 'stream' ? stream.id : id },
      transferId: id,
      description: null,
      execution: {},
    },
  };
}

/** What a deposit, a withdrawal or the end of a stream made, by its transfer, and the approval that it waited for. */
export async function readDeposit(ctx: Ctx, id: string): Promise<Omit<StreamChange, 'approval'> & { approvalId: string | null }> {
  const made = await readTransfer(ctx, id);
  const waits = made.type === 'stream_start';
  return { stream: await stream(ctx, made.subjectId ?? ''), transfer: made, approvalId: waits ? made.approvalId : null };
}

// The money that an execution moves: a payout, a transfer, or a hold. Each names the execution, so that nothing that is told of it fires a
// rule (CONTRACT.md 12). It is planned outside of a transaction and made within one.
import type { Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { type Currency, formatMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId, printId } from '../../platform/schema/id.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { planPayout, writePayout } from '../settlement/payout/payout-request.js';
import { payoutPlaceOf } from '../settlement/payout/place.js';
import { railFor } from '../settlement/rail/rail.js';
import { executeSpend } from '../spending/pipeline/execution.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import type { NewTransfer } from '../transfers/transfer.js';
import { draftTransfer, planTransfer, type TransferPlan } from '../transfers/transfer-request.js';
import { Rollback } from './rollback.js';

/** What was made, and what becomes due by it: tables and times. */
export interface Made {
  transfer?: Transfer;
  payoutId?: string;
  due?: readonly [table: string, at: Date][];
}

/** What every movement of an execution has. */
export interface Head {
  executionId: string;
  from: WalletRef;
  description: string;
}

export interface Settlement {
  /** The bank account; the default one of the wallet's account without it. */
  ref: string | undefined;
  rail: string | undefined;
  /** What is paid out when the rail takes this fee. Throws when it is nothing. */
  amountAfter: (fee: bigint) => bigint;
}

/** Pays out to a bank account: no spend, but the kill switch and the freeze of the wallet hold. */
export async function planSettlement(ctx: Ctx, { executionId, from, description }: Head, { ref, rail, amountAfter }: Settlement) {
  const destination = { type: 'bank', ref: ref ?? (await defaultBankAccount(ctx, from)) } as const;
  const place = await payoutPlaceOf(ctx, destination, rail);
  const { fee } = await railFor(ctx, place.rail, from.currency);
  const amount = formatMinor(amountAfter(fee), from.currency);
  const input = { walletId: from.walletId, amount, currency: from.currency as Currency, destination, rail, description };
  const plan = await planPayout(ctx, input, { id: executionId });
  return async (tx: Tx): Promise<Made> => {
    const { payout, transfer } = await writePayout(ctx, tx, plan);
    return { transfer, payoutId: payout.id, due: dueOf('payout', payout.dueAt) };
  };
}

async function defaultBankAccount(ctx: Ctx, { accountId }: WalletRef): Promise<string> {
  const found = await ctx.db.bankAccount.findFirst({ where: { accountId, isDefault: true, deletedAt: null }, select: { id: true } });
  if (found === null) throw new Rollback('failed', 'no_bank_account', 'The account of the wallet has no bank account.');
  return printId('bankAccount', found.id);
}

export interface RulePayment {
  toWalletId?: string;
  toAccountId?: string;
  amount: string;
}

/** Pays a wallet of the platform: a spend like any other, where it leaves its owner. */
export async function planMovement(ctx: Ctx, { executionId, from, description }: Head, to: RulePayment) {
  const input = { type: 'internal', fromWalletId: from.walletId, currency: from.currency as Currency, description, ...to } as const;
  const id = newId(ctx.clock.now());
  return making(ctx, id, await planTransfer(ctx, input, { id, origin: { type: 'settlement_execution', id: executionId } }));
}

export interface SetAside {
  amount: bigint;
  releaseAfterSeconds: number | undefined;
}

// Gap G-204: `hold` is a pending transfer to nowhere, never captured; it ends at its time or when an operator cancels it.
/** Sets money of the wallet aside: a transfer to nowhere that is never captured, and cancelled at its time or by an operator. */
export async function planHold(ctx: Ctx, { executionId, from, description }: Head, { amount, releaseAfterSeconds }: SetAside) {
  const { currency } = from;
  const at = ctx.clock.now();
  const head = { protocol: 'internal', from, currency, amount, at } as const;
  const value: NewTransfer = {
    ...head,
    type: 'internal',
    to: { ledgerAccountId: await unboundedAccount(ctx, 'settlement.reserve', currency) },
    hold: { expiresAt: releaseAfterSeconds === undefined ? null : addSeconds(at, releaseAfterSeconds) },
    origin: { type: 'settlement_execution', id: executionId },
    description,
  };
  // It stays with its owner, so no rule binds it.
  const authority = await authorizeSpend(ctx, { ...head, to: from, agentId: undefined });
  return making(ctx, newId(at), { value, authority });
}

function making(ctx: Ctx, id: string, plan: TransferPlan) {
  return async (tx: Tx): Promise<Made> => {
    const draft = (form: Parameters<typeof draftTransfer>[3]) => draftTransfer(ctx, id, plan, form);
    const { value: transfer, approval } = await executeSpend(ctx, plan.authority, draft, { in: tx });
    return { transfer, due: [...dueOf('transfer', transfer.dueAt), ...dueOf('approval', approval?.dueAt ?? null)] };
  };
}

function dueOf(table: string, at: Date | null): [string, Date][] {
  return at === null ? [] : [[table, at]];
}

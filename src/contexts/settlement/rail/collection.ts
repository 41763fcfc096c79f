// Money that a rail brings into a wallet, and what of it the source takes back: the legs of both, and the posting of such a step
// (CONTRACT.md 12).
import { type EventRow, eventRecords } from '../../../events/event.js';
import { lockedTakeable, unboundedAccount } from '../../../ledger/account.js';
import { type Leg, type Posting, posting } from '../../../ledger/posting.js';
import { joinRecords, type Records } from '../../../ledger/record.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { rulebook } from '../../spending/pipeline/rulebook.js';
import { type NewOperation, operationRecord } from '../../usage/operation.js';
import type { HoldbackPart } from '../reserve/holdback.js';

/** What a rail collects; amounts in minor units, `fee` a part of `amount`. */
export interface Collection {
  rail: string;
  walletId: string;
  amount: bigint;
  fee: bigint;
  currency: string;
}

/** The wallet that the money is for. Throws when it is gone, which it cannot be while the order is open. */
export async function collectingWallet(ctx: Ctx, { walletId }: Pick<Collection, 'walletId'>): Promise<WalletRef> {
  const wallet = await walletRef(ctx, walletId);
  if (wallet === null) throw new Error(`the wallet ${walletId} of an order is gone`);
  return wallet;
}

/** The rail has brought the money: the wallet gets it, less the fee (see G-169). */
export async function collectedLegs(ctx: Ctx, tx: Tx, { rail, amount, fee, currency }: Collection, to: WalletRef): Promise<Leg[]> {
  const reader = within(ctx, tx);
  const [clearing, fees] = await Promise.all([
    unboundedAccount(reader, `rail.clearing:${rail}`, currency),
    unboundedAccount(reader, 'fees', currency),
  ]);
  return moving(currency, [
    [clearing, -amount],
    [to.ledger.available, amount - fee],
    [fees, fee],
  ]);
}

// Gap G-170: Money that the source takes back leaves the wallet as far as there is enough; the rest stands in `receivables`.
/**
 * The source takes back what it has paid: out of what was kept back of the payment (`drawn`), then out of the wallet as far as it has it.
 * The rest is owed to the platform, and stands in `receivables`: `shortfall`.
 */
export async function reversalLegs(
  ctx: Ctx,
  tx: Tx,
  { rail, walletId, amount, currency }: Omit<Collection, 'fee'>,
  drawn: HoldbackPart | null = null,
): Promise<{ legs: Leg[]; shortfall: bigint }> {
  const reader = within(ctx, tx);
  const from = await collectingWallet(reader, { walletId });
  const [clearing, receivables] = await Promise.all([
    unboundedAccount(reader, `rail.clearing:${rail}`, currency),
    unboundedAccount(reader, 'receivables', currency),
  ]);
  const rest = amount - (drawn?.amount ?? 0n);
  const there = await lockedTakeable(ctx, tx, walletId);
  const taken = there < rest ? there : rest;
  const legs = moving(currency, [
    ...(drawn === null ? [] : [[drawn.accountId, -drawn.amount] as const]),
    [from.ledger.available, -taken],
    [receivables, taken - rest],
    [clearing, amount],
  ]);
  return { legs, shortfall: rest - taken };
}

function moving(currency: string, movements: readonly (readonly [accountId: string, amount: bigint])[]): Leg[] {
  return movements.flatMap(([accountId, amount]) => (amount === 0n ? [] : [{ accountId, currency, amount }]));
}

/** What a step of an order writes with its money. */
export interface CollectionStep extends Partial<Pick<Posting, 'legs' | 'limits'>> {
  transferId: string;
  events: readonly EventRow[];
  operation: NewOperation;
  records?: Records;
}

/** The posting of a step: what the rail has done is done, so nothing but the ledger itself refuses it. Call it last. */
export async function postStep(ctx: Ctx, tx: Tx, step: CollectionStep): Promise<void> {
  const { transferId, legs = [], limits = [], events, operation, records = {} } = step;
  const { rates } = await rulebook(within(ctx, tx));
  const written = joinRecords(eventRecords(ctx.workspace.id, events), { operation: [operationRecord(ctx, operation, rates)] }, records);
  await postSpend(ctx, posting(ctx, { at: operation.at, transferId, legs, limits, records: written }), { in: tx });
}

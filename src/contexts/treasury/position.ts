// What a workspace holds, owes and has promised, currency by currency (CONTRACT.md 15).
import type { Ctx } from '../../platform/ctx.js';
import { type Position, type PositionText, places, promises, readPositions } from './position.sql.js';

// Gap G-193: The position has every currency in which the workspace has a ledger account.
/** The position now, in every currency that the ledger of the workspace has an account in. */
export async function positions(ctx: Ctx): Promise<Position[]> {
  return (await readPositions(ctx)).map(readPosition);
}

/** A position of decimal text. What was not known yet when it was kept is zero. */
export function readPosition(text: Partial<PositionText> & Pick<PositionText, 'currency'>): Position {
  const amounts = [...places, ...promises].map((member) => [member, BigInt(text[member] ?? 0)]);
  return { currency: text.currency, ...Object.fromEntries(amounts) };
}

// Gap G-192: `liabilities` is all that belongs to owners of wallets: available, held, wrapped, streams, escrow and reserve.
/** What is owed to the owners of wallets: all that stands for them, whether they can spend it or not. */
export function owed({ available, held, wrapped, streams, escrows, reserve }: Position): bigint {
  return available + held + wrapped + streams + escrows + reserve;
}

/** What is owed and the workspace's own accounts come to nothing: double entry, so anything else is a fault of ours. */
export function checkPosition(position: Position): void {
  const { currency, fees, clearing, world } = position;
  const sum = owed(position) + fees + clearing + world;
  if (sum !== 0n) throw new Error(`the position in ${currency} sums to ${sum}: there is a kind of account that it does not count`);
}

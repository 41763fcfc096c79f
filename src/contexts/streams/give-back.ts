// What of the limits is given back with the money that a stream returns: the uses of its deposits, as far as they count in windows that
// have not ended (CONTRACT.md 3). The newest deposits are the ones of which most is left (Gap G-140).
import type { Stream, Transfer } from '../../generated/prisma/client.js';
import { usesOf } from '../../ledger/hold.js';
import type { LimitUse } from '../../ledger/posting.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import type { Tx } from '../../platform/postgres/database.js';
import { authorizeSpend } from '../spending/pipeline.js';
import { counterKey } from '../spending/posting.js';
import type { WalletParties } from '../transfers/transfer.js';
import { least } from './accrual.js';

/** Deposits that are looked at, the newest. */
const mostDeposits = 200;

/** The uses that go back with `returned` minor units of a stream. What was streamed came out of the oldest deposits. */
export async function givenBack(ctx: Ctx, tx: Tx, { id }: Stream, parties: WalletParties, returned: bigint): Promise<LimitUse[]> {
  const deposits = await tx.transfer.findMany({
    where: { streamId: id, type: 'stream_start', status: 'completed' },
    orderBy: { id: 'desc' },
    take: mostDeposits,
  });
  const given: LimitUse[] = [];
  let rest = returned;
  for (const deposit of deposits) {
    if (rest === 0n) break;
    const part = least(deposit.amount, rest);
    rest -= part;
    given.push(...(await usesGivenBack(ctx, tx, deposit, parties, part)));
  }
  return given;
}

async function usesGivenBack(ctx: Ctx, tx: Tx, deposit: Transfer, parties: WalletParties, part: bigint): Promise<LimitUse[]> {
  const uses = (await usesOf(tx, ctx.workspace.id, deposit.id)).filter(({ used }) => used > 0n);
  if (uses.length === 0) return [];
  const current = await currentWindows(ctx, tx, deposit, parties);
  return uses
    .filter((use) => current.has(counterKey(use)))
    .map((use) => ({ ...use, used: -((use.used * part) / deposit.amount), reserved: 0n }))
    .filter(({ used }) => used < 0n);
}

/** The counters that the same spend would use now, in the windows of now. */
async function currentWindows(ctx: Ctx, tx: Tx, deposit: Transfer, parties: WalletParties): Promise<ReadonlySet<string>> {
  const { amount, currency, protocol, traceId } = deposit;
  const reader = within(systemCtx(ctx.platform, ctx.workspace), tx);
  const agentId = deposit.agentId ?? undefined;
  const { evaluation } = await authorizeSpend(reader, { ...parties, agentId, protocol, currency, amount, at: ctx.clock.now(), traceId });
  return new Set(evaluation.uses.map(counterKey));
}

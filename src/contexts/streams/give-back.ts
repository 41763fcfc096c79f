// What of the limits is given back with the money that a stream returns: the uses of its deposits, in the windows in which they were used
// (CONTRACT.md 3). The newest deposits are the ones of which most is left.
import type { Stream } from '../../generated/prisma/client.js';
import { givenBack, usesOf } from '../../ledger/hold.js';
import type { LimitUse } from '../../ledger/posting.js';
import type { Tx } from '../../platform/postgres/database.js';
import { least } from './accrual.js';

/** Deposits that are looked at, the newest. */
const mostDeposits = 200;

// Gap G-139: What comes back is given back to limits by the newest deposits first, 200 at most, each rounded down.
/** The uses that go back with `returned` minor units of a stream. What was streamed came out of the oldest deposits. */
export async function usesReturned(tx: Tx, { workspaceId, id }: Stream, returned: bigint): Promise<LimitUse[]> {
  const deposits = await tx.transfer.findMany({
    where: { subjectType: 'stream', subjectId: id, type: 'stream_start', status: 'completed' },
    orderBy: { id: 'desc' },
    take: mostDeposits,
  });
  const given: LimitUse[] = [];
  let rest = returned;
  for (const deposit of deposits) {
    if (rest === 0n) break;
    const part = least(deposit.amount, rest);
    rest -= part;
    given.push(...givenBack(await usesOf(tx, workspaceId, deposit.id), { part, whole: deposit.amount }));
  }
  return given;
}

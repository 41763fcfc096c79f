// A transfer whose money was held in escrow, settled by the thing that it belongs to: what was promised to the payee is paid, whoever is
// frozen by now, and the rest goes back.
import { eventRecords } from '../../events/event.js';
import type { Transfer } from '../../generated/prisma/client.js';
import { resolve, setAside } from '../../ledger/hold.js';
import { guardsOf, posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import type { Ending } from '../../manifest/approval-subject.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import type { HeldMoney } from '../spending/approval/approved-spend.js';
import type { SpendForm } from '../spending/pipeline/execution.js';
import { mandateOf } from '../spending/pipeline/mandate.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { completedEvents, transferRoles } from './events.js';
import { endTransfer } from './hold.js';
import { transferOperation } from './operation.js';
import { type NewTransfer, partiesOf, transferEventSubject } from './transfer.js';
import { lessWithheldAt } from './withholding.js';

// Gap G-424: Money that waits for an approval is held in the wallet, and goes into escrow when the approval is given.
/** Where the money of a thing with an escrow is set aside: while it waits for an approval, in the wallet as what is held. */
export function asideFor(escrowAccountId: string, { approvalId }: Pick<SpendForm, 'approvalId'>): NonNullable<NewTransfer['hold']> {
  return { expiresAt: null, captureBy: 'payee', ...(approvalId === null && { accountId: escrowAccountId }) };
}

/**
 * What becomes of the money of an approved spend that waits: it goes into the escrow, held anew. What began to wait before that was so is in
 * the escrow already.
 */
export async function intoEscrow(
  tx: Tx,
  transfer: Transfer,
  escrowAccountId: string,
  { decisionId, at }: { decisionId: string; at: Date },
): Promise<HeldMoney> {
  const { workspaceId, id: transferId, holdId } = transfer;
  const hold = await tx.hold.findFirstOrThrow({ where: { id: holdId ?? '', status: 'held' } });
  const { heldAccountId, fromAccountId, toAccountId, currency, amount } = hold;
  const isThere = heldAccountId === escrowAccountId;
  const id = isThere ? hold.id : newId(at);
  await tx.transfer.updateMany({ where: { id: transferId }, data: { decisionId, updatedAt: at, holdId: id } });
  if (isThere) return {};
  const { legs, limits: givenBack } = await resolve(tx, hold, { capture: amount, to: escrowAccountId, at, usesAnew: true });
  const parts = { workspaceId, transferId, fromAccountId, toAccountId, currency, amount };
  const { records } = setAside({ ...parts, id, heldAccountId: escrowAccountId, createdAt: at });
  return { legs, records, givenBack };
}

/**
 * Pays `captured` minor units of a pending transfer to its payee and returns the rest, under the lock of the thing that it belongs to.
 * Where nothing is captured the transfer ends as `ending` says.
 */
export async function settleEscrowed(ctx: Ctx, tx: Tx, transfer: Transfer, captured: bigint, ending: Ending): Promise<Transfer> {
  if (captured === 0n) return endTransfer(ctx, tx, transfer, ending);
  const at = ctx.clock.now();
  const hold = await tx.hold.findFirstOrThrow({ where: { id: transfer.holdId ?? '', status: 'held' } });
  const { legs, limits } = await resolve(tx, hold, { capture: captured, at });
  const done = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status: 'completed', capturedAmount: captured, completedAt: at, updatedAt: at, dueAt: null, leaseUntil: null },
  });
  const reader = within(ctx, tx);
  const { from, to } = await partiesOf(reader, done);
  const paid = await lessWithheldAt(reader, done, legs, at);
  const { rates } = await rulebook(reader);
  const mandate = await mandateOf(tx, done.mandateId);
  const completed = completedEvents(ctx, done, { at, ...transferEventSubject(done), roles: transferRoles(done, from, to), mandate });
  const operation = transferOperation(ctx, done, captured, at, rates);
  const records = joinRecords(eventRecords(ctx.workspace.id, completed), operation, paid.records);
  const value = posting(ctx, { at, transferId: done.id, legs: paid.legs, limits, guards: guardsOf(ctx), records });
  await postSpend(ctx, value, { in: tx });
  return done;
}

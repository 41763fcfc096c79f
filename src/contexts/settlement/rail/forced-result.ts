// Results that are forced upon a simulated rail: its order is settled or rejected now, a payout returned (CONTRACT.md 19).
import type { Payout, Transfer } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { StateConflict, TestModeOnly, ValidationFailed } from '../../../platform/errors.js';
import { wrongStatus } from '../../../platform/lifecycle.js';
import { printId } from '../../../platform/schema/id.js';
import { namedTransfer } from '../../transfers/transfer-list.js';
import { namedPayout } from '../payout/payout.js';
import { payoutOrders } from '../payout/payout-order.js';
import { type FoundOrder, findOrder } from './order-kind.js';
import { type Forced, force } from './rail-book.js';
import { usualCode } from './simulated-rail.js';

/** Settles or rejects the order of a transfer now. 409 for one that has none, was not submitted yet, or has ended. */
export async function settleTransfer(ctx: Ctx, id: string, outcome: 'settled' | 'rejected', code: string | null): Promise<Transfer> {
  checkSandbox(ctx);
  const { status } = await namedTransfer(ctx, id);
  const found = await findOrder(ctx, { transferId: id });
  if (found === null) {
    throw new StateConflict('The transfer stays within the platform: no rail carries it.', status, [], { terminal: true });
  }
  if (outcome === 'settled' && code !== null) {
    throw new ValidationFailed([{ path: ['code'], message: 'says why it was rejected: leave it out' }]);
  }
  await forceOrRefuse(ctx, found, { state: outcome, code, resultId: id });
  return namedTransfer(ctx, id);
}

/** Sends a payout back now, whether or not it was paid. 409 for one that was not submitted yet, or has ended otherwise. */
export async function returnPayout(ctx: Ctx, id: string, code: string | null): Promise<Payout> {
  checkSandbox(ctx);
  await forceOrRefuse(ctx, { kind: payoutOrders, row: await namedPayout(ctx, id) }, { state: 'returned', code, resultId: id });
  return namedPayout(ctx, id);
}

function checkSandbox({ workspace }: Ctx): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Results can be forced in the sandbox only.');
}

type Result = Pick<Forced, 'state' | 'resultId'> & { code: string | null };

async function forceOrRefuse(ctx: Ctx, { kind, row }: FoundOrder, { state, code, resultId }: Result): Promise<void> {
  const { id, status, rail, railReference } = row;
  if (kind.open.includes(status) && railReference === null) {
    throw new StateConflict('It has not been submitted yet, or is waiting for an approval.', status, [], {
      retry: { safe: true, same_key: true, after_s: 1 },
    });
  }
  const reference = railReference ?? '';
  if (await force(ctx, { rail, reference, state, code: code ?? usualCode(rail), resultId })) return;
  const wanted = state === 'returned' ? [...kind.open, 'complete'] : kind.open;
  throw wrongStatus(kind.lifecycle, printId(kind.noun, id), status, wanted, 'The rail has already finished it.');
}

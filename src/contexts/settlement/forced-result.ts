// Results that are forced upon a simulated rail: a payout is settled, rejected or returned now (CONTRACT.md 19).
import type { Payout, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict, TestModeOnly, ValidationFailed } from '../../platform/errors.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import { printId } from '../../platform/schema/id.js';
import { transfer } from '../transfers/transfer-list.js';
import { payout, payoutLifecycle } from './payout.js';
import { type Forced, force } from './rail-book.js';
import { usualCode } from './simulated-rail.js';

/** Settles or rejects the payout of a transfer now. 409 for one that has none, was not submitted yet, or has ended. */
export async function settleTransfer(ctx: Ctx, id: string, outcome: 'settled' | 'rejected', code: string | null): Promise<Transfer> {
  checkSandbox(ctx);
  const { payoutId, status } = await transfer(ctx, id);
  if (payoutId === null) {
    throw new StateConflict('The transfer stays within the platform: no rail carries it.', status, [], { terminal: true });
  }
  if (outcome === 'settled' && code !== null) {
    throw new ValidationFailed([{ path: ['code'], message: 'says why it was rejected: leave it out' }]);
  }
  const found = await payout(ctx, payoutId);
  await forceOrRefuse(ctx, found, { state: outcome, code, resultId: id });
  return transfer(ctx, id);
}

/** Sends a payout back now, whether or not it was paid. 409 for one that was not submitted yet, or has ended otherwise. */
export async function returnPayout(ctx: Ctx, id: string, code: string | null): Promise<Payout> {
  checkSandbox(ctx);
  await forceOrRefuse(ctx, await payout(ctx, id), { state: 'returned', code, resultId: id });
  return payout(ctx, id);
}

function checkSandbox({ workspace }: Ctx): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Results are forced in the sandbox only.');
}

type Result = Pick<Forced, 'state' | 'resultId'> & { code: string | null };

async function forceOrRefuse(ctx: Ctx, { id, status, rail, railReference }: Payout, { state, code, resultId }: Result): Promise<void> {
  if (status === 'pending' && railReference === null) {
    throw new StateConflict('The payout is still to be submitted, or waits for an approval.', status, [], {
      retry: { safe: true, same_key: true, after_s: 1 },
    });
  }
  const reference = railReference ?? '';
  if (await force(ctx, { rail, reference, state, code: code ?? usualCode(rail), resultId })) return;
  const wanted = state === 'returned' ? (['pending', 'confirmed', 'complete'] as const) : (['pending', 'confirmed'] as const);
  throw wrongStatus(payoutLifecycle, printId('payout', id), status, wanted, 'What the rail has done with the payout is done.');
}

// A dispute as it is filed, with what its sides show (CONTRACT.md 13).
import type { Dispute, Prisma } from '../../generated/prisma/client.js';
import { noteOutcome } from '../../platform/audit.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { formatMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId, printId } from '../../platform/schema/id.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import type { DisputeEvidenceInput } from './dispute.input.js';

/** So long the other side has to answer. */
const answerSeconds = 30 * 86_400;

/** Something that a side shows. */
export type ShownPiece = DisputeEvidenceInput & { description: string };

/** What one side has shown. */
export interface FilingEvidence extends ShownPiece {
  party: 'payer' | 'payee';
  at: string;
}

/** A dispute whose right to be filed was checked. */
export interface NewDispute extends Pick<Dispute, 'transferId' | 'reason' | 'description' | 'currency' | 'requestedResolution'> {
  /** Minor units. */
  amount: bigint;
  evidence?: readonly ShownPiece[];
  agents: Pick<Dispute, 'payerAgentId' | 'payeeAgentId'>;
}

/** Writes a dispute; the other side has 30 days to answer. */
export async function fileDispute(ctx: Ctx, tx: Tx, { amount, evidence, agents, ...about }: NewDispute): Promise<Dispute> {
  const at = ctx.clock.now();
  const respondBy = addSeconds(at, answerSeconds);
  const filed = await tx.dispute.create({
    data: {
      ...about,
      ...agents,
      id: newId(at),
      status: 'open',
      amountDisputed: amount,
      evidence: shown('payer', evidence, at),
      respondBy,
      filedByType: initiatorOf(ctx.actor.type),
      filedById: ctx.actor.id,
      dueAt: respondBy,
      createdAt: at,
      updatedAt: at,
    },
  });
  return toldOutcome(tx, filed);
}

/** Tells what a dispute is now in the evidence of the transfer, without what its sides have written. */
export function toldOutcome(tx: Tx, dispute: Dispute): Dispute {
  const { amountDisputed, currency, refundId, resolution, respondBy } = dispute;
  noteOutcome(tx, {
    amount_disputed: formatMinor(amountDisputed, currency),
    currency,
    id: printId('dispute', dispute.id),
    reason: dispute.reason,
    refund_id: refundId && printId('refund', refundId),
    requested_resolution: dispute.requestedResolution,
    resolution,
    respond_by: respondBy.toISOString(),
    status: dispute.status,
    transfer_id: printId('transfer', dispute.transferId),
  });
  return dispute;
}

/** Evidence as it is kept. */
export function shown(party: FilingEvidence['party'], evidence: readonly ShownPiece[] = [], at: Date): Prisma.InputJsonValue {
  return evidence.map((piece) => ({ party, ...piece, at: at.toISOString() })) as unknown as Prisma.InputJsonValue;
}

/** To be called when the transaction that files a dispute has ended. */
export function ringDispute(ctx: Ctx, { respondBy }: Dispute): void {
  ringAt(ctx, 'dispute', respondBy);
}

// A one-off payment by MPP: a transfer that says which service it pays, and which challenge it answers (CONTRACT.md 10).
import { z } from 'zod';
import type { Approval, Transfer } from '../../generated/prisma/client.js';
import type { ApprovalSubject } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { awaitedApproval } from '../spending/approval/approval.js';
import { transferSubject } from '../transfers/approval.js';
import { transfer } from '../transfers/transfer-list.js';

/** A payment of an endpoint is approved as that of x402 is, which settles it. */
export const mppPaymentSubject: ApprovalSubject = { ...transferSubject, kind: 'mppPayment' };

const facts = z.object({
  service_url: z.string(),
  /** Ids as they are printed. */
  challenge_id: z.string().optional(),
  payment_id: z.string().optional(),
});

/** What the transfer of a payment says of it. */
export type PaymentFacts = z.infer<typeof facts>;

/** A payment, and the approval that it waits for. */
export interface PaymentChange {
  transfer: Transfer;
  approval: Approval | null;
}

/** What a transfer says of the payment that it is; null for one that is none. */
export function paymentFacts({ protocol, protocolMetadata }: Transfer): PaymentFacts | null {
  if (protocol !== 'mpp') return null;
  const { success, data } = facts.safeParse(protocolMetadata);
  // The deposit of a session names its service too.
  return success && (protocolMetadata as { session_id?: string }).session_id === undefined ? data : null;
}

/** The transfer of a payment, or 404. */
export async function mppPayment(ctx: Ctx, id: string): Promise<Transfer> {
  const found = await transfer(ctx, id, 'mpp:read');
  if (paymentFacts(found) === null) throw new NotFound();
  return found;
}

/** The payment of a keyed request that is repeated. */
export async function storedPayment(ctx: Ctx, id: string): Promise<PaymentChange> {
  const found = await mppPayment(ctx, id);
  return { transfer: found, approval: await awaitedApproval(ctx, found.approvalId) };
}

/** The payment that an approval was about; null for another subject. One of an endpoint is that of x402 too. */
export async function approvedPayment(ctx: Ctx, { subjectType, subjectId }: Approval): Promise<Transfer | null> {
  if (subjectType !== 'mpp_payment' && subjectType !== 'x402_payment') return null;
  const found = await transfer(ctx, subjectId, 'mpp:read');
  return paymentFacts(found) === null ? null : found;
}

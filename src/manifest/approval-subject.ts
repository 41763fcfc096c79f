// What an approval is about. A context that spends says how its subject is carried out once it is approved, and how it ends otherwise;
// approvals know no subject (CONTRACT.md 0 "Approval interplay").
import type { Approval } from '../generated/prisma/client.js';
import type { Ctx } from '../platform/ctx.js';
import type { ApiError } from '../platform/errors.js';
import type { Tx } from '../platform/postgres/database.js';
import type { IdKind } from '../platform/schema/id.js';

/** How a subject ends that is not carried out: called off, or failed at the check that follows an approval. */
export interface Ending {
  status: 'cancelled' | 'failed';
  code: string;
  message: string;
}

/** One type of subject. Its row is locked before that of its approval, by whoever changes both. */
export interface ApprovalSubject {
  /** The kind of its ids. */
  kind: IdKind;
  lock(ctx: Ctx, tx: Tx, subjectId: string): Promise<unknown>;
  /**
   * Carries the subject out with everything checked again, under its lock. Throws SubjectRefused when a check fails. What it returns
   * is called after the commit.
   */
  approve(ctx: Ctx, tx: Tx, approval: Approval): Promise<(() => void) | undefined>;
  /** Ends the subject, under its lock, and gives back what it holds. */
  end(ctx: Ctx, tx: Tx, approval: Approval, ending: Ending): Promise<unknown>;
}

/** What was approved is refused now, for a reason that has nothing to do with who approves. */
export class SubjectRefused extends Error {
  readonly refusal: ApiError;

  constructor(refusal: ApiError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

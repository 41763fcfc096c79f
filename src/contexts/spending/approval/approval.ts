// Approvals: spends that wait until a person says yes, or no, or until nobody has for too long (CONTRACT.md 6). Each is decided once,
// under the locks of what it is about and of itself.
import type { Approval, ApprovalStatus, Prisma } from '../../../generated/prisma/client.js';
import { type Ending, SubjectRefused } from '../../../manifest/approval-subject.js';
import { noteOutcome } from '../../../platform/audit.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { conflict, type Lifecycle } from '../../../platform/lifecycle.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { requireScope } from '../../../platform/schema/audience.js';
import { printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';
import { aboutApproval, approvalData, emit } from '../events.js';
import { decidedApproval, printVotes } from '../evidence/counted-vote.js';
import type { DecidedApproval } from '../evidence/posting-fact.js';
import { initiatorOf } from './approval-request.js';
import { approvalSubjectOf } from './approval-subject.js';
import { approvalPath, refuseProgram } from './decider.js';
import { noticeApproval } from './notice.js';
import { castVote } from './vote.js';

/** A decision is final. Paths name the approval by its printed id. */
export const approvalLifecycle: Lifecycle<ApprovalStatus> = {
  noun: 'approval',
  path: '/v1/approvals/{id}',
  steps: {
    pending: ['approved', 'rejected', 'expired', 'cancelled'],
    approved: [],
    rejected: [],
    expired: [],
    cancelled: [],
  },
  requests: [
    { to: 'approved', rel: 'approve', actor: 'api_key', method: 'POST', path: '/approve' },
    { to: 'rejected', rel: 'reject', actor: 'api_key', method: 'POST', path: '/reject' },
    { to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' },
  ],
};

/** An agent sees the approvals of its own spends. */
export const visibleApprovals = new Visibility<Prisma.ApprovalWhereInput>({
  scope: 'approvals:read',
  agent: ({ id }) => ({ agentId: id }),
});

/** One approval, as far as the actor may see it. 404 otherwise. */
export async function approval(ctx: Ctx, id: string): Promise<Approval> {
  const found = await ctx.db.approval.findFirst({ where: { AND: [{ id }, visibleApprovals.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The approval that a change waits for: it is told to whoever asked for the change. Null for a change that waits for none. */
export async function awaitedApproval(ctx: Ctx, id: string | null | undefined): Promise<Approval | null> {
  return id == null ? null : ctx.db.approval.findFirst({ where: { AND: [{ id }, visibleApprovals.reach(ctx)] } });
}

/** Approvals, newest first. */
export const approvals = listOf('approval', { visible: visibleApprovals });

/** How many approvals wait, of those that the actor sees. */
export function pendingApprovals(ctx: Ctx): Promise<number> {
  return ctx.db.approval.count({ where: { AND: [{ status: 'pending' }, visibleApprovals.where(ctx)] } });
}

// Gap G-114: Every operator except whoever asked may decide (403 `own_request`); whoever sees an approval may withdraw it.
/**
 * Says yes: what was asked for is carried out now, with everything checked again. When a check fails the approval is approved all the same,
 * with the reason in `resultError`, and its subject has failed. What a person says is a vote: where others are missing, the approval that is
 * returned is pending. 409 for one that was decided, 403 for one's own.
 */
export async function approveApproval(ctx: Ctx, id: string, comment: string | null): Promise<Approval> {
  let afterCommit: (() => void) | undefined;
  try {
    const approved = await decideAs(ctx, id, { status: 'approved', comment }, async (tx, decided) => {
      afterCommit = await approvalSubjectOf(ctx, decided.subjectType).approve(ctx, tx, decided);
    });
    afterCommit?.();
    return approved;
  } catch (error) {
    if (!(error instanceof SubjectRefused)) throw error;
    const { code, message } = error.refusal;
    const resultError = { code, error: message };
    return decideAs(ctx, id, { status: 'approved', comment, resultError }, endWith(ctx, { status: 'failed', code, message }));
  }
}

// Gap G-116: `reason` is optional and kept as `comment`; the transfer is cancelled with `approval_rejected` or `approval_cancelled`.
/** Says no: the subject is cancelled. 409 for one that was decided, 403 for one's own. */
export function rejectApproval(ctx: Ctx, id: string, reason: string | null): Promise<Approval> {
  const ending: Ending = { status: 'cancelled', code: 'approval_rejected', message: reason ?? 'The approval was rejected.' };
  return decideAs(ctx, id, { status: 'rejected', comment: reason }, endWith(ctx, ending));
}

/** Withdraws a request: whoever asked may, and whoever may decide it, for they may also cancel what it is about. 409 for one that was decided. */
export function cancelApproval(ctx: Ctx, id: string, reason: string | null): Promise<Approval> {
  const ending: Ending = {
    status: 'cancelled',
    code: 'approval_cancelled',
    message: reason ?? 'The request for an approval was withdrawn.',
  };
  return decideAs(ctx, id, { status: 'cancelled', comment: reason }, endWith(ctx, ending));
}

/** The due step of an approval: those who may vote are told, and then nobody has decided in time. */
export async function expireApproval(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.approval.findFirst({ where: { id }, select: { dueAt: true, expiresAt: true } });
  if (row !== null && row.dueAt !== null && row.dueAt < row.expiresAt && row.expiresAt > ctx.clock.now()) {
    await noticeApproval(ctx, id);
    return;
  }
  const ending: Ending = { status: 'cancelled', code: 'approval_expired', message: 'Nobody decided before the approval expired.' };
  await transact(ctx, async (tx) => {
    const found = await lockWithSubject(ctx, tx, id);
    if (found.status !== 'pending' || found.dueAt === null || found.dueAt > ctx.clock.now()) return found;
    const expired = await recordDecision(ctx, tx, id, { status: 'expired' });
    await endWith(ctx, ending)(tx, expired);
    return expired;
  });
}

/** Withdraws the approval of something that was called off otherwise, in that transaction and under its lock. */
export async function withdrawApproval(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  const { status } = await lockRow(tx.approval, id);
  if (status === 'pending') await recordDecision(ctx, tx, id, { status: 'cancelled', comment: null });
}

/** True where the actor sees the approvals of what this agent spends, null for no agent: its own, or all of them. */
export function canSeeApprovalsOf(ctx: Ctx, agentId: string | null): boolean {
  return visibleApprovals.sees(ctx, { agentId });
}

/** What still waits for an approval: its status, and where whoever does not see the approval reads it. */
export interface PendingApproval {
  approvalId: string;
  status: string;
  path: string;
}

/**
 * 409 for what cannot be done to something that still waits for its approval, which is named to whoever sees it alone. Call it under the lock
 * of the subject.
 */
export async function refuseWhilePending(
  ctx: Ctx,
  tx: Tx,
  { approvalId: id, status, path }: PendingApproval,
  message: string,
): Promise<void> {
  const pending = await tx.approval.findFirst({ where: { id, status: 'pending' }, select: { agentId: true } });
  if (pending === null) return;
  const details = canSeeApprovalsOf(ctx, pending.agentId)
    ? {
        approval_id: printId('approval', id),
        next_actions: [
          { rel: 'approve', actor: 'api_key', method: 'POST', path: `${approvalPath(id)}/approve` } as const,
          { rel: 'approval', actor: 'any', method: 'GET', path: approvalPath(id) } as const,
        ],
      }
    : { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path } as const] };
  throw new StateConflict(message, status, [status], details);
}

/** The events of decisions. */
const decidedAs = {
  approved: 'approval.approved',
  rejected: 'approval.rejected',
  expired: 'approval.expired',
  cancelled: 'approval.cancelled',
} as const;

/** What a decision writes. `comment` is that of whoever decides. */
interface ApprovalDecision {
  status: Exclude<ApprovalStatus, 'pending'>;
  comment?: string | null;
  resultError?: { code: string; error: string };
}

type Follow = (tx: Tx, decided: Approval) => Promise<unknown>;

const endWith =
  (ctx: Ctx, ending: Ending): Follow =>
  (tx, decided) =>
    approvalSubjectOf(ctx, decided.subjectType).end(ctx, tx, decided, ending);

/**
 * Decides an approval as the actor wishes, and then does what follows. Of several decisions at once the first one counts. The vote of a
 * person that is not the last leaves it pending.
 */
function decideAs(ctx: Ctx, id: string, decision: ApprovalDecision, follow: Follow): Promise<Approval> {
  return transact(ctx, async (tx) => {
    const found = await lockWithSubject(ctx, tx, id);
    if (decision.status === 'cancelled' && !asked(ctx, found)) requireScope(ctx.actor, 'approvals:decide');
    if (!(await decides(ctx, tx, found, decision))) return found;
    const decided = await recordDecision(ctx, tx, id, decision);
    await follow(tx, decided);
    return decided;
  });
}

/** True for an operator who asked for it: a JWT session is its key. What an agent may withdraw, its own scope says. */
function asked({ actor }: Ctx, { requestedByType, requestedById }: Approval): boolean {
  return actor.agent === undefined && requestedById === actor.id && requestedByType !== 'agent';
}

/** Whether what the actor says decides a locked approval: false for a vote that is not the last. Throws where it may not be said. */
async function decides(ctx: Ctx, tx: Tx, found: Approval, { status, comment = null }: ApprovalDecision): Promise<boolean> {
  const pending = () => checkPending(ctx, found, status);
  const { member } = ctx.actor;
  if (member !== undefined && (status === 'approved' || status === 'rejected')) {
    return castVote(ctx, tx, found, { member, vote: status === 'approved' ? 'approve' : 'reject', comment }, pending);
  }
  if (status !== 'cancelled') await refuseProgram(ctx, tx, found);
  pending();
  return true;
}

/** The approval under its lock, and before it what it is about: 404 for one that the actor does not see. */
async function lockWithSubject(ctx: Ctx, tx: Tx, id: string): Promise<Approval> {
  const found = await tx.approval.findFirst({ where: { AND: [{ id }, visibleApprovals.where(ctx)] } });
  if (found === null) throw new NotFound();
  await approvalSubjectOf(ctx, found.subjectType).lock(ctx, tx, found.subjectId);
  return lockRow(tx.approval, id);
}

function checkPending({ clock }: Ctx, { id, status, expiresAt }: Approval, to: ApprovalStatus): void {
  if (status !== 'pending') throw conflict(approvalLifecycle, printId('approval', id), status, to);
  // Whether or not it was swept.
  if (expiresAt <= clock.now()) throw conflict(approvalLifecycle, printId('approval', id), 'expired', to);
}

/** What an approval came to, without the comments. */
function outcomeOf(row: Approval, decided: DecidedApproval | null): Record<string, unknown> {
  const { amount, currency, lifted, status, subjectType, transferId } = row;
  return {
    amount: formatMinor(amount, currency),
    currency,
    id: printId('approval', row.id),
    lifted,
    status,
    subject_type: subjectType,
    transfer_id: transferId && printId('transfer', transferId),
    votes: decided === null ? [] : printVotes(decided),
  };
}

/** Writes a decision and tells it. */
async function recordDecision(ctx: Ctx, tx: Tx, id: string, { status, comment = null, resultError }: ApprovalDecision): Promise<Approval> {
  const now = ctx.clock.now();
  const by = status === 'expired' ? null : ctx.actor;
  const decided = await tx.approval.update({
    where: rowKey(ctx, id),
    data: {
      status,
      decidedAt: now,
      decidedByType: by === null ? null : initiatorOf(by.type),
      decidedById: by?.id ?? null,
      comment,
      ...(resultError && { resultError }),
      dueAt: null,
      leaseUntil: null,
    },
  });
  noteOutcome(tx, outcomeOf(decided, await decidedApproval(tx, id)));
  await emit(ctx, tx, decidedAs[status], approvalData(ctx, decided, 0), { at: now, ...aboutApproval(decided) });
  return decided;
}

// How the votes on an approval stand, for whoever reads it.
import type { Approval, ApprovalVote } from '../../../generated/prisma/client.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import { voterOf } from '../../people/voter.js';
import type { Voter } from '../../people/voter.sql.js';
import { rateBook } from '../../rates/rate.js';
import { requiredBy } from './approval-request.js';
import { shownAsAsked } from './requirement.js';
import { kinOf, tallyOf } from './vote.js';
import { votesNeeded } from './vote-count.js';

/** A vote as it is shown. */
export interface ShownVote extends Pick<ApprovalVote, 'vote' | 'via' | 'comment' | 'at'> {
  member: { id: string; name: string };
  /** It counts: now while the approval is pending, then as it did at the decision. */
  counts: boolean;
}

/** How the votes on an approval stand. */
export interface Standing {
  /** In the order in which they were cast. */
  votes: readonly ShownVote[];
  /** How many more it takes at least; 0 for one that is decided. */
  missing: number;
}

/** Votes that are shown of an approval, at most. */
export const mostVotes = 20;

/** How the votes on an approval stand now. What a document asks of several approvals is read together. */
export async function standingOf(ctx: Ctx, found: Approval): Promise<Standing> {
  const approval = await shownAsAsked(ctx, found);
  const required = requiredBy(approval);
  const isPending = approval.status === 'pending';
  const untouched = { votes: [], missing: isPending ? votesNeeded(required) : 0 };
  // Without a policy that asks people the first vote decides.
  if (required.length === 0 && approval.decidedByType !== 'member') return untouched;
  const votes = await votesOf(ctx, approval.id);
  if (votes.length === 0) return untouched;
  const voters = new Map<string, Voter>();
  for (const voter of await Promise.all(votes.map(({ memberId }) => voterOf(ctx, memberId)))) if (voter) voters.set(voter.id, voter);
  const kin = () => kinOf(ctx, ctx.db, approval, [...voters.keys()]);
  const tally = isPending ? tallyOf(approval, votes, { voters, rates: await rateBook(ctx), kin: await kin() }) : null;
  const shown = votes.slice(0, mostVotes).map(({ memberId, vote, via, comment, at, counted }) => {
    const member = { id: memberId, name: voters.get(memberId)?.name ?? '' };
    return { member, vote, via, comment, at, counts: tally === null ? counted === true : tally.counting.has(memberId) };
  });
  return { votes: shown, missing: tally?.missing ?? 0 };
}

async function votesOf(ctx: Ctx, approvalId: string): Promise<readonly ApprovalVote[]> {
  const load = async (ids: readonly string[]) => {
    const rows = await ctx.db.approvalVote.findMany({
      where: { approvalId: { in: [...ids] } },
      orderBy: [{ at: 'asc' }, { memberId: 'asc' }],
    });
    return new Map(ids.map((id) => [id, rows.filter((row) => row.approvalId === id)]));
  };
  return (await loadTogether(ctx, 'votes of an approval', approvalId, load)) ?? [];
}

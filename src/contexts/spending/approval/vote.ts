// Votes of people on an approval (CONTRACT.md 23): cast and counted under its lock, with the members as they are at that moment.
import type { Approval, ApprovalVote, ApprovalVoteValue } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import { type ActingMember, type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { linksSince, type Voter, votersOf } from '../../people/voter.sql.js';
import { type RateBook, rateBook } from '../../rates/rate.js';
import { approvalData, emit, voteData } from '../events.js';
import { requiredBy } from './approval-request.js';
import { askersOf, refuseVoter, suffices } from './decider.js';
import { asAskedNow } from './requirement.js';
import { type Ballot, countVotes, type Tally, votesNeeded } from './vote-count.js';

/** A vote as it is given. */
export interface GivenVote {
  member: ActingMember;
  vote: ApprovalVoteValue;
  comment: string | null;
}

/** Seconds for which a member who came by a link counts not beside the one who was shown it. */
export const linkSeconds = 86_400;

/**
 * Casts the vote of a member and says whether it decides: a rejection does, and an approval that leaves nothing missing. The approval is
 * locked. `pending` throws where it is decided already. The same vote again is counted again and changes nothing. 403 for who may not vote.
 */
export async function castVote(ctx: Ctx, tx: Tx, found: Approval, given: GivenVote, pending: () => void): Promise<boolean> {
  const { member, vote } = given;
  // 1. What is asked for by now, the votes so far, and the members as they are: nobody changes them until this is committed.
  const approval = await asAskedNow(tx, found);
  const before = await tx.approvalVote.findMany({ where: { approvalId: approval.id } });
  const voters = await votersOf(tx, ctx.workspace.tenantId, [member.id, ...before.map(({ memberId }) => memberId)]);
  const rates = await rateBook(within(ctx, tx));
  // 2. May this one vote?
  await refuseVoter(ctx, tx, approval, voters.get(member.id), rates);
  pending();
  // 3. Write the vote, and count.
  const own = before.find(({ memberId }) => memberId === member.id);
  const cast: ApprovalVote = own?.vote === vote ? own : newVote(ctx, approval, given);
  const votes = [...before.filter((one) => one !== own), cast];
  const tally = tallyOf(approval, votes, { voters, rates, kin: await kinOf(ctx, tx, approval, [...voters.keys()]) });
  if (cast !== own) await writeVote(ctx, tx, approval, cast, tally);
  if (vote === 'approve' && tally.missing > 0) return false;
  await noteCounted(tx, approval, votes, vote === 'reject' ? new Set([member.id]) : tally.counting);
  return true;
}

/** Who may be one person with whom, where two or more have to vote. */
export interface Kin {
  /** Who was shown the links by which members came of late. */
  shownTo: ReadonlyMap<string, string>;
  /** The members behind the request, and who was shown theirs. */
  asked: ReadonlySet<string>;
}

/** What is known of the members who have voted, beside what they are. */
export async function kinOf({ workspace, platform }: Ctx, tx: Tx, approval: Approval, memberIds: readonly string[]): Promise<Kin> {
  if (votesNeeded(requiredBy(approval)) < 2) return { shownTo: new Map(), asked: new Set() };
  const askers = await askersOf(tx, workspace.id, approval);
  const since = addSeconds(platform.clock.now(), -linkSeconds);
  const shownTo = await linksSince(tx, workspace.tenantId, [...new Set([...memberIds, ...askers])], since);
  return { shownTo, asked: new Set(askers.flatMap((id) => [id, shownTo.get(id) ?? id])) };
}

/** What is known of voters when their votes are counted. */
export interface Roll {
  voters: ReadonlyMap<string, Voter>;
  rates: RateBook;
  kin: Kin;
}

/** What votes come to, with their members as they are. */
export function tallyOf(
  approval: Approval,
  votes: readonly Pick<ApprovalVote, 'memberId' | 'vote'>[],
  { voters, rates, kin: { shownTo, asked } }: Roll,
): Tally {
  const ballots = votes.flatMap(({ memberId, vote }): Ballot[] => {
    const voter = voters.get(memberId);
    if (vote !== 'approve' || voter === undefined) return [];
    const isEligible = voter.isActive && suffices(voter, approval, rates);
    return [{ memberId, isEligible, linkShownTo: shownTo.get(memberId) ?? null }];
  });
  return countVotes(requiredBy(approval), ballots, asked);
}

function newVote({ workspace, actor, clock }: Ctx, { id }: Approval, { member, vote, comment }: GivenVote): ApprovalVote {
  const via = actor.credential.kind === 'login' ? 'console' : 'api';
  return { workspaceId: workspace.id, approvalId: id, memberId: member.id, vote, via, comment, at: clock.now(), counted: null };
}

async function writeVote(ctx: Ctx, tx: Tx, approval: Approval, cast: ApprovalVote, { missing }: Tally): Promise<void> {
  const { workspaceId: _, approvalId, memberId, ...said } = cast;
  await tx.approvalVote.deleteMany({ where: { approvalId, memberId } });
  await tx.approvalVote.createMany({ data: [{ approvalId, memberId, ...said }] });
  const data = { ...approvalData(ctx, approval, missing), vote: voteData(cast) };
  // Agents are not told who votes: the approval says how many votes are missing.
  await emit(ctx, tx, 'approval.voted', data, { at: cast.at, objectId: approvalId });
}

/** Keeps which votes counted at the decision. */
async function noteCounted(
  tx: Tx,
  { id: approvalId }: Approval,
  votes: readonly ApprovalVote[],
  counting: ReadonlySet<string>,
): Promise<void> {
  const counted = votes.map(({ memberId }) => memberId).filter((memberId) => counting.has(memberId));
  await tx.approvalVote.updateMany({ where: { approvalId }, data: { counted: false } });
  await tx.approvalVote.updateMany({ where: { approvalId, memberId: { in: counted } }, data: { counted: true } });
}

// Who said yes to a spend: the votes that counted when its approval was decided, or whoever decided it alone (CONTRACT.md 23 and 25).
import { actorOnWire } from '../../../platform/actor.js';
import type { Row } from '../../../platform/postgres/column.js';
import { rowOf } from '../../../platform/postgres/column.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { type DecidedApproval, textIn } from './posting-fact.js';

/** An approval and its votes, as a transaction sees them. */
export async function decidedApproval(tx: Pick<Tx, 'approval' | 'approvalVote'>, id: string): Promise<DecidedApproval | null> {
  const approval = await tx.approval.findFirst({ where: { id } });
  if (approval === null) return null;
  const votes = await tx.approvalVote.findMany({ where: { approvalId: id, counted: true } });
  return { approval: rowOf(approval), votes: votes.map(rowOf) };
}

/** The votes as they are told, in the order of their members. Where people did not vote, whoever decided is the only one. */
export function printVotes({ approval, votes }: DecidedApproval): Record<string, unknown>[] {
  const counted = votes.map((vote) => ({
    ...actorOnWire({ type: 'member', id: textIn(vote, 'member_id') ?? '' }),
    at: timeIn(vote, 'at'),
    via: textIn(vote, 'via'),
  }));
  if (counted.length > 0) return counted.sort((a, b) => (a.id < b.id ? -1 : 1));
  const [type, id] = [textIn(approval, 'decided_by_type'), textIn(approval, 'decided_by_id')];
  if (type === null || id === null) return [];
  return [{ ...actorOnWire({ type, id }), at: timeIn(approval, 'decided_at'), via: 'api' }];
}

/** A row of the database has times as such, one that is written has text. */
function timeIn(row: Row, column: string): string | null {
  const value = row[column] as string | Date | null | undefined;
  return value == null ? null : new Date(value).toISOString();
}

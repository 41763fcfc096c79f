// Who has voted on an approval, and who is missing: `1 of 2`.
import type { Answers } from '../answers.js';
import { count, moment } from '../format.js';
import { useMemberNames } from '../names.js';

type Approval = Answers['Approval']['approval'];
type Requirement = Approval['required'][number];

/** How many votes it takes, and how many of them are there. */
export function votesOf({ required, missing }: Approval): { needed: number; given: number } {
  const needed = Math.max(1, ...required.map((one) => one.count));
  return { needed, given: Math.max(0, needed - missing) };
}

/** Whose votes are waited for. */
function Missing({ approval: { votes, missing }, required: { memberIds } }: { approval: Approval; required: Requirement }) {
  const nameOf = useMemberNames();
  if (memberIds === null) return <>{count(missing)} more, of those whose authority suffices</>;
  const voted = new Set(votes.flatMap(({ member }) => (member === null ? [] : [member.id])));
  const names = memberIds.filter((id) => !voted.has(id)).map(nameOf);
  return (
    <>
      {names.length > missing && `${count(missing)} of `}
      {names.join(', ')}
    </>
  );
}

/** The votes, newest last, and what is missing. */
export function Votes({ approval }: { approval: Approval }) {
  const { required, votes, missing, status } = approval;
  if (required.length === 0 && votes.length === 0) return null;
  const { needed, given } = votesOf(approval);
  const isOpen = status === 'pending';
  return (
    <div>
      {isOpen && (
        <p>
          <strong>
            {count(given)} of {count(needed)}
          </strong>{' '}
          {needed === 1 ? 'vote' : 'votes'} to approve
        </p>
      )}
      <ul class="plain">
        {votes.map(({ member, vote, comment, at, counts }) => (
          <li key={`${member?.id} ${at}`}>
            {member?.name ?? 'A member'} {vote === 'approve' ? 'approved' : 'rejected'} on {moment(at)}
            {comment !== null && `: ${comment}`}
            {isOpen && !counts && <span class="soft"> (does not count now)</span>}
          </li>
        ))}
        {isOpen &&
          missing > 0 &&
          required.map((one) => (
            <li key={one.policyId} class="soft">
              Missing: <Missing approval={approval} required={one} />
            </li>
          ))}
      </ul>
    </div>
  );
}

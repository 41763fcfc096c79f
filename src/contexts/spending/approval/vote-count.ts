// Whether the votes of people are what policies ask of an approval (CONTRACT.md 23, 29). Pure.

/** What a policy asks: so many votes of different members, of those on its list where it has one. */
export interface Requirement {
  /** Bare. */
  policyId: string;
  count: number;
  /** Bare ids; null: whoever may decide. */
  memberIds: readonly string[] | null;
}

/** A vote for an approval, and how its member stands now. */
export interface Ballot {
  memberId: string;
  /** The member is active, may decide this amount, and did not ask. */
  isEligible: boolean;
  /** Who was shown the link by which the member came within the last day. */
  linkShownTo: string | null;
}

/** What votes come to. */
export interface Tally {
  /** The members whose votes count for one of the policies at least. */
  counting: ReadonlySet<string>;
  /** How many more votes it takes at least; 0: nothing is missing. */
  missing: number;
}

/** What an approval asks that no policy asks people for: one who may decide. */
const oneOfAll: Omit<Requirement, 'policyId'> = { count: 1, memberIds: null };

/**
 * Counts votes for an approval. One vote may count for each policy. Where a policy asks for two or more, whoever came by a link counts not
 * beside the one who was shown it, who votes or has `asked`, nor beside another who came by such a link: they may be one person.
 */
export function countVotes(required: readonly Requirement[], ballots: readonly Ballot[], asked: ReadonlySet<string> = new Set()): Tally {
  const eligible = ballots.filter(({ isEligible }) => isEligible);
  const present = new Set([...asked, ...eligible.map(({ memberId }) => memberId)]);
  const apart = eligible.filter(({ memberId, linkShownTo: by }) => by === null || by === memberId || !present.has(by));
  const counting = new Set<string>();
  let missing = 0;
  for (const { count, memberIds } of required.length === 0 ? [oneOfAll] : required) {
    const pool = count >= 2 ? apart : eligible;
    const listed = pool.filter(({ memberId }) => memberIds?.includes(memberId) ?? true);
    const own = new Set((count >= 2 ? oneOfEach(listed) : listed).map(({ memberId }) => memberId));
    for (const id of own) counting.add(id);
    missing = Math.max(missing, count - own.size);
  }
  return { counting, missing };
}

/** One of those who came by links that were shown to the same member: the first by id, whoever voted first. */
function oneOfEach(ballots: readonly Ballot[]): readonly Ballot[] {
  const shown = new Set<string>();
  return [...ballots]
    .sort((a, b) => (a.memberId < b.memberId ? -1 : 1))
    .filter(({ memberId, linkShownTo }) => {
      if (linkShownTo === null || linkShownTo === memberId) return true;
      if (shown.has(linkShownTo)) return false;
      shown.add(linkShownTo);
      return true;
    });
}

/** How many votes it takes in all, at least. */
export function votesNeeded(required: readonly Requirement[]): number {
  return Math.max(1, ...required.map(({ count }) => count));
}

/** True where a vote of the member can count for something that is asked. */
export function isAsked(required: readonly Requirement[], memberId: string): boolean {
  return required.length === 0 || required.some(({ memberIds }) => memberIds?.includes(memberId) ?? true);
}

// Whether votes are what policies ask: the pure rule, over random members, lists and votes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ballot, countVotes, isAsked, type Requirement, votesNeeded } from '../../../src/contexts/spending/approval/vote-count.js';

const members = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const memberId = fc.constantFrom(...members);
const list = fc.option(fc.uniqueArray(memberId, { minLength: 1 }), { nil: null });
const requirement: fc.Arbitrary<Requirement> = fc.record({ policyId: fc.uuid(), count: fc.integer({ min: 1, max: 5 }), memberIds: list });
const required = fc.array(requirement, { maxLength: 4 });
const ballot = (link: fc.Arbitrary<string | null>): fc.Arbitrary<Ballot> =>
  fc.record({ memberId, isEligible: fc.boolean(), linkShownTo: link });
const ballotsOf = (link: fc.Arbitrary<string | null>) => fc.uniqueArray(ballot(link), { selector: (one) => one.memberId });
const linked = ballotsOf(fc.option(memberId, { nil: null }));
const unlinked = ballotsOf(fc.constant(null));
const vote = (id: string, more: Partial<Ballot> = {}): Ballot => ({ memberId: id, isEligible: true, linkShownTo: null, ...more });
const two: Requirement = { policyId: 'p', count: 2, memberIds: null };
const runs = { numRuns: 2_000 };

describe('votes', () => {
  it('are enough where each policy has as many of different members who count, and never before', () => {
    const check = (asked: Requirement[], ballots: Ballot[]) => {
      const { counting, missing } = countVotes(asked, ballots);
      for (const id of counting) expect(ballots.find((one) => one.memberId === id)?.isEligible).toBe(true);
      const short = asked.map(({ count, memberIds }) => count - [...counting].filter((id) => memberIds?.includes(id) ?? true).length);
      if (missing === 0) for (const each of short) expect(each).toBeLessThanOrEqual(0);
      if (missing === 0) expect(counting.size).toBeGreaterThanOrEqual(votesNeeded(asked));
      expect(missing).toBeGreaterThanOrEqual(Math.max(0, ...short));
      expect(missing).toBeLessThanOrEqual(votesNeeded(asked));
    };
    fc.assert(fc.property(required, linked, check), runs);
  });

  it('come to the same in any order', () => {
    const check = (asked: Requirement[], ballots: Ballot[]) => {
      const [one, other] = [countVotes(asked, ballots), countVotes([...asked].reverse(), [...ballots].reverse())];
      expect([other.missing, [...other.counting].sort()]).toEqual([one.missing, [...one.counting].sort()]);
    };
    fc.assert(fc.property(required, linked, check), runs);
  });

  it('change nothing where they do not count: of whoever asked, left, or may decide less', () => {
    const check = (asked: Requirement[], ballots: Ballot[]) => {
      const eligible = ballots.filter(({ isEligible }) => isEligible);
      expect(countVotes(asked, ballots)).toEqual(countVotes(asked, eligible));
    };
    fc.assert(fc.property(required, linked, check), runs);
  });

  it('never undo each other where nobody came by a link', () => {
    const check = (asked: Requirement[], ballots: Ballot[]) => {
      const { missing } = countVotes(asked, ballots);
      expect(missing).toBeLessThanOrEqual(countVotes(asked, ballots.slice(1)).missing);
    };
    fc.assert(fc.property(required, unlinked, check), runs);
  });

  it('are no more than one of two of whom the one was shown the link of the other', () => {
    const check = (asked: Requirement[], ballots: Ballot[]) => {
      const { counting, missing } = countVotes(asked, ballots);
      const pairs = ballots.filter(({ memberId: id, isEligible, linkShownTo: by }) => {
        return isEligible && by !== null && by !== id && ballots.some((one) => one.memberId === by && one.isEligible);
      });
      const twos = asked.filter(({ count }) => count >= 2);
      for (const { memberId: id } of pairs) {
        const others = [...counting].filter((each) => each !== id);
        for (const { count, memberIds } of twos) {
          if (missing === 0) expect(others.filter((each) => memberIds?.includes(each) ?? true).length).toBeGreaterThanOrEqual(count);
        }
      }
    };
    fc.assert(fc.property(required, linked, check), runs);
  });

  it('one may count for each policy, on whose list the member is', () => {
    const asked: Requirement[] = [
      { policyId: 'p', count: 1, memberIds: ['a', 'b'] },
      { policyId: 'q', count: 2, memberIds: null },
    ];
    expect(countVotes(asked, [])).toEqual({ counting: new Set(), missing: 2 });
    expect(countVotes(asked, [vote('a')])).toEqual({ counting: new Set(['a']), missing: 1 });
    expect(countVotes(asked, [vote('c'), vote('d')])).toEqual({ counting: new Set(['c', 'd']), missing: 1 });
    expect(countVotes(asked, [vote('c'), vote('b')])).toEqual({ counting: new Set(['b', 'c']), missing: 0 });
  });

  it('of who came by a link count alone, and where one vote is enough', () => {
    expect(countVotes([two], [vote('a'), vote('b', { linkShownTo: 'a' })])).toEqual({ counting: new Set(['a']), missing: 1 });
    expect(countVotes([two], [vote('c'), vote('b', { linkShownTo: 'a' })]).missing).toBe(0);
    const puppets = [vote('c', { linkShownTo: 'a' }), vote('b', { linkShownTo: 'a' })];
    expect(countVotes([two], puppets)).toEqual({ counting: new Set(['b']), missing: 1 });
    expect(countVotes([two], [vote('c'), vote('b', { linkShownTo: 'a' })], new Set(['a']))).toEqual({
      counting: new Set(['c']),
      missing: 1,
    });
    expect(countVotes([two], [vote('a', { isEligible: false }), vote('c'), vote('b', { linkShownTo: 'a' })]).missing).toBe(0);
    expect(countVotes([{ ...two, count: 1 }], [vote('a'), vote('b', { linkShownTo: 'a' })]).counting).toEqual(new Set(['a', 'b']));
  });

  it('without a policy that asks people it is one', () => {
    expect([countVotes([], []).missing, countVotes([], [vote('a')]).missing, votesNeeded([])]).toEqual([1, 0, 1]);
    expect([isAsked([], 'a'), isAsked([two], 'a'), isAsked([{ ...two, memberIds: ['b'] }], 'a')]).toEqual([true, true, false]);
  });
});

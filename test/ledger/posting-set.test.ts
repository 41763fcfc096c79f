// What is worked out of postings before the database is asked: pure, so checked for any set of postings.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitSubject } from '../../src/ledger/fault.js';
import { checkPosting, type Leg, type LimitUse, move, type Posting } from '../../src/ledger/posting.js';
import { encodeSet } from '../../src/ledger/posting-set.js';

const uuid = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const accounts = Array.from({ length: 6 }, (_, n) => uuid(n + 1));
const [workspace, otherWorkspace] = [uuid(1_000), uuid(1_001)] as [string, string];
const start = Date.parse('2026-03-02T10:00:00Z');

const amountArbitrary = fc.bigInt({ min: 1n, max: 10n ** 17n });
const legsArbitrary: fc.Arbitrary<Leg[]> = fc
  .array(fc.tuple(amountArbitrary, fc.constantFrom(...accounts), fc.constantFrom(...accounts), fc.constantFrom('USD', 'JPY')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((moves) => moves.flatMap(([amount, from, to, currency]) => move(currency, amount, from, to)));
const limitArbitrary: fc.Arbitrary<LimitUse> = fc.record({
  counter: fc.constantFrom('kya:a:USD', 'kya:b:USD'),
  window: fc.constantFrom('2026-03', '2026-03-02'),
  used: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  reserved: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  maximum: fc.option(fc.bigInt({ min: 0n, max: 10n ** 13n })),
});
const postingArbitrary: fc.Arbitrary<Posting> = fc
  .tuple(
    legsArbitrary,
    fc.array(limitArbitrary, { maxLength: 3 }),
    fc.integer({ min: 0, max: 86_400_000 }),
    fc.option(fc.constantFrom(1, 2, 3)),
    fc.uuid(),
  )
  .map(([legs, limits, ms, agent, id]) => ({
    id,
    workspaceId: workspace,
    at: new Date(start + ms),
    legs,
    limits,
    guards: agent === null ? [] : [{ kind: 'agent', id: uuid(2_000 + agent) }],
    claims: [],
    records: {},
    transferId: null,
  }));
const setArbitrary = fc.array(postingArbitrary, { minLength: 1, maxLength: 12 });

type Value = string | null;
/** A list of a set: JSON, or an array as PostgreSQL spells it. Every value as text. */
function valuesOf(list: unknown): Value[] {
  if (typeof list !== 'string') return (list as Value[] | undefined) ?? [];
  return list === '{}'
    ? []
    : list
        .slice(1, -1)
        .split(',')
        .map((value) => (value === 'NULL' ? null : value));
}

/** The lists of a set, by attribute. */
const listsOf = (postings: readonly Posting[]) => {
  const lists = encodeSet(postings).s;
  const list = (attribute: string): Value[] => valuesOf(lists[attribute]);
  return {
    list,
    numbers: (attribute: string) => list(attribute).map((value) => BigInt(value ?? 0)),
    /** The account of each entry, which names it by its index. */
    entryAccounts: () => list('entry_account').map((index) => list('account_id')[Number(index) - 1]),
  };
};
const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);

describe('encodeSet', () => {
  it('names each account once, in order of id, with the sum of its debits and of all its entries', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const { list, numbers } = listsOf(postings);
        const legs = postings.flatMap((posting) => posting.legs);
        const ids = list('account_id');
        expect(ids).toEqual([...new Set(legs.map(({ accountId }) => accountId))].sort());
        const mine = ids.map((id) => legs.filter(({ accountId }) => accountId === id).map(({ amount }) => amount));
        expect(numbers('account_debit')).toEqual(mine.map((amounts) => -sum(amounts.filter((amount) => amount < 0n))));
        expect(numbers('account_delta')).toEqual(mine.map(sum));
        expect(numbers('account_entries')).toEqual(mine.map(({ length }) => BigInt(length)));
        expect(sum(numbers('account_delta'))).toBe(0n);
      }),
    );
  });

  it('numbers the entries of each account without a hole, with running totals', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const { list, numbers, entryAccounts } = listsOf(postings);
        const [amounts, totals, entryNumbers] = [numbers('entry_amount'), numbers('entry_total'), numbers('entry_number')];
        const reached = new Map<unknown, [bigint, bigint]>();
        entryAccounts().forEach((id, n) => {
          const [before, count] = reached.get(id) ?? [0n, 0n];
          const now: [bigint, bigint] = [before + (amounts[n] ?? 0n), count + 1n];
          expect([totals[n], entryNumbers[n]]).toEqual(now);
          reached.set(id, now);
        });
        expect(list('account_id').map((id) => reached.get(id)?.[0])).toEqual(numbers('account_delta'));
        expect(numbers('entry_transaction')).toEqual(postings.flatMap(({ legs }, n) => legs.map(() => BigInt(n + 1))));
        expect(list('transaction_id')).toEqual(postings.map(({ id }) => id));
      }),
    );
  });

  it('lets the time of an account never go back', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const { list, entryAccounts } = listsOf(postings);
        const [accountsOfEntries, times] = [entryAccounts(), list('entry_at')];
        for (const [n, id] of list('account_id').entries()) {
          const own = times.filter((_, entry) => accountsOfEntries[entry] === id);
          expect([...own].sort()).toEqual(own);
          expect(list('account_at')[n]).toBe(own.at(-1));
        }
        expect(list('transaction_at')).toEqual(postings.map(({ at }) => at.toISOString()));
      }),
    );
  });

  it('asks of each counter once: the sum of its uses against the least of its maxima', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const { list, numbers } = listsOf(postings);
        const uses = postings.flatMap(({ limits }) => limits);
        const keys = [...new Set(uses.map((use) => limitSubject(workspace, use)))].sort();
        const windows = list('limit_window');
        expect(list('limit_counter').map((counter, n) => `${workspace} ${counter} ${windows[n]}`)).toEqual(keys);
        for (const [n, key] of keys.entries()) {
          const own = uses.filter((use) => limitSubject(workspace, use) === key);
          const maxima = own.flatMap(({ maximum }) => (maximum === null ? [] : [maximum]));
          expect(numbers('limit_used')[n]).toBe(sum(own.map(({ used }) => used)));
          expect(numbers('limit_reserved')[n]).toBe(sum(own.map(({ reserved }) => reserved)));
          const [least] = maxima.sort((a, b) => Number(a - b));
          expect(list('limit_maximum')[n]).toBe(least?.toString() ?? null);
        }
      }),
    );
  });

  it('asks of each guard once', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const agents = [...new Set(postings.flatMap(({ guards }) => guards.map(({ id }) => id)))];
        expect(listsOf(postings).list('guard_id')).toEqual(agents);
      }),
    );
  });

  it('keeps apart what two workspaces name by one account id', () => {
    const [first, second] = [accounts[0], accounts[1]] as [string, string];
    const of = (workspaceId: string, amount: bigint): Posting => ({
      id: uuid(1),
      workspaceId,
      at: new Date(start),
      legs: move('USD', amount, first, second),
      limits: [],
      guards: [],
      claims: [],
      records: {},
      transferId: null,
    });
    const { list, numbers } = listsOf([of(otherWorkspace, 7n), of(workspace, 5n)]);
    expect(list('account_workspace')).toEqual([workspace, workspace, otherWorkspace, otherWorkspace]);
    expect(list('account_id')).toEqual([first, second, first, second]);
    expect(numbers('account_debit')).toEqual([5n, 0n, 7n, 0n]);
  });
});

describe('checkPosting', () => {
  it('takes whatever sums to zero in each currency', () => {
    fc.assert(fc.property(legsArbitrary, (legs) => checkPosting({ legs })));
  });

  it('refuses it when any one amount is another', () => {
    fc.assert(
      fc.property(legsArbitrary, fc.nat(), fc.bigInt({ min: -1_000n, max: 1_000n }), (legs, at, by) => {
        fc.pre(by !== 0n);
        const n = at % legs.length;
        const changed = legs.map((leg, i) => (i === n ? { ...leg, amount: leg.amount + by } : leg));
        expect(() => checkPosting({ legs: changed })).toThrow();
      }),
    );
  });

  for (const [name, legs] of [
    ['nothing', []],
    ['a single leg of zero', [{ accountId: uuid(1), currency: 'USD', amount: 0n }]],
    ['legs that move nothing', move('USD', 0n, uuid(1), uuid(2))],
    ['dollars for euros', [...move('USD', 1n, uuid(1), uuid(2)).slice(0, 1), ...move('EUR', 1n, uuid(1), uuid(2)).slice(1)]],
  ] as [string, Leg[]][]) {
    it(`refuses ${name}`, () => expect(() => checkPosting({ legs })).toThrow());
  }
});

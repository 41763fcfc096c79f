// What is worked out of postings before the database is asked: pure, so checked for any set of postings.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPosting, type Leg, type LimitUse, move, type Posting } from '../../src/ledger/posting.js';
import { counterKey, encodeSet, spendersOf } from '../../src/ledger/posting-set.js';

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
    environment: 'test',
    at: new Date(start + ms),
    legs,
    limits,
    spender: agent === null ? {} : { agentId: uuid(2_000 + agent) },
    transferId: null,
    events: [],
  }));
const setArbitrary = fc.array(postingArbitrary, { minLength: 1, maxLength: 12 });

/** A column of the arguments: the text of a PostgreSQL array. */
const column = (set: (string | null)[], n: number): string[] => {
  const text = set[n] ?? '{}';
  return text === '{}' ? [] : text.slice(1, -1).split(',');
};
const numbers = (set: (string | null)[], n: number) => column(set, n).map(BigInt);
const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);

describe('encodeSet', () => {
  it('names each account once, in order of id, with the sum of its debits and of all its entries', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const set = encodeSet(postings);
        const legs = postings.flatMap((posting) => posting.legs);
        const ids = column(set, 0);
        expect(ids).toEqual([...new Set(legs.map(({ accountId }) => accountId))].sort());
        const mine = ids.map((id) => legs.filter(({ accountId }) => accountId === id).map(({ amount }) => amount));
        expect(numbers(set, 2)).toEqual(mine.map((amounts) => -sum(amounts.filter((amount) => amount < 0n))));
        expect(numbers(set, 3)).toEqual(mine.map(sum));
        expect(numbers(set, 4)).toEqual(mine.map(({ length }) => BigInt(length)));
        expect(sum(numbers(set, 3))).toBe(0n);
      }),
    );
  });

  it('numbers the entries of each account without a hole, and says how far it has come with each', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const set = encodeSet(postings);
        const [account, transaction] = [column(set, 6), column(set, 7)];
        const [amount, delta, number] = [numbers(set, 8), numbers(set, 9), numbers(set, 10)];
        const reached = new Map<string, [bigint, bigint]>();
        account.forEach((id, n) => {
          const [before, count] = reached.get(id) ?? [0n, 0n];
          const now: [bigint, bigint] = [before + (amount[n] ?? 0n), count + 1n];
          expect([delta[n], number[n]]).toEqual(now);
          reached.set(id, now);
        });
        expect(column(set, 0).map((id) => reached.get(id)?.[0])).toEqual(numbers(set, 3));
        expect(transaction).toEqual(postings.flatMap(({ id, legs }) => legs.map(() => id)));
      }),
    );
  });

  it('lets the time of an account never go back', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const set = encodeSet(postings);
        const [account, times] = [column(set, 6), column(set, 11)];
        for (const [n, id] of column(set, 0).entries()) {
          const own = times.filter((_, entry) => account[entry] === id);
          expect([...own].sort()).toEqual(own);
          expect(column(set, 5)[n]).toBe(own.at(-1));
        }
        expect(column(set, 15)).toEqual(postings.map(({ at }) => at.toISOString()));
      }),
    );
  });

  it('asks of each counter once: the sum of its uses against the least of its maxima', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const extras = encodeSet(postings).at(-1);
        const uses = postings.flatMap(({ limits }) => limits);
        if (uses.length === 0) {
          expect(extras).toBeNull();
          return;
        }
        const rows: Record<string, string | null>[] = JSON.parse(extras ?? '{}').limits;
        const keyOf = (use: { counter: string; window: string }) => counterKey(workspace, use);
        const keys = rows.map((row) => keyOf(row as { counter: string; window: string }));
        expect(keys).toEqual([...new Set(uses.map(keyOf))].sort());
        for (const [n, row] of rows.entries()) {
          const own = uses.filter((use) => keyOf(use) === keys[n]);
          const maxima = own.flatMap(({ maximum }) => (maximum === null ? [] : [maximum]));
          expect(row).toMatchObject({
            workspace_id: workspace,
            used: String(sum(own.map(({ used }) => used))),
            reserved: String(sum(own.map(({ reserved }) => reserved))),
            requested: String(sum(own.map(({ used, reserved }) => used + reserved))),
            maximum: maxima.length === 0 ? null : String([...maxima].sort((a, b) => Number(a - b))[0]),
          });
        }
      }),
    );
  });

  it('asks of each spender once, in the order that faults count', () => {
    fc.assert(
      fc.property(setArbitrary, (postings) => {
        const agents = [...new Set(postings.flatMap(({ spender }) => spender.agentId ?? []))];
        expect(column(encodeSet(postings), 17)).toEqual(agents);
        expect([...spendersOf(postings).values()].map(({ spender }) => spender.agentId)).toEqual(agents);
      }),
    );
  });

  it('keeps apart what two workspaces say of one account', () => {
    const [first, second] = [accounts[0], accounts[1]] as [string, string];
    const of = (workspaceId: string, amount: bigint): Posting => ({
      id: uuid(1),
      workspaceId,
      environment: 'test',
      at: new Date(start),
      legs: move('USD', amount, first, second),
      limits: [],
      spender: {},
      transferId: null,
      events: [],
    });
    const set = encodeSet([of(workspace, 5n), of(otherWorkspace, 7n)]);
    expect(column(set, 0)).toEqual([first, first, second, second]);
    expect(column(set, 1)).toEqual([workspace, otherWorkspace, workspace, otherWorkspace]);
    expect(numbers(set, 2)).toEqual([5n, 7n, 0n, 0n]);
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

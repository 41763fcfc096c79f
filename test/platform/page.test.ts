// Pages over an ordered list: numbers and cursors give every row once, in order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createdBetween, type Listing, listPage, type Page } from '../../src/platform/page.js';

interface Row {
  id: string;
}
type Where = { id?: { lt?: string }; AND?: Where[] };

/** A list in the manner of Prisma, which keeps its own count of the rows that were asked for. */
class List implements Listing<Row> {
  readonly rows: Row[];
  taken = 0;
  counted = 0;

  constructor(length: number) {
    this.rows = Array.from({ length }, (_, n) => ({ id: String(length - n).padStart(4, '0') }));
  }
  async findMany({ where, skip, take }: { where: Where; skip: number; take: number }): Promise<Row[]> {
    const before = [where, ...(where.AND ?? [])].flatMap(({ id }) => id?.lt ?? []);
    this.taken += take;
    return this.rows.filter(({ id }) => before.every((bound) => id < bound)).slice(skip, skip + take);
  }
  async count(): Promise<number> {
    this.counted += 1;
    return this.rows.length;
  }
}

const lengthArbitrary = fc.integer({ min: 0, max: 60 });
const limitArbitrary = fc.integer({ min: 1, max: 20 });

describe('listPage', () => {
  it('gives every row once by number', async () => {
    await fc.assert(
      fc.asyncProperty(lengthArbitrary, limitArbitrary, async (length, limit) => {
        const list = new List(length);
        const seen: Row[] = [];
        for (let page = 1; ; page += 1) {
          const { nodes, hasMore } = await listPage(list, {}, { page, limit });
          expect(nodes.length).toBeLessThanOrEqual(limit);
          seen.push(...nodes);
          if (!hasMore) break;
        }
        expect(seen).toEqual(list.rows);
      }),
    );
  });

  it('gives every row once by cursor, and leaves the number of the page aside', async () => {
    await fc.assert(
      fc.asyncProperty(lengthArbitrary, limitArbitrary, async (length, limit) => {
        const list = new List(length);
        const seen: Row[] = [];
        let after: string | null = null;
        do {
          const page: Page<Row> = await listPage(list, {}, { limit, after, page: after === null ? 1 : 7 });
          seen.push(...page.nodes);
          expect(page.hasMore).toBe(page.nextCursor !== null);
          after = page.nextCursor;
        } while (after !== null);
        expect(seen).toEqual(list.rows);
      }),
    );
  });

  it('has 50 rows unless asked, takes one row more than it gives, and counts only when asked', async () => {
    const list = new List(200);
    const page = await listPage(list, {}, {});
    expect(page).toMatchObject({ page: 1, limit: 50, hasMore: true, nextCursor: '0151' });
    expect(page.nodes).toHaveLength(50);
    expect([list.taken, list.counted]).toEqual([51, 0]);
    expect(await page.total()).toBe(200);
  });
});

describe('createdBetween', () => {
  const [since, until] = [new Date('2026-01-01'), new Date('2026-02-01')];
  for (const [name, from, to, where] of [
    ['nothing', null, undefined, {}],
    ['a beginning, which counts', since, null, { createdAt: { gte: since } }],
    ['an end, which does not', null, until, { createdAt: { lt: until } }],
    ['both', since, until, { createdAt: { gte: since, lt: until } }],
  ] as const) {
    it(name, () => expect(createdBetween(from, to)).toEqual(where));
  }
});

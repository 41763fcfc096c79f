// Pages over an ordered list: numbers and cursors give every row once, in order; a cursor is good for the list that printed it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ctx } from '../../../src/platform/ctx.js';
import { ValidationFailed } from '../../../src/platform/errors.js';
import { newId } from '../../../src/platform/schema/id.js';
import { createdBetween, firstIdAt, type Listing, listPage, mostCounted, type PageInput } from '../../../src/platform/schema/page.js';
import { Vault } from '../../../src/platform/secrets/vault.js';

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
    this.rows = Array.from({ length }, (_, n) => ({ id: firstIdAt(new Date(length - n)) }));
  }
  async findMany({ where, skip, take }: { where: Where; skip: number; take: number }): Promise<Row[]> {
    const before = [where, ...(where.AND ?? [])].flatMap(({ id }) => id?.lt ?? []);
    this.taken += take;
    return this.rows.filter(({ id }) => before.every((bound) => id < bound)).slice(skip, skip + take);
  }
  async count({ take }: { take: number }): Promise<number> {
    this.counted += 1;
    return Math.min(take, this.rows.length);
  }
}

/** What a page needs of a request. */
function ctxOf({ workspaceId = 'w-1', agentId }: { workspaceId?: string; agentId?: string } = {}): Ctx {
  const platform = { vault: new Vault('0f'.repeat(32)) };
  return { platform, workspace: { id: workspaceId }, actor: agentId === undefined ? {} : { agent: { id: agentId } } } as Ctx;
}

const ctx = ctxOf();
const pageOf = (list: List, input: PageInput & Record<string, unknown> = {}, within = ctx) => listPage(within, 'account', list, {}, input);
const lengthArbitrary = fc.integer({ min: 0, max: 60 });
const limitArbitrary = fc.integer({ min: 1, max: 20 });

describe('listPage', () => {
  it('gives every row once by number', async () => {
    await fc.assert(
      fc.asyncProperty(lengthArbitrary, limitArbitrary, async (length, limit) => {
        const list = new List(length);
        const seen: Row[] = [];
        for (let number = 1; ; number += 1) {
          const page = await pageOf(list, { page: number, limit });
          expect(page.nodes.length).toBeLessThanOrEqual(limit);
          expect(await page.total()).toEqual({ count: length, isMinimum: false });
          expect(await page.totalPages()).toBe(Math.ceil(length / limit));
          seen.push(...page.nodes);
          if (!page.hasMore) break;
        }
        expect(seen).toEqual(list.rows);
      }),
    );
  });

  it('gives every row once by cursor, with the numbers of the first page, counted once', async () => {
    await fc.assert(
      fc.asyncProperty(lengthArbitrary, limitArbitrary, limitArbitrary, async (length, limit, next) => {
        const list = new List(length);
        const seen: Row[] = [];
        let page = await pageOf(list, { limit });
        for (let cursor = await page.nextCursor(); ; cursor = await page.nextCursor()) {
          seen.push(...page.nodes);
          expect(page.hasMore).toBe(cursor !== null);
          expect(page.page).toBe(1);
          expect((await page.total()).count).toBe(length);
          expect(await page.totalPages()).toBe(Math.ceil(length / limit));
          if (cursor === null) break;
          page = await pageOf(list, { limit: next, after: cursor, page: 7 });
        }
        expect(seen).toEqual(list.rows);
        expect(list.counted).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('goes on after the id of a row, with and without its prefix', async () => {
    const list = new List(5);
    for (const after of [list.rows[1]?.id, `acc_${list.rows[1]?.id}`])
      expect((await pageOf(list, { limit: 2, after })).nodes).toEqual(list.rows.slice(2, 4));
  });

  it('has 50 rows unless asked, takes one row more than it gives, and counts only when asked', async () => {
    const list = new List(200);
    const page = await pageOf(list);
    expect(page).toMatchObject({ page: 1, limit: 50, hasMore: true });
    expect(page.nodes).toHaveLength(50);
    expect([list.taken, list.counted]).toEqual([51, 0]);
    expect(await page.total()).toEqual({ count: 200, isMinimum: false });
    await page.totalPages();
    expect(list.counted).toBe(1);
  });

  it('counts up to 10,000, and says when there are more', async () => {
    for (const [length, isMinimum] of [
      [mostCounted, false],
      [mostCounted + 1, true],
      [mostCounted + 500, true],
    ] as const)
      expect(await (await pageOf(new List(length))).total()).toEqual({ count: mostCounted, isMinimum });
  });

  it('reaches row 10,000 by number, and no further', async () => {
    const list = new List(10_300);
    expect((await pageOf(list, { page: 50, limit: 200 })).nodes).toEqual(list.rows.slice(9_800, 10_000));
    for (const input of [{ page: 51, limit: 200 }, { page: 10_001, limit: 1 }, { page: 100_000 }]) {
      await expect(pageOf(list, input)).rejects.toMatchObject({
        fields: [{ path: ['page'], message: expect.stringContaining('next_cursor') }],
      });
    }
  });

  it('refuses a cursor that was changed anywhere', async () => {
    const list = new List(60);
    const cursor = (await (await pageOf(list, { limit: 5 })).nextCursor()) ?? '';
    await fc.assert(
      fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom('A', 'b', '0', '-', '_', '.', ''), async (at, put) => {
        const changed = cursor.slice(0, at) + put + cursor.slice(at + 1);
        // The last character of a signature holds bits that nothing reads: it may stand for the same bytes.
        fc.pre(changed !== cursor && at < cursor.length - 1);
        await expect(pageOf(list, { limit: 5, after: changed })).rejects.toBeInstanceOf(ValidationFailed);
      }),
    );
  });

  it('refuses a cursor of another list: another workspace, actor, filter or kind, and takes it whatever the limit', async () => {
    const list = new List(60);
    const filters = { status: 'active', since: new Date(0), type: null };
    const cursor = await (await pageOf(list, { limit: 5, ...filters })).nextCursor();
    const given = { after: cursor, ...filters };
    expect((await pageOf(list, { ...given, limit: 7, type: undefined })).nodes).toEqual(list.rows.slice(5, 12));
    for (const refused of [
      () => pageOf(list, given, ctxOf({ workspaceId: 'w-2' })),
      () => pageOf(list, given, ctxOf({ agentId: 'a-1' })),
      () => pageOf(list, { ...given, status: 'closed' }),
      () => pageOf(list, { ...given, since: null }),
      () => listPage(ctx, 'wallet', list, {}, given),
    ])
      await expect(refused()).rejects.toMatchObject({ fields: [{ path: ['after'], rule: 'cursor' }] });
  });
});

describe('createdBetween', () => {
  const [since, until] = [new Date('2026-01-01'), new Date('2026-02-01')];
  for (const [name, from, to, where] of [
    ['nothing', null, undefined, {}],
    ['a beginning, which counts', since, null, { id: { gte: firstIdAt(since) } }],
    ['an end, which does not', null, until, { id: { lt: firstIdAt(until) } }],
    ['both', since, until, { id: { gte: firstIdAt(since), lt: firstIdAt(until) } }],
  ] as const) {
    it(name, () => expect(createdBetween(from, to)).toEqual(where));
  }

  it('parts ids as it would part their times', () => {
    const msArbitrary = fc.integer({ min: 0, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(msArbitrary, fc.oneof(msArbitrary, fc.constant(0), fc.constant(1), fc.constant(-1)), (ms, other) => {
        const bound = Math.abs(other) <= 1 ? Math.max(0, ms + other) : other;
        expect(newId(new Date(ms)) >= firstIdAt(new Date(bound))).toBe(ms >= bound);
      }),
    );
  });
});

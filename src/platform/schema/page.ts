// Lists are pages, newest first, ties by id. Ids are UUIDv7 of workspace time, so their order is the order of creation, a stretch of time
// is a stretch of ids, and `after` (a cursor, or the id of a row) goes on at constant cost.
import { LRUCache } from 'lru-cache';
import type { Ctx, Platform } from '../ctx.js';
import { ValidationFailed } from '../errors.js';
import { isCursor, printCursor, readCursor, type Total } from './cursor.js';
import { type IdKind, parseId } from './id.js';

// Gap G-09: `starting_after` (`after` in GraphQL) takes a cursor or the id of a row; `page` is then ignored.
export interface PageInput {
  page?: number | null | undefined;
  limit?: number | null | undefined;
  /** A cursor or the id of a row: the page begins after it, and `page` is left aside. */
  after?: string | null | undefined;
  /** Created at or after. */
  since?: Date | null | undefined;
  /** Created before. */
  until?: Date | null | undefined;
}

export interface Page<T> {
  nodes: T[];
  /** Of the first page, where a cursor led here. */
  page: number;
  limit: number;
  hasMore: boolean;
  nextCursor: () => Promise<string | null>;
  total: () => Promise<Total>;
  totalPages: () => Promise<number>;
}

/** The rows that a page asks for, newest first: `take` of them after the row `after`, or after the first `skip`. */
export interface Window {
  after: string | undefined;
  skip: number;
  take: number;
}

/** What a scan has found (scan.ts). Where it stopped before it had looked at all there are: the last row that it looked at. */
export interface ScannedRows<T> {
  rows: T[];
  stoppedAt: string | null;
}

/** What can be listed. Each row names its own position by its id. */
export interface Source<T> {
  read(window: Window): PromiseLike<T[] | ScannedRows<T>>;
  /** How many rows there are, counted no further than `most` unless it costs nothing. */
  count(most: number): PromiseLike<Total>;
  /** The id in `text`, as the rows have it; null for what cannot be one. */
  parse(text: string): string | null;
}

/** 400 for a stretch of time that ends before it begins. */
function checkWindow({ since, until }: PageInput): void {
  if (!since || !until || since <= until) return;
  throw new ValidationFailed([{ path: ['until'], message: 'must not be before since', rule: 'window' }]);
}

// Gap G-94: `total` is counted once, for the first page, up to 10,000; beyond that `total_is_minimum: true` is beside it.
/** Gap G-95: Pages by number reach row 10,000; a page beyond it is 400 and names the cursor. */
export const mostCounted = 10_000;
/** Rows of a page that says no limit. */
export const defaultLimit = 50;

/**
 * One page of `source`. `name` and the members of `input` other than those of the page say which list it is: a cursor is good for
 * that one alone. Takes one row more than asked for, so that `hasMore` costs nothing. 400 for a cursor that is none, for a
 * page beyond row 10,000, and for a stretch of time that ends before it begins. A page of a scan that stopped may have fewer rows than
 * asked for, and says that there is more.
 */
export async function readPage<T extends { id: string }>(ctx: Ctx, name: string, source: Source<T>, input: PageInput): Promise<Page<T>> {
  checkWindow(input);
  const list = listOf(name, input);
  const limit = input.limit ?? defaultLimit;
  const start = startOf(ctx, list, source, input);
  const pageSize = start.pageSize ?? limit;
  const skip = start.after === undefined ? (start.page - 1) * limit : 0;
  const read = await source.read({ after: start.after, skip, take: limit + 1 });
  const { rows, stoppedAt } = Array.isArray(read) ? { rows: read, stoppedAt: null } : read;
  const nodes = rows.slice(0, limit);
  const goesOnAt = rows.length > limit ? nodes.at(-1)?.id : (stoppedAt ?? undefined);
  const hasMore = goesOnAt !== undefined;
  const isWhole = start.after === undefined && !hasMore && (nodes.length > 0 || skip === 0);
  const total = memoized(
    async () => start.total ?? (isWhole ? { count: skip + nodes.length, isMinimum: false } : await countOnce(ctx, list, source)),
  );
  return {
    nodes,
    page: start.page,
    limit,
    hasMore,
    nextCursor: async () =>
      goesOnAt === undefined ? null : printCursor(ctx, list, { after: goesOnAt, page: start.page, pageSize, total: await total() }),
    total,
    totalPages: async () => Math.ceil((await total()).count / pageSize),
  };
}

/** Lists of which is known that they have more rows than are counted, by platform. */
const longLists = new WeakMap<Platform, LRUCache<string, Total>>();
/** For so long it stays known: rows may leave a list. */
const knownForMs = 10_000;

/** Counts a list, but not one that was too long to be counted a moment ago: that is the dearest part of reading a page of it. */
async function countOnce({ platform, workspace, actor }: Ctx, list: string, source: Source<unknown>): Promise<Total> {
  const known = longLists.get(platform) ?? new LRUCache<string, Total>({ max: 5_000, ttl: knownForMs });
  longLists.set(platform, known);
  const key = JSON.stringify([workspace.id, actor.type, actor.id, list]);
  const total = known.get(key) ?? (await source.count(mostCounted));
  if (total.isMinimum && !known.has(key)) known.set(key, total);
  return total;
}

interface Start {
  page: number;
  after?: string;
  pageSize?: number;
  total?: Total;
}

function startOf(ctx: Ctx, list: string, source: Source<unknown>, { page, limit, after }: PageInput): Start {
  const number = page ?? 1;
  if (after == null) {
    if (number * (limit ?? defaultLimit) > mostCounted && number > 1) throw tooFar();
    return { page: number };
  }
  if (isCursor(after)) return readCursor(ctx, list, after) ?? refuseCursor();
  return { page: number, after: source.parse(after) ?? refuseCursor() };
}

/** 400: what stands in `after` is neither a cursor of this list nor the id of one of its rows. */
export function refuseCursor(): never {
  const message = 'must be the next_cursor of a page of this list, asked for with the same filters, or the id of a row';
  throw new ValidationFailed([{ path: ['after'], message, rule: 'cursor' }]);
}

function tooFar(): ValidationFailed {
  const message = `reaches beyond row ${mostCounted}: go on with next_cursor, or narrow the list by time`;
  return new ValidationFailed([{ path: ['page'], message, rule: 'max' }]);
}

/** The total of a list whose rows `count` counts up to a number: it is asked for one more than `most`. */
export async function countedTo(most: number, count: (take: number) => PromiseLike<number>): Promise<Total> {
  const found = await count(most + 1);
  return { count: Math.min(found, most), isMinimum: found > most };
}

/** A text for everything that chooses the rows: filters in order of name, those that are absent left out. */
function listOf(name: string, { page, limit, after, ...filters }: PageInput): string {
  const given = Object.entries(filters).filter(([, value]) => value != null);
  return JSON.stringify([name, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function memoized<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

type Where = Record<string, unknown>;

/** What a list needs of a Prisma model whose key is a UUIDv7. */
export interface Listing<T> {
  findMany(args: { where: Where; orderBy: { id: 'desc' }; skip: number; take: number }): PromiseLike<T[]>;
  count(args: { where: Where; take: number }): PromiseLike<number>;
}

/** A page of the rows of `listing` that match `where`. `query` is Pothos' selection of the nodes. */
export function listPage<T extends { id: string }>(
  ctx: Ctx,
  kind: IdKind,
  listing: Listing<T>,
  where: Where,
  input: PageInput,
  query: object = {},
): Promise<Page<T>> {
  const source: Source<T> = {
    read: ({ after, skip, take }) =>
      listing.findMany({
        ...query,
        where: after === undefined ? where : { AND: [where, { id: { lt: after } }] },
        orderBy: { id: 'desc' },
        skip,
        take,
      }),
    count: (most) => countedTo(most, (take) => listing.count({ where, take })),
    parse: (text) => parseId(kind, text),
  };
  return readPage(ctx, kind, source, input);
}

/** The smallest UUID of a millisecond: ids of what was created then, or later, are not below it. */
export function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Created at or after `since` and before `until`, for a where: a range of the primary key, which is the time of creation. */
export function createdBetween(since: Date | null | undefined, until: Date | null | undefined): Where {
  if (!since && !until) return {};
  return { id: { ...(since ? { gte: firstIdAt(since) } : {}), ...(until ? { lt: firstIdAt(until) } : {}) } };
}

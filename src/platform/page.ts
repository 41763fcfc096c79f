// Lists are pages, newest first. Ids are UUIDv7 of workspace time, so the order of ids is the order of creation and
// `after` (an id) is a cursor of constant cost (Gap G-09). CONTRACT.md 0 "Common query".

export interface PageInput {
  page?: number | null | undefined;
  limit?: number | null | undefined;
  /** An id or cursor: the page begins after it, and `page` is left aside. */
  after?: string | null | undefined;
}

export interface Page<T> {
  nodes: T[];
  page: number;
  limit: number;
  hasMore: boolean;
  nextCursor: string | null;
  /** Counted only when it is selected. */
  total: () => Promise<number>;
}

type Where = Record<string, unknown>;

/** What a page needs of a Prisma model. */
export interface Listing<T> {
  findMany(args: { where: Where; orderBy: { id: 'desc' }; skip: number; take: number }): PromiseLike<T[]>;
  count(args: { where: Where }): PromiseLike<number>;
}

/**
 * One page of `listing` that match `where`. `query` is Pothos' selection of the nodes. Takes one row more than asked for,
 * so that `hasMore` costs nothing.
 */
export async function listPage<T extends { id: string }>(
  listing: Listing<T>,
  where: Where,
  input: PageInput,
  query: object = {},
): Promise<Page<T>> {
  const page = input.page ?? 1;
  const limit = input.limit ?? 50;
  const after = input.after ?? undefined;
  const rows = await listing.findMany({
    ...query,
    where: after === undefined ? where : { AND: [where, { id: { lt: after } }] },
    orderBy: { id: 'desc' },
    skip: after === undefined ? (page - 1) * limit : 0,
    take: limit + 1,
  });
  const nodes = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    nodes,
    page,
    limit,
    hasMore,
    nextCursor: hasMore ? (nodes.at(-1)?.id ?? null) : null,
    total: async () => listing.count({ where }),
  };
}

/** `createdAt` between `since` (inclusive) and `until` (exclusive), for a where. */
export function createdBetween(since: Date | null | undefined, until: Date | null | undefined): Where {
  if (!since && !until) return {};
  return { createdAt: { ...(since ? { gte: since } : {}), ...(until ? { lt: until } : {}) } };
}

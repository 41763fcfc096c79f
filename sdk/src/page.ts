// Lists that come in pages, as one sequence. A cursor is the constant-cost way through; numbered pages are taken where the caller begins
// with a number.
import { asRecord } from './error.js';

type Query = Record<string, unknown>;

/** Every item of a list from where `query` begins. `read` gets one page. */
export async function* eachItem(query: Query, read: (query: Query) => Promise<unknown>): AsyncGenerator<unknown, void, undefined> {
  for (let next: Query | undefined = query; next !== undefined; ) {
    const { data, pagination }: Record<string, unknown> = asRecord(await read(next));
    yield* data as unknown[];
    next = following(next, asRecord(pagination));
  }
}

/** What asks for the page after this one; undefined after the last. */
function following(query: Query, { has_more, next_cursor, page }: Record<string, unknown>): Query | undefined {
  if (has_more !== true) return undefined;
  if (query['page'] === undefined && typeof next_cursor === 'string') return { ...query, starting_after: next_cursor };
  return { ...query, page: Number(page) + 1 };
}

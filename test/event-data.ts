// Checks the events of a database against the catalog.
import { expect } from 'vitest';
import type { Database } from '../src/platform/postgres/database.js';
import { catalog } from './catalog.js';

/** A text of the data of an event, and the way to it. */
export interface Leaf {
  path: readonly string[];
  text: string;
}

/** Every text in `value`, however deep. */
export function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

/** An id without a prefix: events print none (CONTRACT.md 0 "Ids"). */
export const bareId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Fails when an event of the database has a type or data that the catalog does not have, or an id without its prefix. */
export async function checkEvents({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ type: string; data: unknown }>(`
    SELECT e.type, event_data(e) AS data FROM event e JOIN (
      SELECT DISTINCT ON (type, object_id) workspace_id, id FROM event ORDER BY type, object_id, id DESC
    ) newest USING (workspace_id, id) ORDER BY e.id DESC LIMIT 500`);
  for (const { type, data } of rows) {
    const result = catalog.get(type)?.data.safeParse(data);
    if (!result?.success)
      expect.fail(`event ${type} is not as the catalog says: ${result?.error ?? 'no such type'}\n${JSON.stringify(data)}`);
    // A name is whatever its owner likes.
    const bare = leavesOf(data).filter(({ path, text }) => bareId.test(text) && path.at(-1) !== 'name');
    if (bare.length > 0) expect.fail(`event ${type} has ids without a prefix: ${JSON.stringify(bare)}`);
  }
}

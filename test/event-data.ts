// Checks the events of a database against the catalog.
import { expect } from 'vitest';
import { catalog } from '../src/events/catalog.js';
import type { Database } from '../src/platform/postgres/database.js';

/** Fails when an event of the database has a type or data that the catalog does not have. */
export async function checkEvents({ unscoped }: Database): Promise<void> {
  const rows = await unscoped.event.findMany({ distinct: ['type', 'objectId'], orderBy: { id: 'desc' }, take: 500 });
  for (const { type, data } of rows) {
    const result = catalog.get(type)?.data.safeParse(data);
    if (!result?.success)
      expect.fail(`event ${type} is not as the catalog says: ${result?.error ?? 'no such type'}\n${JSON.stringify(data)}`);
  }
}

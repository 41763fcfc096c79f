// A second cell for a platform under test: another database of the same server.
import { enterCell } from '../src/platform/cell/admission.js';
import type { Platform } from '../src/platform/ctx.js';
import type { Started } from './kept-platform.js';
import { type NewDatabase, newDatabase } from './new-database.js';

/** Takes a new database in as a cell of a running platform. `route` is the way to it, where that is not its own. */
export async function addCell(
  { cells, vault }: Platform,
  name: string,
  route: (url: string) => Promise<string> = async (url) => url,
): Promise<{ platform: Platform; database: NewDatabase }> {
  const database = await newDatabase();
  const { directory } = cells;
  await enterCell({ database: directory.database, vault }, { name, url: await route(database.url) });
  await cells.reload();
  return { platform: cells.named(name), database };
}

/** A server whose platform is that of a second cell, beside its first. */
export async function withSecondCell(started: Started): Promise<Started> {
  const { platform, database } = await addCell(started.platform, 'second');
  const remove = async () => {
    await started.remove();
    await database.drop();
  };
  return { ...started, platform, remove };
}

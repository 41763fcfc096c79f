// What is done for every cell: four at once, and a failure of one stops no other.
import type { Platform } from '../ctx.js';
import { type MigrateOptions, migrate } from '../postgres/migration.js';
import { homeCell } from './cells.js';

/** Cells that are worked on at once. */
const atOnce = 4;

/** What came of one cell. */
export interface OfCell<T> {
  cell: string;
  result?: T;
  failure?: string;
}

/** Does `work` for every cell, four at once. A failure is told and stops no other. */
export async function forEachCell<T>({ cells }: Platform, work: (platform: Platform) => Promise<T>): Promise<OfCell<T>[]> {
  const waiting = cells.listed.map(({ name }) => name);
  const done: OfCell<T>[] = [];
  const next = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      try {
        done.push({ cell, result: await work(cells.named(cell)) });
      } catch (error) {
        done.push({ cell, failure: (error as Error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return done.toSorted((a, b) => a.cell.localeCompare(b.cell));
}

/** How long a cell may take to say that it is there, before it is migrated. */
const patienceMs = 5_000;

/** Brings every cell but the first up to date, which is so before anything is opened. */
export async function migrateOthers(platform: Platform, options: MigrateOptions = {}): Promise<OfCell<string[]>[]> {
  const { cells } = platform;
  const others = cells.listed.some(({ name }) => name !== homeCell && cells.isServed(name));
  if (!others) return [];
  const done = await forEachCell(platform, async ({ cell, database }) => {
    if (cell === homeCell) return [];
    const signal = AbortSignal.timeout(patienceMs);
    const silence = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('the cell does not answer'))),
    );
    await Promise.race([database.pool.query('SELECT 1'), silence]);
    return migrate(database.url, { ...options, directoryUrl: cells.directory.database.url });
  });
  return done.filter(({ cell }) => cell !== homeCell && cells.isServed(cell));
}

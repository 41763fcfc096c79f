// The rows of a database at one moment, to which it can be taken back: quicker than making the objects of a test again.
import { manifest } from '../src/contexts.js';
import type { Platform } from '../src/platform/ctx.js';
import { filledTables, withoutTriggers } from './kept-platform.js';

/** Keeps every row of the database; returns what brings it back to them. */
export async function saveWorld(platform: Platform): Promise<() => Promise<void>> {
  const { pool } = platform.database;
  const saved = (await filledTables(platform)).map(({ name }) => name);
  const copies = saved.map((name) => `CREATE TABLE saved.${name} AS TABLE public.${name};`);
  await pool.query(`DROP SCHEMA IF EXISTS saved CASCADE; CREATE SCHEMA saved; ${copies.join(' ')}`);

  return async () => {
    for (const write of manifest.lastWrites) await write(platform);
    const filled = (await filledTables(platform)).map(({ name }) => `DELETE FROM public.${name};`);
    const rows = saved.map((name) => `INSERT INTO public.${name} TABLE saved.${name};`);
    await withoutTriggers(pool, `${filled.join(' ')} ${rows.join(' ')}`);
    platform.cache.clear();
  };
}

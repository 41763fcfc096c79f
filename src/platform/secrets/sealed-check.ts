// Whether every sealed value opens: each data key under a master key of the settings, and each value under its data key.
import type pg from 'pg';
import { type MasterKeys, masterKeysOf, readRing, ringOf, unwrap } from './key-ring.js';
import type { SealedColumn } from './sealed-column.js';
import { valuesToReseal } from './sealed-value.js';
import { Vault } from './vault.js';

/** Values in a step. */
const stepRows = 1_000;
/** No value names this key. */
const noKey = 0;
const stepPages = 32;
const tableStart = '(0,0)';

/** What opens, and what does not. */
export interface SealedCheck {
  opened: number;
  /** Columns that have values. */
  columns: number;
  /** A sentence for each data key that no master key unwraps, and for each column with values that do not open. No secret is in them. */
  faults: string[];
}

/** Opens every sealed value of a database. Reads each table of the list whole. */
export async function checkSealed(pool: pg.Pool, columns: readonly SealedColumn[], settings: MasterKeys): Promise<SealedCheck> {
  const masters = masterKeysOf(settings);
  const rows = (await readRing(pool)) ?? [];
  const vault = new Vault(settings.secretsKey);
  if (rows.length > 0) vault.use(ringOf(masters, rows));
  const result: SealedCheck = { opened: 0, columns: 0, faults: [] };
  for (const row of rows)
    if (unwrap(masters, row) === undefined)
      result.faults.push(
        `the data key ${row.id} is wrapped under ${Object.keys(row.wraps).join(', ') || 'no master key'}, which SECRETS_KEY is not`,
      );
  for (const column of columns) {
    const { opened, closed, first } = await openAll(pool, column, vault);
    result.opened += opened;
    if (opened + closed > 0) result.columns += 1;
    if (closed > 0)
      result.faults.push(`${closed} of ${opened + closed} values of ${column.table}.${column.column} do not open; the first: ${first}`);
  }
  return result;
}

async function openAll(pool: pg.Pool, column: SealedColumn, vault: Vault): Promise<{ opened: number; closed: number; first: string }> {
  const found = { opened: 0, closed: 0, first: '' };
  for (let after: string | null = tableStart; after !== null; ) {
    const stretch: Awaited<ReturnType<typeof valuesToReseal>> = await valuesToReseal(pool, column, {
      key: noKey,
      after,
      pages: stepPages,
      most: stepRows,
    });
    after = stretch.next;
    for (const { sealed, rowId } of stretch.values) {
      try {
        vault.open(sealed, rowId);
        found.opened += 1;
      } catch (error) {
        if (found.closed === 0) found.first = `row ${rowId}, ${whyOf(error)}`;
        found.closed += 1;
      }
    }
  }
  return found;
}

/** OpenSSL only says that the authentication failed. */
function whyOf(error: unknown): string {
  const { message } = error as Error;
  return message.startsWith('the data key') ? message : 'which another key has sealed, or another row, or which was changed';
}

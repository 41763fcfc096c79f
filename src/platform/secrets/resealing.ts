// After a new data key was made, what older ones have sealed is sealed again, a few rows at a time (CONTRACT.md 24). A process that ends goes on
// where its tables are: what is sealed under the newest key is passed over.
import type { Platform } from '../ctx.js';
import type { RealTimeWork } from '../due/real-time.js';
import { inTransaction } from '../postgres/database.js';
import { type SealedColumn, sealedColumns } from './sealed-column.js';
import { type SealedValue, takeResealing, valuesToReseal, writeResealed } from './sealed-value.js';
import { firstKey, type Vault } from './vault.js';

/** Rows in a step. */
const stepRows = 200;
/** It rests nine times as long as it works. */
const restOfWork = 9;
/** So long after a pass that found nothing it looks once more, for what was sealed before every process knew the key. */
const pauseMs = 60_000;

const tableStart = '(0,0)';

/** How far a process is with a key, in a cell. */
interface Pass {
  key: number;
  /** Of the column in the list. */
  column: number;
  after: string;
  /** Values that this pass has sealed again. */
  resealed: number;
  /** Passes without any, one after the other. Two end the work. */
  empty: number;
}

const passes = new WeakMap<Platform, Pass>();

/** Seals again what older keys have sealed. Without a second key there is nothing to do. */
export const resealing: RealTimeWork = {
  name: 'sealing again',
  run: async (platform) => {
    const { vault } = platform;
    const { current } = vault.ring;
    if (current === firstKey || !vault.canSeal) return null;
    const known = passes.get(platform);
    const pass = known?.key === current ? known : { key: current, column: 0, after: tableStart, resealed: 0, empty: 0 };
    passes.set(platform, pass);
    if (pass.empty >= 2) return null;
    const begun = performance.now();
    const isEnded = await step(platform, pass);
    return isEnded ? pauseMs : Math.ceil((performance.now() - begun) * restOfWork);
  },
};

/** One set of rows of one column. True where a pass over all columns has ended. */
async function step(platform: Platform, pass: Pass): Promise<boolean> {
  const columns = platform.extensions.of(sealedColumns);
  const column = columns[pass.column];
  if (column === undefined) {
    pass.empty = pass.resealed === 0 ? pass.empty + 1 : 0;
    Object.assign(pass, { column: 0, after: tableStart, resealed: 0 });
    return true;
  }
  const found = await inTransaction(platform.database.pool, async (tx): Promise<SealedValue[] | null> => {
    if (!(await takeResealing(tx))) return null;
    const values = await valuesToReseal(tx, column, { key: pass.key, after: pass.after, most: stepRows });
    const resealed = values.flatMap((value) => resealedOf(platform, column, value));
    if (resealed.length > 0) await writeResealed(tx, column, resealed);
    pass.resealed += resealed.length;
    return values;
  });
  // Another process is at it.
  if (found === null) return true;
  const last = found.at(-1);
  if (last === undefined) Object.assign(pass, { column: pass.column + 1, after: tableStart });
  else pass.after = last.place;
  return false;
}

function resealedOf({ vault, log }: Platform, { table, column }: SealedColumn, value: SealedValue) {
  const secret = openedBy(vault, value);
  if (secret !== undefined) return [{ ...value, resealed: vault.seal(secret, value.rowId) }];
  log.warn({ table, column, row: value.rowId }, 'a sealed value cannot be opened: it is left as it is');
  return [];
}

function openedBy(vault: Vault, { sealed, rowId }: SealedValue): string | undefined {
  try {
    return vault.open(sealed, rowId);
  } catch {
    return undefined;
  }
}

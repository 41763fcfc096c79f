// After a new data key was made, what older ones have sealed is sealed again, a few rows at a time (CONTRACT.md 24). A process that ends goes on
// where its tables are: what is sealed under the newest key is passed over.
import { setImmediate as turn } from 'node:timers/promises';
import type { Platform } from '../ctx.js';
import type { RealTimeWork } from '../due/real-time.js';
import { inTransaction } from '../postgres/database.js';
import { type SealedColumn, sealedColumns } from './sealed-column.js';
import { type SealedValue, takeResealing, valuesToReseal, writeResealed } from './sealed-value.js';
import { firstKey, type Vault } from './vault.js';

/** Rows in a step. */
const stepRows = 500;
/** Rows that are sealed at a stretch: requests have their turn in between. */
const sealedAtOnce = 100;
/** Pages of a table that a step reads: few where they are full of values, many where they have none. */
const fewestPages = 8;
const mostPages = 512;
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
  pages: number;
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
    const pass = known?.key === current ? known : { key: current, column: 0, after: tableStart, pages: fewestPages, resealed: 0, empty: 0 };
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
    Object.assign(pass, { column: 0, after: tableStart, pages: fewestPages, resealed: 0 });
    return true;
  }
  const found = await inTransaction(platform.database.pool, async (tx): Promise<Read | null> => {
    if (!(await takeResealing(tx))) return null;
    const read = await valuesToReseal(tx, column, { ...pass, most: stepRows });
    const resealed = await resealedOf(platform, column, read.values);
    if (resealed.length > 0) await writeResealed(tx, column, resealed);
    pass.resealed += resealed.length;
    return read;
  });
  // Another process is at it.
  if (found === null) return true;
  goOn(pass, found);
  return false;
}

type Read = Awaited<ReturnType<typeof valuesToReseal>>;

/** Where the next step reads, and how much. */
function goOn(pass: Pass, { values, next }: Read): void {
  if (values.length === stepRows) pass.pages = Math.max(fewestPages, pass.pages / 2);
  else if (values.length < stepRows / 2) pass.pages = Math.min(mostPages, pass.pages * 2);
  if (next === null) Object.assign(pass, { column: pass.column + 1, after: tableStart, pages: fewestPages });
  else pass.after = next;
}

/** The values under the newest key. Those that no key opens are left, and said once for a step: there may be as many as rows. */
async function resealedOf({ vault, log }: Platform, { table, column }: SealedColumn, values: readonly SealedValue[]) {
  const closed: string[] = [];
  const resealed: (SealedValue & { resealed: Buffer })[] = [];
  for (const [at, value] of values.entries()) {
    if (at % sealedAtOnce === 0) await turn();
    const secret = openedBy(vault, value);
    if (secret === undefined) closed.push(value.rowId);
    else resealed.push({ ...value, resealed: vault.seal(secret, value.rowId) });
  }
  const [row] = closed;
  if (row !== undefined)
    log.warn({ table, column, count: closed.length, row }, 'sealed values cannot be opened: they are left as they are');
  return resealed;
}

function openedBy(vault: Vault, { sealed, rowId }: SealedValue): string | undefined {
  try {
    return vault.open(sealed, rowId);
  } catch {
    return undefined;
  }
}

// `tenant move`: takes a tenant to another cell while it goes on (docs/scale.md).
import { parseArgs } from 'node:util';
import pg from 'pg';
import { relistMembers } from '../contexts/people/member-place.js';
import { homeCell } from '../platform/cell/cells.js';
import type { MoveEnd } from '../platform/cell/move/end.js';
import { type Moved, type MoveProgress, TenantMove } from '../platform/cell/move/move.js';
import { MoveRefused, messageOf } from '../platform/cell/move/refused.js';
import { holdMove, type PlacedTenant, placedTenant, StoredMove } from '../platform/cell/move/stored-move.js';
import { sizeOf } from '../platform/cell/move/tenant-table.js';
import type { Platform } from '../platform/ctx.js';
import { parseAnyId } from '../platform/schema/id.js';
import { flag, ofData, text } from './argument.js';

export interface TenantMoveOptions {
  tenantId: string;
  /** The cell to move to; undefined to go on with a move, or to give it up. */
  to?: string | undefined;
  isDryRun: boolean;
  isResumed: boolean;
  isAborted: boolean;
  say: (text: string) => void;
  /** Told how far it is, between 0 and 1. */
  bar: (doing: string, done: number) => void;
}

/** Moves a tenant, goes on with its move, or gives it up, as the options say; tells how it went. */
export async function moveTenant(platform: Platform, options: TenantMoveOptions): Promise<void> {
  const { database } = platform.cells.directory;
  const id = parseAnyId(options.tenantId);
  if (id === null || (await placedTenant(database, id)) === null) throw new Error('there is no such tenant');
  const letGo = options.isDryRun ? async () => {} : await holdMove(database, id);
  try {
    await moveHeld(platform, id, options);
  } finally {
    await letGo();
  }
}

async function moveHeld(platform: Platform, id: string, options: TenantMoveOptions): Promise<void> {
  const { tenantId, say } = options;
  // Where it is now: another command may have moved it until now.
  const tenant = await placedTenant(platform.cells.directory.database, id);
  if (tenant === null) throw new Error('there is no such tenant');
  const move = await moveOf(platform, tenant, options);
  const ends = { source: endOf(platform, move.source), target: endOf(platform, move.target) };
  try {
    const size = await sizeOf(ends.source.pool, tenant);
    if (options.isDryRun) {
      say(`${tenantId} is in ${move.source}: ${size.rows} rows of ${size.tables} tables would be copied to ${move.target}.`);
      return;
    }
    if (!(move instanceof StoredMove)) throw new Error('a move that is no dry run is noted');
    const list = () => relistMembers(platform.cells.named(move.target), tenant.id);
    const parts = { ...ends, tenant, record: move, list, onProgress: showProgress(size.rows, options.bar) };
    if (options.isAborted) {
      await new TenantMove(parts).abort();
      say(`${tenantId} stays in ${move.source}.`);
      return;
    }
    say(reportOf(tenantId, move.target, await run(new TenantMove(parts), tenantId, move)));
  } finally {
    await Promise.all([ends.source.pool.end(), ends.target.pool.end()]);
  }
}

/** Runs a move to its end. Where a cell fails it says where the tenant is, and what can be done. */
async function run(tenantMove: TenantMove, tenantId: string, move: StoredMove): Promise<Moved> {
  try {
    return await tenantMove.run();
  } catch (error) {
    if (error instanceof MoveRefused) throw error;
    const { step, source, target } = move;
    const place = step === 'switched' ? target : source;
    const waits = step === 'switching' ? ', and its changes are refused until then' : '';
    const way = step === 'switched' ? '--resume ends the move' : '--resume goes on, --abort gives it up';
    throw new Error(`The move stopped while ${step}: ${messageOf(error)}. ${tenantId} is in ${place}${waits}: ${way}.`, { cause: error });
  }
}

/** The move that is to be made, or gone on with. */
async function moveOf(
  { cells }: Platform,
  tenant: PlacedTenant,
  { to, isDryRun, isResumed, isAborted }: TenantMoveOptions,
): Promise<StoredMove | { source: string; target: string }> {
  const { database } = cells.directory;
  if (isResumed || isAborted) {
    const found = await StoredMove.find(database, tenant.id);
    if (found === null) throw new MoveRefused('No move of this tenant is under way.');
    return found;
  }
  if (to === undefined) throw new Error('--to names the cell to move to: cell list shows them');
  const target = cells.listed.find(({ name }) => name === to);
  if (target === undefined) throw new Error(`there is no cell ${to}: cell list shows those that there are`);
  if (target.state === 'drained') throw new MoveRefused(`${to} is drained and takes no tenants.`);
  if (tenant.cell === to) throw new MoveRefused(`The tenant is in ${to} already.`);
  const ends = { source: tenant.cell, target: to };
  return isDryRun ? ends : StoredMove.begin(database, tenant.id, ends);
}

/** A cell with connections of the move's own: its statements take as long as they take. */
function endOf({ cells, vault, database }: Platform, name: string): MoveEnd {
  const isHome = name === homeCell;
  const sealed = cells.listed.find((cell) => cell.name === name)?.sealedUrl;
  if (!isHome && sealed == null) throw new Error(`the directory has no address of ${name}`);
  const url = isHome || sealed == null ? database.url : vault.open(sealed, `cell ${name}`);
  const pool = new pg.Pool({ connectionString: url, application_name: 'tenant move', options: '-c timezone=UTC -c statement_timeout=0' });
  // A connection that is lost fails what uses it; idle ones are made anew.
  pool.on('error', () => {});
  return { name, isHome, url, pool };
}

function showProgress(rows: number, bar: TenantMoveOptions['bar']): (progress: MoveProgress) => void {
  return ({ step, copied }) => {
    if (copied !== undefined) bar(step, Math.min(1, copied.rows / Math.max(1, rows)));
  };
}

function reportOf(tenantId: string, target: string, { copied, pausedMs }: Moved): string {
  const size = copied === null ? '' : ` ${copied.rows} rows, ${(copied.bytes / 1e6).toFixed(1)} MB were copied.`;
  const paused = pausedMs === null ? '' : ` Its writes waited for ${Math.round(pausedMs)} ms.`;
  return `${tenantId} is in ${target} now.${size}${paused} What it has left is removed in a day.`;
}

/** What the arguments of the command say. */
export function readTenantMove(args: string[]): { values: { 'data-dir'?: string }; options: Omit<TenantMoveOptions, 'say' | 'bar'> } {
  const options = { ...ofData, to: text, 'dry-run': flag, resume: flag, abort: flag };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [tenantId] = positionals;
  if (tenantId === undefined) throw new Error('name the tenant to move');
  const { to, resume, abort } = values;
  return { values, options: { tenantId, to, isDryRun: values['dry-run'] === true, isResumed: resume === true, isAborted: abort === true } };
}

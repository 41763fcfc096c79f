// The commands about cells, and what other commands do for all of them.

import { countUnlisted } from '../contexts/people/member-place.js';
import { railsEverOn } from '../contexts/rails/rail-state.sql.js';
import { addressFaults, changeAddress, enterCell, faultsOf, type NewCell } from '../platform/cell/admission.js';
import { homeCell } from '../platform/cell/cells.js';
import { forEachCell } from '../platform/cell/every-cell.js';
import { compareCell, figuresOf } from '../platform/cell/figures.js';
import type { Platform } from '../platform/ctx.js';

/** Takes a database in as a cell. Says all that keeps it from being one. Rails of production need an installation of one cell. */
export async function addCell({ cells: { directory, home }, vault, config }: Platform, cell: NewCell): Promise<void> {
  const railsInUse = await railsEverOn(home.database.pool);
  if (config.railsFile !== null || railsInUse.length > 0) {
    const named = railsInUse.length === 0 ? 'RAILS_FILE is set' : `${railsInUse.join(', ')} were switched on`;
    throw new Error(`${named}: rails of production need an installation of one cell`);
  }
  const admitting = { database: directory.database, vault };
  refuse(cell.name, await faultsOf(admitting, cell));
  await enterCell(admitting, cell);
}

/** Says where a cell is now, as after a failover. Says all that keeps the database there from being that cell. */
export async function setCellUrl({ cells: { directory }, vault }: Platform, cell: NewCell): Promise<void> {
  const admitting = { database: directory.database, vault };
  refuse(cell.name, await addressFaults(admitting, cell));
  await changeAddress(admitting, cell);
}

function refuse(name: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`The database cannot be the cell ${name}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
}

/** The cells with what is in them, as text or as JSON. */
export async function listCells(platform: Platform, isJson: boolean): Promise<string> {
  const states = new Map(platform.cells.listed.map(({ name, state }) => [name, state]));
  const rows = (await forEachCell(platform, ({ database }) => figuresOf(database))).map(({ cell, result, failure }) => ({
    name: cell,
    state: failure === undefined ? states.get(cell) : 'away',
    tenants: result?.tenants ?? null,
    bytes: result?.bytes ?? null,
    transfers_per_minute: result === undefined ? null : result.transfers / 10,
  }));
  if (isJson) return JSON.stringify(rows);
  const megabytes = (bytes: number | null) => (bytes === null ? '?' : `${(bytes / 1e6).toFixed(0)} MB`);
  return rows
    .map(
      (row) =>
        `${row.name}  ${row.state}  ${row.tenants ?? '?'} tenants  ${megabytes(row.bytes)}  ${row.transfers_per_minute ?? '?'} transfers/min`,
    )
    .join('\n');
}

/** Lets a cell take no new tenants, or take some again. */
export async function drainCell({ cells: { directory } }: Platform, name: string, state: 'open' | 'drained'): Promise<void> {
  if (!(await directory.setState(name, state))) throw new Error(`there is no cell ${name}`);
}

/** Takes a cell without tenants from the list. Its database stays as it is. */
export async function removeCell({ cells: { directory } }: Platform, name: string): Promise<void> {
  if (name === homeCell) throw new Error(`${homeCell} is where the directory is: it stays`);
  const tenants = await directory.tenantsIn(name);
  if (tenants === undefined) throw new Error(`there is no cell ${name}`);
  if (tenants > 0) throw new Error(`the cell ${name} has ${tenants} tenants: move them first`);
  await directory.remove(name);
}

/** The platform in which a new tenant is made: that of the cell that is named, or of the emptiest one. */
export async function platformForTenant({ cells }: Platform, cell: string | undefined): Promise<Platform> {
  const name = cell ?? (await cells.directory.emptiest());
  if (name === undefined) throw new Error('every cell is drained: none takes new tenants');
  const listed = cells.listed.find((each) => each.name === name);
  if (listed === undefined) throw new Error(`there is no cell ${name}`);
  if (listed.state === 'drained') throw new Error(`the cell ${name} is drained: it takes no new tenants`);
  return cells.named(name);
}

/** What directory and cells do not agree on, in sentences for people. */
export async function checkDirectory(platform: Platform): Promise<string[]> {
  const { directory } = platform.cells;
  const found = await forEachCell(platform, async (there) => {
    const { cell } = there;
    const { unlisted, absent, credentials } = await compareCell(directory.database, there);
    const members = await countUnlisted(there);
    return [
      ...unlisted.map((id) => `tenant ${id} is in the cell ${cell}, and the directory does not say so`),
      ...absent.map((id) => `tenant ${id} is not in the cell ${cell}, where the directory has it`),
      ...(credentials > 0 ? [`${credentials} credentials of the cell ${cell} are not in the directory`] : []),
      ...(members > 0 ? [`the e-mails of ${members} members of the cell ${cell} are not in the directory`] : []),
    ];
  });
  return found.flatMap(({ cell, result, failure }) => result ?? [`the cell ${cell} could not be asked: ${failure}`]);
}

// What RAILS_FILE gives to a process. One without the file knows no rail of production, and loads nothing for them.
import type { Platform } from '../../platform/ctx.js';
import type { Extension, Extensions } from '../../platform/extension.js';
import { rails } from '../settlement/rail/rail.js';
import { railNames } from '../transfers/rail.js';
import { configuredRails } from './configured-rails.js';
import { connector } from './connector.js';
import { railKinds } from './rail-kind.js';

/** What the file of a process gives to its contexts. Throws with all that is wrong in it. */
export async function readConfigured({ railsFile, variable }: Platform['config'], extensions: Extensions): Promise<readonly Extension[]> {
  if (railsFile === null) return [];
  const { readRailsFile } = await import('./rails-file.js');
  const { operator, rails: read } = await readRailsFile(railsFile, extensions.of(railKinds), variable);
  return [
    configuredRails.with({ operator, byName: new Map(read.map((rail) => [rail.name, rail])) }),
    railNames.with(Object.fromEntries(read.map(({ name, currency }) => [name, currency]))),
    rails.with(read.map((rail) => ({ environment: 'live', name: rail.name, provider: connector(rail) }))),
    ...read.flatMap((rail) => rail.extensions),
  ];
}

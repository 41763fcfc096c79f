// `cli migrate`: applies what is missing in every cell, or says with --plan what that would be and which locks it takes.
import { parseArgs } from 'node:util';
import { homeCell } from '../platform/cell/cells.js';
import { forEachCell, migrateOthers } from '../platform/cell/every-cell.js';
import type { Platform } from '../platform/ctx.js';
import { openRunningData, type ReadyConfig } from '../platform/data-home.js';
import { createLogger } from '../platform/log.js';
import { migrate } from '../platform/postgres/migration.js';
import { migrationPlan, type PlannedStep } from '../platform/postgres/migration-plan.js';
import { closePlatform, openPlatform } from '../server.js';
import { flag, ofData, say, settingsOf } from './argument.js';

interface CellPlan {
  cell: string;
  steps: PlannedStep[];
  failure?: string | undefined;
}

/** Opens the platform as it is: what is missing stays so. */
async function withCells<T>(config: ReadyConfig, work: (platform: Platform) => Promise<T>): Promise<T> {
  const platform = await openPlatform({ config, log: createLogger('warn') });
  try {
    return await work(platform);
  } finally {
    await closePlatform(platform);
  }
}

/** The plans of all cells. Before the tables of cells are there, there is one. */
async function plansOf(config: ReadyConfig): Promise<CellPlan[]> {
  const home = { cell: homeCell, steps: await migrationPlan(config.databaseUrl) };
  const isNew = home.steps.some(({ name }) => name.endsWith('_cells'));
  if (isNew) return [home];
  const others = await withCells(config, (platform) =>
    forEachCell(platform, async ({ cell, database }) =>
      cell === homeCell ? [] : migrationPlan(database.url, { directoryUrl: config.databaseUrl }),
    ),
  );
  return [
    home,
    ...others.filter(({ cell }) => cell !== homeCell).map(({ cell, result = [], failure }) => ({ cell, steps: result, failure })),
  ];
}

function textOf({ name, kind, version, tables, unknown, waitsFor }: PlannedStep): string {
  const locks = [
    ...tables.map(({ table, mode, isLong }) => `    ${mode} on ${table}${isLong === true ? ', while all rows are read or written' : ''}`),
    ...unknown.map((type) => `    unknown: what ${type} locks is not known`),
    ...waitsFor.map((what) => `    waits for ${what}`),
  ];
  const kindText = version === undefined ? kind : `${kind} ${version}`;
  return [
    `${kindText.padEnd(16)}${name}`,
    ...(tables.length + unknown.length === 0 ? ['    no lock on a table that is there'] : []),
    ...locks,
  ].join('\n');
}

/** As JSON: names as on the wire. */
const jsonOf = ({ name, kind, version, tables, unknown, waitsFor }: PlannedStep) => ({
  name,
  kind,
  ...(version !== undefined && { version }),
  locks: tables.map(({ table, mode, isLong = false }) => ({ table, mode, long: isLong })),
  unknown,
  waits_for: waitsFor,
});

async function showPlan(config: ReadyConfig, asJson: boolean): Promise<void> {
  const plans = await plansOf(config);
  if (plans.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  if (asJson) {
    say(JSON.stringify({ cells: plans.map(({ cell, steps, failure = null }) => ({ cell, steps: steps.map(jsonOf), failure })) }));
    return;
  }
  const lines = plans.flatMap(({ cell, steps, failure }) => [
    ...(plans.length > 1 && steps.length > 0 ? [`${cell}:`] : []),
    ...steps.map(textOf),
    ...(failure === undefined ? [] : [`${cell}: FAILED ${failure}`]),
  ]);
  say(lines.length === 0 ? 'Nothing to apply.' : lines.join('\n'));
}

async function migrateAll(config: ReadyConfig, asJson: boolean): Promise<void> {
  const options = { onRetry: (text: string) => void process.stderr.write(`${text}\n`) };
  const home = { cell: homeCell, applied: await migrate(config.databaseUrl, options), failure: undefined };
  const others = await withCells(config, (platform) => migrateOthers(platform, options));
  const cells = [home, ...others.map(({ cell, result = [], failure }) => ({ cell, applied: result, failure }))];
  const waiting = (await plansOf(config)).flatMap(({ cell, steps }) => steps.map((step) => ({ cell, ...step })));
  if (cells.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  if (asJson) {
    const ofCells = cells.map(({ cell, applied, failure = null }) => ({ cell, applied, failure }));
    say(JSON.stringify({ cells: ofCells, waiting: waiting.map(({ cell, ...step }) => ({ cell, ...jsonOf(step) })) }));
    return;
  }
  const prefix = (cell: string) => (cell === homeCell ? '' : `${cell}: `);
  const lines = cells.flatMap(({ cell, applied, failure }) => [
    ...applied.map((name) => `${prefix(cell)}applied ${name}`),
    ...(failure === undefined ? [] : [`${prefix(cell)}FAILED ${failure}`]),
  ]);
  say(lines.length === 0 ? 'Nothing to apply.' : lines.join('\n'));
  for (const { cell, ...step } of waiting) say(`${prefix(cell)}left for a later run: ${textOf(step)}`);
}

export const migrateCommands = {
  migrate: async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, plan: flag, json: flag } });
    const { config } = await openRunningData(settingsOf(values));
    await (values.plan === true ? showPlan : migrateAll)(config, values.json === true);
  },
};

// The command that lets a chain be read again after deep blocks were taken back.
import { parseArgs } from 'node:util';
import { standingOf } from '../contexts/rails/rail-state.sql.js';
import { flag, ofData, required, say, settingsOf, text } from './argument.js';
import { railsNamed } from './rails-command.js';
import { withPlatform } from './with-platform.js';

const options = { ...ofData, from: text, yes: flag, json: flag } as const;

/** Reads on from the last block that is in the chain, or from the one that is named. The rail stays off. */
export async function resumeReading(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const name = required(positionals[0], 'the name of the rail');
  if (values.from !== undefined && !/^\d{1,15}$/.test(values.from)) throw new Error('--from must be the number of a block');
  if (values.yes !== true)
    throw new Error('Look first at what was booked by the blocks that are gone (docs/runbooks/DeepReorg.md), and say --yes.');
  await withPlatform(settingsOf(values), async (platform) => {
    const [rail] = railsNamed(platform, name);
    if (rail?.resumeReading === undefined) throw new Error(`${name} reads no blocks`);
    const { status } = await standingOf(platform.database.pool, name);
    if (status !== 'off') throw new Error(`${name} is ${status}: switch it off first`);
    const { block, booked } = await rail.resumeReading(platform, values.from === undefined ? null : BigInt(values.from));
    if (values.json) return say(JSON.stringify({ rail: name, block, booked }));
    say(`${name} is read again from block ${block}. It stays off.`);
    if (booked.length > 0) say(`Booked by blocks that are gone, look at each:\n${booked.map((what) => `  ${what}`).join('\n')}`);
  });
}

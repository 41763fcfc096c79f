// A process that hears events until it is ended, and says when it does. With `hang` it never ends its first transaction, so that it can
// be killed in it.
import { setTimeout as pause } from 'node:timers/promises';
import { Listening } from '../../src/events/listener.js';
import { createLogger } from '../../src/platform/log.js';
import { openDatabase } from '../../src/platform/postgres/database.js';
import { tallyListener } from './tally.js';

const [url = '', mode] = process.argv.slice(2);
const log = createLogger('fatal');
const database = openDatabase(url, { poolSize: 2, log });
const report = (text: string): void => void process.send?.(text);
const hang = async (): Promise<void> => {
  report('hanging');
  await pause(2 ** 30);
};
const listening = new Listening({ database, log }, tallyListener('tally', mode === 'hang' ? hang : undefined));
if (mode !== 'hang') report('hearing');
for (;;) {
  await listening.drain();
  await pause(20);
}

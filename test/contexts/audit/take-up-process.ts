// A process that publishes lines of the audit log and makes leaves of them, until it is ended. With `hang` it never commits its first round, so
// that it can be killed in it.
import { setTimeout as pause } from 'node:timers/promises';
import { takeUpLines } from '../../../src/contexts/audit/take-up.js';
import { Listening } from '../../../src/events/listener.js';
import { createLogger } from '../../../src/platform/log.js';
import { openDatabase } from '../../../src/platform/postgres/database.js';

const [url = '', mode] = process.argv.slice(2);
const log = createLogger('fatal');
const database = openDatabase(url, { poolSize: 2, log });
const report = (text: string): void => void process.send?.(text);
const hanging = {
  ...takeUpLines,
  async hear(...args: Parameters<typeof takeUpLines.hear>) {
    await takeUpLines.hear(...args);
    report('hanging');
    await pause(2 ** 30);
  },
};
const listening = new Listening({ database, log }, mode === 'hang' ? hanging : takeUpLines);
if (mode !== 'hang') report('working');
for (;;) {
  await database.pool.query('SELECT FROM publish_outbox(clock_timestamp(), NULL, 7, 0, 0, 1, NULL)');
  await listening.drain();
  await pause(2);
}

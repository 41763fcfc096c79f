// A process that chains lines of the audit log until it is ended. With `hang` it never commits its first step, so that it can be killed in
// it.
import { setTimeout as pause } from 'node:timers/promises';
import { chainLines } from '../../../src/contexts/audit/chain.sql.js';
import { createLogger } from '../../../src/platform/log.js';
import { inTransaction, openDatabase } from '../../../src/platform/postgres/database.js';

const [url = '', mode] = process.argv.slice(2);
const { pool } = openDatabase(url, { poolSize: 2, log: createLogger('fatal') });
const report = (text: string): void => void process.send?.(text);
if (mode === 'hang') {
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT * FROM chain_audit(7, 0, NULL, false)');
    report('hanging');
    await pause(2 ** 30);
  });
}
report('chaining');
for (;;) {
  await chainLines(pool, { most: 7 });
  await pause(2);
}

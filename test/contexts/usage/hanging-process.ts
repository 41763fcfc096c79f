// A process that hears what usage follows, and hangs after it has written the first stretch, so that it can be killed in the middle.
import { setTimeout as pause } from 'node:timers/promises';
import { usageListener } from '../../../src/contexts/usage/rollup.sql.js';
import { Listening } from '../../../src/events/listener.js';
import { createLogger } from '../../../src/platform/log.js';
import { openDatabase } from '../../../src/platform/postgres/database.js';

const log = createLogger('fatal');
const database = openDatabase(process.argv[2] ?? '', { poolSize: 2, log });
const listening = new Listening(
  { database, log },
  {
    ...usageListener,
    async hear(tx, stretch) {
      await usageListener.hear(tx, stretch);
      process.send?.('written');
      await pause(2 ** 30);
    },
  },
);
await listening.drain();

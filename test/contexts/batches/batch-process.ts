// A process of the platform that carries due batches out at a given time, so that it can be killed in the middle.
import { loadConfig } from '../../../src/config.js';
import { manifest } from '../../../src/contexts.js';
import { runDue } from '../../../src/platform/due/due-table.js';
import { createLogger } from '../../../src/platform/log.js';
import { openPlatform } from '../../../src/server.js';

const [databaseUrl = '', secretsKey = '', at = ''] = process.argv.slice(2);
const config = loadConfig({ DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey, PORT: '0', SANDBOX_PORT: '0' });
const clock = { now: () => new Date(at) };
const platform = await openPlatform({ config: { ...config, databaseUrl, secretsKey }, log: createLogger('fatal'), clock });
process.send?.('ready');
await runDue(
  platform,
  manifest.due.filter(({ table }) => table === 'batch'),
);
process.send?.('done');

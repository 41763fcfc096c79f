// A second process of the platform under test, as far as it has anything of its own: connections, caches, timers and listeners.
import type { Config } from '../src/config.js';
import { createLogger, type Logger } from '../src/platform/log.js';
import { type RunningServer, startServer } from '../src/server.js';
import type { Harness } from './harness.js';

/** Starts it, on the database of the harness and by its clock. `own`: settings of its own. Whoever starts it stops it. */
export function startSecond(
  { platform, clock }: Harness,
  log: Logger = createLogger('fatal'),
  own: Partial<Config> = {},
): Promise<RunningServer> {
  const { databaseUrl, secretsKey } = platform.config;
  if (databaseUrl === null || secretsKey === null) throw new Error('the harness has a database and a key of its own');
  const config = { ...platform.config, ...own, databaseUrl, secretsKey, port: 0, sandboxPort: 0 };
  return startServer({ config, log, clock, pollMs: 0 });
}

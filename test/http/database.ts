// A migrated PostgreSQL of a test file's own.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-server.js';
import { migrate } from '../../src/platform/postgres/migration.js';

export interface TestDatabase {
  url: string;
  stop(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'http-'));
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), durable: false, notice: () => {} });
  await migrate(server.url);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

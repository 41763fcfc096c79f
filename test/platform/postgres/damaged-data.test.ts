// What a person is told whose embedded database is damaged, or whose disk is full.
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embeddedDatabaseUrl, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { explained, startFailure } from '../../../src/platform/postgres/start-failure.js';
import { copyData, type DataDir, prepareData } from '../../process.js';

let folder: string;
let dataDir: string;
let stopped: DataDir;
beforeAll(async () => {
  stopped = await prepareData();
});
afterAll(() => stopped?.remove());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'damaged-data-'));
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'data');
  await copyData(stopped.dataDir, dataDir);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('damaged data', () => {
  it.each([
    ['global/pg_control', 'global/pg_control'],
    ['PG_VERSION', 'PG_VERSION is missing'],
    ['connection.json', 'connection.json is missing'],
    ['global/pg_filenode.map', 'pg_filenode.map'],
  ])('without %s is told in our words, with the files and how to restore them', async (file, fault) => {
    await rename(path.join(dataDir, 'postgres', file), path.join(folder, 'aside'));
    const refused = await startEmbeddedPostgres({ dataDir, durable: false, notice: () => {} }).catch((error: Error) => error.message);
    expect(refused).toContain(`The database in ${path.join(dataDir, 'postgres')} is damaged: `);
    expect(refused).toContain(fault);
    expect(refused).toContain('put your last backup');
    expect(refused).not.toMatch(/initdb|HINT/);
    expect(await embeddedDatabaseUrl(dataDir).catch(() => null)).toBeNull();
  });

  it('a full disk is told as that, whoever met it', async () => {
    const at = { place: path.join(dataDir, 'postgres'), log: path.join(dataDir, 'postgres.log') };
    const byServer = new Error('FATAL:  could not write lock file "postmaster.pid": No space left on device\nHINT:  initdb');
    const byNode = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const byStatement = Object.assign(new Error('could not extend file "base/1/2"'), { code: '53100' });
    for (const error of [byServer, byNode, new Error('Migration x failed', { cause: byStatement })])
      expect(((await explained(error, at)) as Error).message).toMatch(/^The disk that holds .* is full \(\d+ MB are free\)/);
    // Where not even its log can be written, a server ends without a word: /proc has no room.
    const silent = await startFailure('', { place: '/proc/postgres', log: '/proc/postgres.log' });
    expect(silent.message).toMatch(/^The disk that holds \/proc is full \(0 MB are free\)/);
    const other = new Error('something else');
    expect(await explained(other, at)).toBe(other);
  });
});

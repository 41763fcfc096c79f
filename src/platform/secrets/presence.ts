// A process enters itself in the directory every ten seconds, with the keys that it knows, and learns of new ones on the way (CONTRACT.md 24).
import { randomUUID } from 'node:crypto';
import type { Platform } from '../ctx.js';
import { release } from '../postgres/migration-file.js';
import { masterKeysOf, openRing } from './key-ring.js';
import { deleteProcess, writeProcess } from './key-row.js';

/** Milliseconds between two entries. */
const everyMs = 10_000;

/** Enters this process, and goes on until `leave` is called. */
export function enterProcess({ cells, config, vault, log }: Platform): { leave(): Promise<void> } {
  const { pool } = cells.directory.database;
  const settings = { secretsKey: config.secretsKey ?? '', secretsKeysOld: config.secretsKeysOld };
  const id = randomUUID();
  const masters = masterKeysOf(settings).map(({ name }) => name);
  const enter = async () => {
    await openRing(pool, vault, settings);
    await writeProcess(pool, { id, version: release, role: config.role, keyIds: [...masters, ...[...vault.ring.keys.keys()].map(String)] });
  };
  let running = Promise.resolve();
  const round = () => {
    running = enter().catch((error: unknown) => log.warn({ err: error }, 'the process did not enter itself'));
  };
  round();
  const timer = setInterval(round, everyMs).unref();
  return {
    async leave() {
      clearInterval(timer);
      await running;
      await deleteProcess(pool, id).catch(() => {});
    },
  };
}

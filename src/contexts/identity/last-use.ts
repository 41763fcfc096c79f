// When a credential was last used, to the minute. Written beside the requests and in groups: nobody waits for it, and no request
// fails with it.

import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { Batch } from '../../platform/statement-batch.js';
import { everySeconds, type Use, type UsedTable, writeUses } from './last-use.sql.js';

/** A credential that a process keeps, with the last use that the process knows of. */
export interface Used {
  id: string;
  workspaceId: string;
  lastUsedAt: Date | null;
}

const mostWaiting = 10_000;

type Writers = Record<UsedTable, Batch<Use, void>>;
const writers = new WeakMap<Platform, Writers>();

/** Notes a use of a row of `table`, from `ip`, at most once a minute; one that finds too many waiting is left out. */
export function noteUse(platform: Platform, table: UsedTable, used: Used, ip: string | null = null): void {
  const at = platform.clock.now();
  if (used.lastUsedAt !== null && used.lastUsedAt > addSeconds(at, -everySeconds)) return;
  used.lastUsedAt = at;
  const writer = writersOf(platform)[table];
  if (writer.length < mostWaiting) void writer.add({ workspaceId: used.workspaceId, id: used.id, at, ip });
}

function writersOf(platform: Platform): Writers {
  let made = writers.get(platform);
  if (made === undefined) {
    made = {
      api_key: writerOf(platform, 'api_key'),
      agent_session: writerOf(platform, 'agent_session'),
      agent_token: writerOf(platform, 'agent_token'),
      connection: writerOf(platform, 'connection'),
    };
    writers.set(platform, made);
  }
  return made;
}

function writerOf({ database, log }: Platform, table: UsedTable): Batch<Use, void> {
  return new Batch<Use, void>(async (uses) => {
    await writeUses(database.pool, table, uses).catch((error: unknown) =>
      log.warn({ err: error, table, count: uses.length }, 'the last use of credentials was not written'),
    );
    return [];
  });
}

// How the platform itself switches a rail off.
import type { Platform } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { operatorWorkspace } from './operator.js';
import { lockStanding, standingOf, writeStatus } from './rail-state.sql.js';
import { switchRail } from './switch.js';

/** Switches a rail off that must not go on, such as when somebody else uses its key. Does nothing where it is off. */
export async function stopRail(platform: Platform, rail: string, reason: string): Promise<void> {
  const { pool } = platform.database;
  if ((await standingOf(pool, rail)).status === 'off') return;
  platform.log.error({ rail, reason }, 'the platform switches a rail off');
  const workspace = await operatorWorkspace(platform);
  if (workspace === null) {
    await inTransaction(pool, async (tx) => {
      const { restoredAt } = await lockStanding(tx, rail);
      await writeStatus(tx, { rail, to: 'off', reason, at: platform.clock.now(), restoredAt });
    });
    return;
  }
  const ctx = systemCtx(platform, workspace, { action: 'switchRail', resourceType: 'rail_switch' });
  await switchRail(ctx, { rail, to: 'off', reason });
}

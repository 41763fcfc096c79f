// What is written when a rail is switched, by whomever: its state, the record of it, and the event, in one transaction.
import type pg from 'pg';
import type { RailSwitch } from '../../generated/prisma/client.js';
import { printActor } from '../../platform/actor.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { transact } from '../../platform/idempotency.js';
import { inTransaction, type Tx } from '../../platform/postgres/database.js';
import { newId, printId } from '../../platform/schema/id.js';
import { emit } from './events.js';
import { operatorWorkspace } from './operator.js';
import { lockStanding, type RailStanding, type Switched, standingOf, writeStatus } from './rail-state.sql.js';

/** Why a rail went off that nobody switched. */
const restoredReason = 'restored';

/** Records a switch in the workspace of the operator. `before` is how the rail stood, under its lock. */
export async function recordSwitch(
  ctx: Ctx,
  tx: Tx,
  before: RailStanding,
  { rail, to, reason, at, restoredAt }: Switched,
): Promise<RailSwitch> {
  await writeStatus(tx, { rail, to, reason, at, restoredAt });
  const data = { id: newId(at), rail, from: before.status, to, reason, by: byOf(ctx), inFlight: [], createdAt: at };
  const row = await tx.railSwitch.create({ data });
  await emit(ctx, tx, 'rail.switched', switchData(row), { at, objectId: null });
  return row;
}

/** Switches rails off because the database was put back; those that are off for that already stay as they are. */
export function putOff(platform: Platform, rails: readonly string[]): Promise<void> {
  const at = platform.clock.now();
  return switchOff(platform, rails, { reason: restoredReason, at, restoredAt: at });
}

/** Switches a rail off that must not go on, such as when somebody else uses its key. Does nothing where it is off. */
export async function stopRail(platform: Platform, rail: string, reason: string): Promise<void> {
  if ((await standingOf(platform.database.pool, rail)).status === 'off') return;
  platform.log.error({ rail, reason }, 'the platform switches a rail off');
  await switchOff(platform, [rail], { reason, at: platform.clock.now(), restoredAt: null });
}

async function switchOff(
  platform: Platform,
  rails: readonly string[],
  { reason, at, restoredAt: since }: Pick<Switched, 'reason' | 'at' | 'restoredAt'>,
): Promise<void> {
  const { pool } = platform.database;
  const workspace = await operatorWorkspace(platform);
  for (const rail of rails) {
    const { status, restoredAt } = await standingOf(pool, rail);
    if (status === 'off' && restoredAt !== null) continue;
    const switched: Switched = { rail, to: 'off', reason, at, restoredAt: since };
    if (workspace === null) await inTransaction(pool, (tx) => putOffUnrecorded(tx, switched));
    else {
      const ctx = systemCtx(platform, workspace, { action: 'switchRail', resourceType: 'rail_switch' });
      await transact(ctx, async (tx) => recordSwitch(ctx, tx, await lockStanding(tx, rail), switched));
    }
  }
}

/** Nobody is known to run the platform: there is no workspace for the record. */
async function putOffUnrecorded(tx: pg.ClientBase, switched: Switched): Promise<void> {
  await lockStanding(tx, switched.rail);
  await writeStatus(tx, switched);
}

/** Who switches, as the wire has it. */
function byOf({ actor }: Ctx): string {
  return actor.type === 'system' ? 'system' : printActor(actor.type, actor.id);
}

function switchData({ id, rail, from, to, reason, by, createdAt }: RailSwitch) {
  return { switch_id: printId('railSwitch', id), rail, from, to, reason, by: by === 'system' ? null : by, at: createdAt.toISOString() };
}

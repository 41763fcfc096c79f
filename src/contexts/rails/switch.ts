// The switch of a rail. `on` takes new orders, `draining` finishes those that it has, `off` lets nothing leave (CONTRACT.md 27 "Switch").
import { setTimeout as pause } from 'node:timers/promises';
import type { RailStatus, RailSwitch } from '../../generated/prisma/client.js';
import { printActor } from '../../platform/actor.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { hasScope, requireScope } from '../../platform/schema/audience.js';
import { newId, printId } from '../../platform/schema/id.js';
import { requireStepUp } from '../../platform/step-up.js';
import { configuredRail } from './configured-rails.js';
import { sendingMs } from './departure.js';
import { RailUnexamined } from './errors.js';
import { emit } from './events.js';
import { isOperator } from './operator.js';
import type { ConfiguredRail } from './rail-kind.js';
import { departuresOf, lockStanding, type RailStanding, standingOf, writeStatus } from './rail-state.sql.js';
import { restoredReason } from './restored.js';

export interface SwitchInput {
  rail: string;
  to: RailStatus;
  reason: string;
}

/** What only the command line says. */
export interface SwitchOptions {
  /** Switches on what no doctor has passed; it is written down. */
  force?: boolean;
  /** A person has seen what was waiting when the database was put back. */
  hasSeen?: boolean;
}

/** A doctor's word is good for a day. */
const examinedSeconds = 86_400;
const pollMs = 50;

/**
 * Switches a rail, and answers when nothing is being sent any more that the switch stops; after ten seconds with what still is. 403 but for
 * the operator, 404 for a rail that is not configured, 409 `rail_unexamined`, 409 for a rail that went off when the database was put back.
 */
export async function switchRail(ctx: Ctx, input: SwitchInput, options: SwitchOptions = {}): Promise<RailSwitch> {
  const rail = await allowed(ctx, input);
  const switched = await transact(ctx, async (tx) => {
    const before = await lockStanding(tx, rail.name);
    if (input.to === 'on') checkOn(rail, before, ctx.platform.clock.now(), options);
    const reason = options.force === true ? `${input.reason} (by force)` : input.reason;
    const at = ctx.platform.clock.now();
    await writeStatus(tx, rail.name, { status: input.to, reason, at });
    const data = { id: newId(at), rail: rail.name, from: before.status, to: input.to, reason, by: byOf(ctx), inFlight: [], createdAt: at };
    const row = await tx.railSwitch.create({ data });
    await emit(ctx, tx, 'rail.switched', switchData(row), { at, objectId: null });
    return row;
  });
  return input.to === 'off' ? waitForSending(ctx, switched) : switched;
}

/** The switch of a repeated request. */
export async function switchById({ db }: Ctx, id: string): Promise<RailSwitch> {
  return db.railSwitch.findFirstOrThrow({ where: { id } });
}

async function allowed(ctx: Ctx, { rail: name, to }: SwitchInput): Promise<ConfiguredRail> {
  if (!(await isOperator(ctx))) throw new Forbidden('Rails are switched by who runs the platform, in production.');
  if (to !== 'off' || !hasScope(ctx.actor, 'freeze:write')) requireScope(ctx.actor, 'rails:write');
  if (to === 'on') requireStepUp(ctx);
  const rail = configuredRail(ctx, name);
  if (rail === undefined) throw new NotFound();
  return rail;
}

function checkOn(rail: ConfiguredRail, before: RailStanding, at: Date, { force, hasSeen }: SwitchOptions): void {
  const { passedDigest, passedAt } = before;
  const isExamined = passedDigest === rail.digest && passedAt !== null && passedAt >= addSeconds(at, -examinedSeconds);
  if (!isExamined && force !== true) throw new RailUnexamined(rail.name);
  if (before.status === 'off' && before.reason === restoredReason && hasSeen !== true) {
    const help = { rel: 'switch_on', actor: 'operator', command: `rails on ${rail.name}` } as const;
    throw new StateConflict(
      'The database was put back. Look at what was waiting, and switch the rail on at the command line.',
      'off',
      ['off'],
      {
        next_actions: [help],
      },
    );
  }
}

/** Who switches, as the wire has it. */
function byOf({ actor }: Ctx): string {
  return actor.type === 'system' ? 'system' : printActor(actor.type, actor.id);
}

/** The switch as an event has it. */
export function switchData({ id, rail, from, to, reason, by, createdAt }: RailSwitch) {
  return { switch_id: printId('railSwitch', id), rail, from, to, reason, by: by === 'system' ? null : by, at: createdAt.toISOString() };
}

/** Waits until nothing is being sent by the rail, at most ten seconds; then what still is stands in the switch. */
async function waitForSending(ctx: Ctx, row: RailSwitch): Promise<RailSwitch> {
  const { pool } = ctx.platform.database;
  const end = performance.now() + sendingMs;
  let sending = await departuresOf(pool, row.rail);
  while (sending.length > 0 && performance.now() < end) {
    await pause(pollMs);
    sending = await departuresOf(pool, row.rail);
  }
  if (sending.length === 0) return row;
  return ctx.db.railSwitch.update({ where: rowKey(ctx, row.id), data: { inFlight: sending } });
}

/** How a rail stands, as this process has last heard: a change is heard at once, and a process that hears nothing asks. */
export async function keptStanding({ platform }: Pick<Ctx, 'platform'>, rail: string): Promise<RailStanding> {
  const tag = `rail:${rail}`;
  return platform.cache.get(tag, async () => ({ value: await standingOf(platform.database.pool, rail), tags: [tag] }));
}

// The switch of a rail. `on` takes new orders, `draining` finishes those that it has, `off` lets nothing leave (CONTRACT.md 27 "Switch").
import { setTimeout as pause } from 'node:timers/promises';
import type { RailStatus, RailSwitch } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { hasScope, requireScope } from '../../platform/schema/audience.js';
import { requireStepUp } from '../../platform/step-up.js';
import { configuredRail } from './configured-rails.js';
import { sendingMs } from './departure.js';
import { RailUnexamined } from './errors.js';
import { isOperator } from './operator.js';
import type { ConfiguredRail } from './rail-kind.js';
import { departuresOf, lockStanding, type RailStanding, standingOf } from './rail-state.sql.js';
import { compareKnown } from './restored.js';
import { recordSwitch } from './switch-record.js';

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
  await compareKnown(ctx.platform);
  const switched = await transact(ctx, async (tx) => {
    const before = await lockStanding(tx, rail.name);
    const isOpening = input.to === 'on' || (input.to === 'draining' && before.status === 'off');
    if (isOpening) requireStepUp(ctx);
    if (isOpening) checkOpening(rail, before, ctx.platform.clock.now(), options);
    const reason = options.force === true ? `${input.reason} (by force)` : input.reason;
    const restoredAt = input.to === 'off' ? before.restoredAt : null;
    return recordSwitch(ctx, tx, before, { rail: rail.name, to: input.to, reason, at: ctx.platform.clock.now(), restoredAt });
  });
  await compareKnown(ctx.platform);
  return input.to === 'off' ? waitForSending(ctx, switched) : switched;
}

/** The switch of a repeated request. */
export async function switchById({ db }: Ctx, id: string): Promise<RailSwitch> {
  return db.railSwitch.findFirstOrThrow({ where: { id } });
}

async function allowed(ctx: Ctx, { rail: name, to }: SwitchInput): Promise<ConfiguredRail> {
  if (!(await isOperator(ctx))) throw new Forbidden('Rails are switched by who runs the platform, in production.');
  if (to !== 'off' || !hasScope(ctx.actor, 'freeze:write')) requireScope(ctx.actor, 'rails:write');
  const rail = configuredRail(ctx, name);
  if (rail === undefined) throw new NotFound();
  return rail;
}

// Gap G-841: From `off` to `draining` money leaves again, so it asks for all that `on` asks for.
function checkOpening(rail: ConfiguredRail, before: RailStanding, at: Date, { force, hasSeen }: SwitchOptions): void {
  const { passedDigest, passedAt } = before;
  const isExamined = passedDigest === rail.digest && passedAt !== null && passedAt >= addSeconds(at, -examinedSeconds);
  if (before.restoredAt !== null && hasSeen !== true) {
    const help = { rel: 'switch_on', actor: 'operator', command: `rails on ${rail.name}` } as const;
    const message = 'The database was put back. Look at what was waiting, and switch the rail on at the command line.';
    throw new StateConflict(message, 'off', ['off'], { next_actions: [help] });
  }
  if (!isExamined && force !== true) throw new RailUnexamined(rail.name);
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

// The test clock: the time of a sandbox is moved forward, and everything that becomes due meanwhile happens in the order of its time
// (CONTRACT.md 19).
import { setTimeout as wait } from 'node:timers/promises';
import { addSeconds, maxAdvanceSeconds } from '../../platform/clock.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { hasUnpublished, moveClock, movingClocks, nextDue, stopClock, timelineOf } from '../../platform/due/workspace-clock.js';
import { StateConflict, TestModeOnly, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { AdvanceClockInput } from './sandbox.input.js';

export interface TestClock {
  workspaceId: string;
  now: Date;
  /** Where it is going while it is being advanced. */
  target: Date | null;
  status: 'ready' | 'advancing';
}

/** Throws 403 `test_mode_only` in production. */
export function requireTestMode({ workspace }: Ctx): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Only the sandbox has a test clock and test events.');
}

/** The clock of the workspace. 403 `test_mode_only`. */
export async function testClock(ctx: Ctx): Promise<TestClock> {
  requireTestMode(ctx);
  const { now, target } = await timelineOf(ctx.platform, ctx.workspace.id);
  return { workspaceId: ctx.workspace.id, now, target, status: target === null ? 'ready' : 'advancing' };
}

/** Gap G-78: After 10 s the answer is `advancing` and the clock goes on; a second advance meanwhile is 409. */
const answerAfterMs = 10_000;

/**
 * Moves the clock on by `seconds` or to an instant, one of which is given: at most five years. Answers when it has arrived, or
 * while it is still `advancing`. 403 `test_mode_only`, 400, 409 `state_conflict` while an earlier advance is under way.
 */
export async function advanceClock(ctx: Ctx, input: AdvanceClockInput): Promise<TestClock> {
  requireTestMode(ctx);
  const { id } = ctx.workspace;
  const { now } = await timelineOf(ctx.platform, id);
  const target = targetOf(now, input);
  await transact(
    ctx,
    async (tx) => {
      const { count } = await tx.workspace.updateMany({ where: { id, clockTarget: null }, data: { clockTarget: target } });
      if (count === 0) {
        throw new StateConflict('The clock is already being advanced.', 'advancing', ['ready'], {
          retry: { safe: true, same_key: true, after_s: 1 },
        });
      }
    },
    () => id,
  );
  const waiting = new AbortController();
  await Promise.race([arriving(ctx.platform, id), wait(answerAfterMs, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
  return testClock(ctx);
}

function targetOf(now: Date, { to, seconds }: AdvanceClockInput): Date {
  const refuse = (path: string, message: string, rule: string): never => {
    throw new ValidationFailed([{ path: [path], message, rule }]);
  };
  if ((to == null) === (seconds == null)) refuse('to', 'give either to or seconds', 'one_of');
  const target = to ?? addSeconds(now, seconds ?? 0);
  if (target <= now) refuse('to', `must be after ${now.toISOString()}: time goes forward only`, 'min');
  if (target > addSeconds(now, maxAdvanceSeconds)) refuse('to', 'is more than five years ahead', 'max');
  return target;
}

/** What another process is busy with is looked at again after this long, and no longer waited for after `patienceMs`. */
const lookAgainMs = 10;
const patienceMs = 60_000;

const processes = new WeakMap<Platform, Map<string, Promise<void>>>();

/** Moves the clock of a workspace to its target; in one process once at a time. Never fails: the sweep resumes it. */
function arriving(platform: Platform, workspaceId: string): Promise<void> {
  const moving = movingIn(platform);
  const known = moving.get(workspaceId);
  if (known !== undefined) return known;
  const arrival = arrive(platform, workspaceId)
    .catch((error) => platform.log.warn({ err: error, workspaceId }, 'a clock stopped before its target; the sweep resumes it'))
    .finally(() => moving.delete(workspaceId));
  moving.set(workspaceId, arrival);
  return arrival;
}

/** The clocks that this process is moving. */
function movingIn(platform: Platform): Map<string, Promise<void>> {
  const known = processes.get(platform) ?? new Map<string, Promise<void>>();
  processes.set(platform, known);
  return known;
}

/**
 * Steps from one due instant to the next until the target: all that is due by an instant has happened, and its events have been
 * published, before the clock moves on. It works on this workspace alone. Several processes may do it at once.
 */
async function arrive(platform: Platform, workspaceId: string): Promise<void> {
  let heldUpSince: number | undefined;
  for (;;) {
    await platform.agenda.settle(workspaceId);
    const { now, target } = await timelineOf(platform, workspaceId);
    if (target === null) return;
    const next = await nextDue(platform, workspaceId);
    const isWorking = (next !== null && next <= now) || (await hasUnpublished(platform, workspaceId));
    const isHeldUp = isWorking || (await platform.agenda.isUnheard(workspaceId));
    heldUpSince = isHeldUp ? (heldUpSince ?? performance.now()) : undefined;
    if (heldUpSince !== undefined && performance.now() - heldUpSince < patienceMs) {
      await wait(lookAgainMs);
      continue;
    }
    if (heldUpSince !== undefined) platform.log.warn({ workspaceId, next }, 'a clock moves on past work that was not finished');
    heldUpSince = undefined;
    if (now >= target) return stopClock(platform, workspaceId, target);
    await moveClock(platform, workspaceId, next !== null && next > now && next < target ? next : target);
  }
}

/** Moves clocks on whose process ended before they arrived, and waits for none of them. Returns how many they are. */
export async function resumeClocks(platform: Platform): Promise<number> {
  const moving = movingIn(platform);
  const stopped = (await movingClocks(platform)).filter((id) => !moving.has(id));
  for (const id of stopped) void arriving(platform, id);
  return stopped.length;
}

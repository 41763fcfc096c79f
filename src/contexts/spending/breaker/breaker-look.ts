// How the runaway breaker works (CONTRACT.md 6): a listener notes the agents that published transfers make suspect, the database those
// that were refused, and a due step looks at each of them and trips the breaker for what its detectors find.
import type { EventListener } from '../../../events/listener.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { goByIndex } from '../../../platform/postgres/lookup-plan.js';
import { postingErrors } from '../pipeline/refusal.js';
import { dropRulebook } from '../pipeline/rules-tag.js';
import { detectors } from './breaker.js';
import { countSpends, detectorsOf, readFailures, readPayments } from './breaker.sql.js';
import { type Detection, holds, lastTrips, tripBreaker } from './breaker-trip.js';
import { baselineSeconds, type Detector, detect, type Seen } from './detector.js';

/** Notes the agents to look at, in workspaces that have detectors. */
export const breakerListener: EventListener = {
  name: 'breaker',
  async hear(tx, stretch) {
    const watching = await detectorsOf(tx, stretch.workspaceId);
    if (watching.length > 0) await countSpends(tx, stretch, watching);
  },
};

/** The due step of a look: trips the breaker for what the detectors find of its agent, and ends every look at it. */
export async function inspectAgent(ctx: Ctx, lookId: string): Promise<void> {
  const tripped = await transact(
    ctx,
    (tx) => look(ctx, tx, lookId),
    () => lookId,
  );
  if (tripped === null) return;
  ctx.platform.cache.drop(`agent:${tripped}`);
  dropRulebook(ctx);
}

/** The agent for which the breaker tripped, or null. */
async function look(ctx: Ctx, tx: Tx, lookId: string): Promise<string | null> {
  const taken = await claimLooks(tx, lookId);
  if (taken === null) return null;
  const { agentId, since } = taken;
  const last = await lastTrips(ctx, tx, agentId);
  const open = (await detectors({ db: tx })).filter(({ kind }) => !holds(last.get(kind), ctx.clock.now()));
  if (open.length === 0) return null;
  const seen = await see(ctx, tx, agentId, since, open);
  const detections = open.flatMap((detector): Detection[] => {
    const evidence = detect(detector, seenAfter(seen, last.get(detector.kind)?.at));
    return evidence === null ? [] : [{ detector, evidence }];
  });
  return (await tripBreaker(ctx, tx, agentId, detections)) ? agentId : null;
}

/** Takes every look at the agent of one of them; null when another process has taken it. What is written after this is looked at later. */
async function claimLooks(tx: Tx, lookId: string): Promise<{ agentId: string; since: Date } | null> {
  const one = await tx.breakerLook.findFirst({ where: { id: lookId }, select: { agentId: true } });
  if (one === null) return null;
  const { agentId } = one;
  const looks = await tx.breakerLook.findMany({ where: { agentId }, select: { id: true, since: true } });
  const { count } = await tx.breakerLook.deleteMany({ where: { agentId, id: { in: looks.map(({ id }) => id) } } });
  if (count === 0) return null;
  return { agentId, since: new Date(Math.min(...looks.map(({ since }) => since.getTime()))) };
}

/** Reads what the detectors ask for. */
async function see(ctx: Ctx, tx: Tx, agentId: string, since: Date, open: readonly Detector[]): Promise<Seen> {
  const { id } = ctx.workspace;
  await goByIndex(tx);
  const has = (kind: Detector['kind']) => open.some((detector) => detector.kind === kind);
  const window = Math.max(60, ...open.map((detector) => ('seconds' in detector ? detector.seconds : 0)));
  const from = addSeconds(since, -window);
  const paying = has('same_payment') || has('ping_pong') || has('rate');
  const minute = { gte: addSeconds(since, -(baselineSeconds + 60)) };
  return {
    payments: paying ? await readPayments(tx, id, agentId, from, has('ping_pong')) : [],
    failures: has('failures') ? await readFailures(tx, id, agentId, from, refusalCodes) : [],
    minutes: has('rate') ? await readMinutes(tx, agentId, minute) : [],
    since,
  };
}

const refusalCodes = postingErrors.map(({ code }) => code);

async function readMinutes(tx: Tx, agentId: string, minute: { gte: Date }): Promise<Seen['minutes']> {
  const rows = await tx.spendMinute.findMany({ where: { agentId, minute }, orderBy: { minute: 'asc' } });
  return rows.map(({ minute: start, spends }) => ({ start, spends }));
}

/** What came after a trip: what it has seen is not counted again. */
function seenAfter(seen: Seen, at: Date | undefined): Seen {
  if (at === undefined) return seen;
  const isLater = (one: { at: Date }) => one.at > at;
  const since = seen.since > at ? seen.since : at;
  return { ...seen, payments: seen.payments.filter(isLater), failures: seen.failures.filter(isLater), since };
}

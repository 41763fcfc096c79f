// How an endpoint proves itself: its challenge is posted after the subscription was made, or its URL changed, and again while no good
// answer came (decision 0046). The row of the subscription is the job; it also lets go what waits at a gate that does not count any more.
import type { Webhook } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { answersChallenge, newChallenge } from './challenge.js';
import { gateOf, mayChallenge } from './gate.js';
import { releaseDeliveries } from './gate.sql.js';
import { retrySchedule } from './retry.js';
import { lockWebhook, mayBePrivate, secretsOf, webhook } from './webhook.js';

/** Gap G-410: Challenges are sent after a second, then 1, 5 and 15 minutes after each that was not answered, in workspace time. */
const waits = retrySchedule.slice(0, 3);
/** Deliveries that one step lets go. */
const mostReleased = 1_000;

/** Posts a challenge, which is not signed and no event. True for the right answer, in a success. Redirects are not followed. */
async function postChallenge(ctx: Ctx, row: Webhook): Promise<boolean> {
  if (!(await mayChallenge(ctx, row.url))) return false;
  const { clock, outbound } = ctx.platform;
  const [secret = '', ...before] = secretsOf(ctx, row)();
  const challenge = newChallenge(secret, ...before);
  const at = clock.now();
  const id = printId('event', newId(at));
  const body = JSON.stringify({ id, type: 'webhook.verification', timestamp: ctx.clock.now().toISOString(), data: { challenge } });
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'agent-payments-webhooks/1',
    'X-Svc-Event-Id': id,
    'X-Svc-Delivery-Id': printId('attempt', newId(at)),
    'X-Svc-Webhook-Id': printId('webhook', row.id),
  };
  const sender = { workspaceId: ctx.workspace.id, mayBePrivate: mayBePrivate(ctx) };
  const { status, body: answer, isCut } = await outbound.post(row.url, { ...sender, headers, body });
  return status !== null && status >= 200 && status < 300 && !isCut && answersChallenge(challenge, answer);
}

/** Writes that the endpoint of `row` has proved itself, unless its URL was changed meanwhile. What waits goes at once. */
function noteProof(ctx: Ctx, { id, url }: Webhook): Promise<number> {
  const at = ctx.clock.now();
  return transact(
    ctx,
    async (tx) => {
      const data = { verifiedAt: ctx.platform.clock.now(), verifiedUntil: null, dueAt: at, leaseUntil: null, updatedAt: at };
      const { count } = await tx.webhook.updateMany({ where: { id, url, deletedAt: null, verifiedAt: null }, data });
      return count;
    },
    () => id,
  );
}

/** What becomes due of a subscription: letting go what waits for nothing any more, then a challenge. */
export async function stepWebhook(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.webhook.findFirst({ where: { id } });
  if (row === null) return;
  if (!(await release(ctx, row))) return plan(ctx, row, { dueAt: ctx.clock.now() });
  if (!isActive(row) || row.verifiedAt !== null || row.asked > waits.length) return plan(ctx, row, { dueAt: null });
  if ((await postChallenge(ctx, row)) && (await noteProof(ctx, row)) > 0) return ringAt(ctx, 'webhook', ctx.clock.now());
  const wait = waits[row.asked];
  await plan(ctx, row, { asked: row.asked + 1, dueAt: wait === undefined ? null : addSeconds(ctx.clock.now(), wait) });
}

const isActive = ({ status, deletedAt }: Webhook): boolean => status === 'active' && deletedAt === null;

/** Lets go what waits at a gate that does not count any more. False where some of it is left. */
async function release(ctx: Ctx, row: Webhook): Promise<boolean> {
  const gate = isActive(row) ? gateOf(ctx, { webhook: row, overrideUrl: null }) : undefined;
  const freed = await releaseDeliveries(ctx, row.id, gate?.name ?? null, !isActive(row), mostReleased);
  if (freed > 0) ctx.platform.due.ring('webhook_delivery');
  return freed < mostReleased;
}

/** Says when the subscription is due next. What was changed since `row` was read has planned its own. */
async function plan(ctx: Ctx, { id, updatedAt, dueAt }: Webhook, next: { asked?: number; dueAt: Date | null }): Promise<void> {
  const data = { ...next, leaseUntil: null };
  const { count } = await ctx.db.webhook.updateMany({ where: { id, updatedAt, dueAt }, data });
  if (count === 0) await ctx.db.webhook.updateMany({ where: { id }, data: { leaseUntil: null } });
  const at = count === 0 ? ctx.clock.now() : next.dueAt;
  if (at !== null) ringAt(ctx, 'webhook', at);
}

/**
 * Asks the endpoint again, and returns the subscription as it is after the answer. One without a good answer is asked again as after its
 * creation. A subscription that has proved itself is left as it is.
 */
export async function verifyWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const row = await transact(ctx, async (tx) => {
    const before = await lockWebhook(tx, id);
    if (before.verifiedAt !== null) return before;
    const [wait = 0] = waits;
    const at = ctx.clock.now();
    return tx.webhook.update({ where: rowKey(ctx, id), data: { asked: 1, dueAt: addSeconds(at, wait), updatedAt: at } });
  });
  // The step that was due before would have done it. What is left of much goes with the next one.
  if (row.verifiedAt === null && !(await release(ctx, row))) await plan(ctx, row, { dueAt: ctx.clock.now() });
  if (row.verifiedAt === null && (await postChallenge(ctx, row))) {
    // The claim of the request was written with the step before.
    const { idempotency: _, ...asked } = ctx;
    await noteProof({ ...asked, act: null }, row);
    // At once, and not when the step of the row is due: others may hang in theirs.
    await release(ctx, await webhook(ctx, id));
    ctx.platform.due.ring('webhook');
  }
  return webhook(ctx, id);
}

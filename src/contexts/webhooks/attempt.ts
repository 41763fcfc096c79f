// One send of a delivery and what follows from it (SPEC.md "Webhook delivery" and "Events"): delivered, tried again later, or the
// dead-letter queue. Taken in lanes, ten at a time per subscription.
import type { Event, Prisma } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { retrySerialization, type Tx } from '../../platform/database.js';
import { newId, printId } from '../../platform/ids.js';
import type { LaneStep } from '../../platform/lanes.js';
import type { PostResult } from '../../platform/outbound.js';
import { buryDelivery, type Letter, noteTally, type Tally, unsettled } from './dead-letter.js';
import { parseRetryAfter, retryDelaySeconds } from './retry.js';
import { signatureHeader } from './signature.js';
import { mayBePrivate, secretsOf } from './webhook.js';

/** What became of it. Without a `result` nothing was sent: `refusal` says why. */
export interface Outcome {
  letter: Letter;
  attemptId: string;
  startedAt: Date;
  result: PostResult | null;
  refusal: string | null;
}

/**
 * Ids for a list in a query, filled up with the last to one of a few lengths: each length is a statement of its own, that PostgreSQL
 * would parse and every connection would keep.
 */
function listed(ids: Iterable<string>): string[] {
  const list = [...new Set(ids)];
  const length = [1, 8, 64, 512].find((size) => size >= list.length) ?? list.length;
  return list.concat(Array.from({ length: length - list.length }, () => list.at(-1) ?? ''));
}

/** The deliveries that are to be sent, by id. */
export async function letters(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Letter>> {
  const rows = await ctx.db.webhookDelivery.findMany({ where: { id: { in: listed(ids) }, status: 'processing' } });
  if (rows.length === 0) return new Map();
  const [webhooks, events] = await Promise.all([
    ctx.db.webhook.findMany({ where: { id: { in: listed(rows.map(({ webhookId }) => webhookId)) } } }),
    ctx.db.event.findMany({ where: { id: { in: listed(rows.map(({ eventId }) => eventId)) } } }),
  ]);
  const webhookOf = new Map(webhooks.map((row) => [row.id, row]));
  const eventOf = new Map(events.map((row) => [row.id, row]));
  const found = rows.flatMap((row): [string, Letter][] => {
    const [webhook, event] = [webhookOf.get(row.webhookId), eventOf.get(row.eventId)];
    return webhook === undefined || event === undefined ? [] : [[row.id, { ...row, webhook, event }]];
  });
  return new Map(found);
}

/** The body of every send of an event: the same bytes each time. */
export function envelope({ id, type, createdAt, data }: Event): string {
  return JSON.stringify({ id: printId('event', id), type, timestamp: createdAt.toISOString(), data });
}

/**
 * Sends, with a fresh time and attempt id. `always`: to a subscription that is not active too. Undefined when the process ends
 * meanwhile: it is sent again.
 */
export async function send(ctx: Ctx, letter: Letter, always = false): Promise<Outcome | undefined> {
  const { webhook, event } = letter;
  const real = ctx.platform.clock.now();
  const outcome: Outcome = { letter, attemptId: newId(real), startedAt: ctx.clock.now(), result: null, refusal: null };
  const standing = webhook.deletedAt !== null ? 'deleted' : webhook.status;
  if (standing !== 'active' && !always) return { ...outcome, refusal: `subscription_${standing}` };
  const body = Buffer.from(envelope(event));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'agent-payments-webhooks/1',
    'X-Svc-Signature': signatureHeader(body, secretsOf(ctx, webhook), Math.floor(real.getTime() / 1000)),
    'X-Svc-Event-Id': printId('event', event.id),
    'X-Svc-Delivery-Id': printId('attempt', outcome.attemptId),
    'X-Svc-Webhook-Id': printId('webhook', webhook.id),
  };
  const url = letter.overrideUrl ?? webhook.url;
  const result = await ctx.platform.outbound.post(url, { headers, body, mayBePrivate: mayBePrivate(ctx) });
  if (result.abandoned) return undefined;
  return result.refused ? { ...outcome, result, refusal: 'url_refused' } : { ...outcome, result };
}

const arrived = ({ result }: Outcome) => result?.status != null && result.status >= 200 && result.status < 300;

/** Writes what became of sends, in one transaction. A delivery that was settled meanwhile stays as it is. */
export async function record(ctx: Ctx, outcomes: readonly Outcome[]): Promise<void> {
  await retrySerialization(() =>
    ctx.db.$transaction(async (tx) => {
      const tried = outcomes.filter(({ refusal }) => refusal === null);
      if (tried.length > 0) await tx.deliveryAttempt.createMany({ data: tried.map(attemptRow) });
      const good = tried.filter(arrived);
      await recordArrivals(ctx, tx, good);
      const tallies = new Map<string, Tally>();
      const tallyOf = (webhookId: string) => {
        const tally = tallies.get(webhookId) ?? { arrived: false, failed: 0, buried: 0 };
        tallies.set(webhookId, tally);
        return tally;
      };
      for (const outcome of outcomes.filter((one) => !good.includes(one))) {
        const settle = outcome.refusal === null ? recordFailure : recordRefusal;
        await settle(ctx, tx, outcome, tallyOf(outcome.letter.webhookId));
      }
      // An endpoint that had not failed when its letters were loaded, nor now, has nothing to be cleared.
      for (const { letter } of good) {
        if (letter.webhook.failingSince !== null || tallies.has(letter.webhookId)) tallyOf(letter.webhookId).arrived = true;
      }
      // The subscriptions come last and in one order in every process, so that no two wait for each other.
      for (const id of [...tallies.keys()].sort()) await noteTally(ctx, tx, id, tallyOf(id));
    }),
  );
  // Those that did not arrive may have been told of.
  if (!outcomes.every(arrived)) ctx.platform.database.written.ring();
}

function attemptRow({ attemptId, letter, startedAt, result }: Outcome) {
  return {
    id: attemptId,
    deliveryId: letter.id,
    startedAt,
    durationMs: result?.durationMs ?? 0,
    responseCode: result?.status ?? null,
    error: result?.error ?? null,
  };
}

function answerOf({ result }: Outcome) {
  return { lastResponseCode: result?.status ?? null, lastResponseBody: result?.body ?? null, lastError: result?.error ?? null };
}

/** Those that were answered alike are written together. */
async function recordArrivals(ctx: Ctx, tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const alike = new Map<string, { ids: string[]; data: Prisma.WebhookDeliveryUpdateManyMutationInput }>();
  const deliveredAt = ctx.clock.now();
  for (const outcome of outcomes) {
    const { letter, startedAt } = outcome;
    const answer = answerOf(outcome);
    const first = letter.firstAttemptAt === null;
    const key = JSON.stringify([answer, first]);
    const group = alike.get(key) ?? {
      ids: [],
      data: {
        ...answer,
        ...(first && { firstAttemptAt: startedAt }),
        status: 'delivered',
        attemptCount: { increment: 1 },
        deliveredAt,
        dueAt: null,
        leaseUntil: null,
      },
    };
    group.ids.push(letter.id);
    alike.set(key, group);
  }
  for (const { ids, data } of alike.values())
    await tx.webhookDelivery.updateMany({ where: { id: { in: listed(ids) }, status: 'processing' }, data });
}

async function recordFailure(ctx: Ctx, tx: Tx, outcome: Outcome, tally: Tally): Promise<void> {
  const { letter, result, startedAt } = outcome;
  const now = ctx.clock.now();
  const failures = letter.attemptCount + 1;
  const final = failures >= letter.maxAttempts;
  const retryAfter = parseRetryAfter(result?.retryAfter ?? null, ctx.platform.clock.now());
  const dueAt = final ? null : addSeconds(now, retryDelaySeconds(failures, retryAfter, Math.random()));
  const data = {
    ...answerOf(outcome),
    lastError: result?.error ?? `answered ${result?.status}`,
    firstAttemptAt: letter.firstAttemptAt ?? startedAt,
    attemptCount: failures,
    leaseUntil: null,
  };
  if (final) {
    await buryDelivery(ctx, tx, letter, { ...data, dlqReason: 'attempts_exhausted' }, tally);
  } else {
    const { count } = await tx.webhookDelivery.updateMany({ where: unsettled(letter), data: { ...data, status: 'failed', dueAt } });
    tally.failed += count;
  }
}

/** Straight to the dead-letter queue: nothing was sent, nor would be. */
async function recordRefusal(ctx: Ctx, tx: Tx, { letter, result, refusal }: Outcome, tally: Tally): Promise<void> {
  await buryDelivery(ctx, tx, letter, { lastError: result?.error ?? null, dlqReason: refusal, leaseUntil: null }, tally);
}

/** What becomes due: a send, and each one after a failure. */
export const deliveryStep: LaneStep<Letter, Outcome> = {
  table: 'webhook_delivery',
  lane: { column: 'webhook_id', size: 10 },
  onClaim: "status = 'processing'",
  onRelease: "status = (CASE WHEN attempt_count = 0 THEN 'pending' ELSE 'failed' END)::delivery_status",
  load: letters,
  take: (ctx, letter) => send(ctx, letter),
  record,
};

// One send of a delivery and what follows from it (SPEC.md "Webhook delivery" and "Events"): delivered, tried again later, or the
// dead-letter queue. Taken in lanes, ten at a time per subscription.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { retrySerialization, type Tx } from '../../platform/database.js';
import { newId, printId } from '../../platform/ids.js';
import type { LaneStep } from '../../platform/lanes.js';
import type { PostResult } from '../../platform/outbound.js';
import { buryDelivery, type Letter, noteTally, type Tally, unsettled } from './dead-letter.js';
import { type Arrival, loadDue, type ToldEvent, writeArrivals } from './delivery.sql.js';
import { Recipients } from './recipient.js';
import { parseRetryAfter, retryDelaySeconds } from './retry.js';
import { signatureHeader } from './signature.js';
import { mayBePrivate } from './webhook.js';

/** What became of it. Without a `result` nothing was sent: `refusal` says why. */
export interface Outcome {
  letter: Letter;
  attemptId: string;
  startedAt: Date;
  result: PostResult | null;
  refusal: string | null;
}

/** The deliveries that are to be sent, by id. */
export async function letters(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Letter>> {
  const begun = performance.now();
  const { rows, recipients: found, events } = await loadDue(ctx, ids);
  const recipients = new Recipients(ctx, found, begun);
  const bodyOf = new Map(events.map((event) => [event.id, envelope(event)]));
  const byId = new Map<string, Letter>();
  for (const row of rows) {
    const [webhook, body] = [recipients.get(row.webhookId), bodyOf.get(row.eventId)];
    if (webhook !== undefined && body !== undefined) byId.set(row.id, { ...row, webhook, recipients, body });
  }
  return byId;
}

/** The body of every send of an event: the same bytes each time. */
function envelope({ id, type, createdAt, data }: ToldEvent): Buffer {
  return Buffer.from(JSON.stringify({ id: printId('event', id), type, timestamp: createdAt.toISOString(), data }));
}

/**
 * Sends, with a fresh time and attempt id. `always`: to a subscription that is not active too. Undefined when the process ends
 * meanwhile: it is sent again.
 */
export async function send(ctx: Ctx, letter: Letter, always = false): Promise<Outcome | undefined> {
  const { webhook, body } = letter;
  const real = ctx.platform.clock.now();
  const outcome: Outcome = { letter, attemptId: newId(real), startedAt: ctx.clock.now(), result: null, refusal: null };
  const standing = webhook.deletedAt !== null ? 'deleted' : webhook.status;
  if (standing !== 'active' && !always) return { ...outcome, refusal: `subscription_${standing}` };
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'agent-payments-webhooks/1',
    'X-Svc-Signature': signatureHeader(body, webhook.secrets(), Math.floor(real.getTime() / 1000)),
    'X-Svc-Event-Id': printId('event', letter.eventId),
    'X-Svc-Delivery-Id': printId('attempt', outcome.attemptId),
    'X-Svc-Webhook-Id': printId('webhook', webhook.id),
  };
  const url = letter.overrideUrl ?? webhook.url;
  const result = await ctx.platform.outbound.post(url, { headers, body, mayBePrivate: mayBePrivate(ctx) });
  if (result.abandoned) return undefined;
  return result.refused ? { ...outcome, result, refusal: 'url_refused' } : { ...outcome, result };
}

const arrived = ({ result }: Outcome) => result?.status != null && result.status >= 200 && result.status < 300;

/**
 * Writes what became of sends: those that arrived in one statement, the others, and what they mean for their subscriptions, in a
 * transaction. A delivery that was settled meanwhile stays as it is. Written again, arrivals change nothing.
 */
export async function record(ctx: Ctx, outcomes: readonly Outcome[]): Promise<void> {
  const good = outcomes.filter(arrived);
  const others = outcomes.filter((outcome) => !arrived(outcome));
  if (good.length > 0) await retrySerialization(() => writeArrivals(ctx, good.map(arrivalOf)));
  // An endpoint that had not failed when its letters were loaded, nor now, has nothing to be cleared.
  const failing = new Set(others.map(({ letter }) => letter.webhookId));
  const recovered = good.flatMap(({ letter: { webhook } }) =>
    webhook.failingSince !== null || failing.has(webhook.id) ? [webhook.id] : [],
  );
  if (others.length + recovered.length === 0) return;
  await retrySerialization(() => ctx.db.$transaction((tx) => recordOthers(ctx, tx, others, new Set(recovered))));
  // Those that did not arrive may have been told of.
  if (others.length > 0) ctx.platform.database.written.ring();
}

async function recordOthers(ctx: Ctx, tx: Tx, outcomes: readonly Outcome[], recovered: ReadonlySet<string>): Promise<void> {
  const tried = outcomes.filter(({ refusal }) => refusal === null);
  if (tried.length > 0) await tx.deliveryAttempt.createMany({ data: tried.map(attemptRow) });
  const tallies = new Map<string, Tally>();
  const tallyOf = (webhookId: string) => {
    const tally = tallies.get(webhookId) ?? { arrived: recovered.has(webhookId), failed: 0, buried: 0 };
    tallies.set(webhookId, tally);
    return tally;
  };
  for (const id of recovered) tallyOf(id);
  for (const outcome of outcomes) {
    const settle = outcome.refusal === null ? recordFailure : recordRefusal;
    await settle(ctx, tx, outcome, tallyOf(outcome.letter.webhookId));
  }
  // The subscriptions come last and in one order in every process, so that no two wait for each other.
  for (const id of [...tallies.keys()].sort()) await noteTally(ctx, tx, id, tallyOf(id));
}

function arrivalOf({ letter, attemptId, startedAt, result }: Outcome): Arrival {
  return {
    deliveryId: letter.id,
    attemptId,
    startedAt,
    durationMs: result?.durationMs ?? 0,
    responseCode: result?.status ?? 0,
    responseBody: result?.body ?? '',
  };
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

/** Sends in its turn, to the subscription as it is then. Undefined when that cannot be read: it is given back. */
async function sendInTurn(ctx: Ctx, letter: Letter): Promise<Outcome | undefined> {
  const webhook = await letter.recipients.current(letter.webhookId).catch(() => undefined);
  return webhook && send(ctx, { ...letter, webhook });
}

/** What becomes due: a send, and each one after a failure. */
export const deliveryStep: LaneStep<Letter, Outcome> = {
  table: 'webhook_delivery',
  lane: { column: 'webhook_id', size: 10 },
  onClaim: "status = 'processing'",
  onRelease: "status = (CASE WHEN attempt_count = 0 THEN 'pending' ELSE 'failed' END)::delivery_status",
  load: letters,
  take: sendInTurn,
  record,
};

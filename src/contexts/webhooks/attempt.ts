// One send of a delivery and what follows from it (SPEC.md "Webhook delivery" and "Events"): delivered, retried later, or moved to the
// dead-letter queue. A subscription is a lane: at most ten of its deliveries are sent at once.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import type { DueStep } from '../../platform/due/step.js';
import type { SendResult } from '../../platform/outbound/exchange.js';
import type { Tx } from '../../platform/postgres/database.js';
import { retrySerialization } from '../../platform/postgres/failure.js';
import { newId, printId } from '../../platform/schema/id.js';
import { printTraceparent, type TraceSpan } from '../../platform/trace.js';
import { moveToDeadLetters, noteTally, type Tally } from './dead-letter.js';
import { type DueRow, dueColumns, type QueuedDelivery, writeArrivals } from './delivery.sql.js';
import { attempts } from './delivery-metric.js';
import { type DueDelivery, loadDeliveries, maxBodyBytes, unsettled } from './due-delivery.js';
import { gateOf, holdBack, passes } from './gate.js';
import type { Gate } from './gate.sql.js';
import { parseRetryAfter, retryDelaySeconds } from './retry.js';
import { signatureHeader } from './signature.js';
import { mayBePrivate } from './webhook.js';

/** What became of a send. Without a `result` nothing was sent: `refusal` says why. */
export interface AttemptOutcome {
  delivery: DueDelivery;
  attemptId: string;
  startedAt: Date;
  result: SendResult | null;
  refusal: string | null;
}

/** A delivery that found no place at its gate: it waits there. */
export interface Held {
  delivery: DueDelivery;
  gate: Gate;
}

/** Sends what may pass its gate now. `always`: to a subscription that is not active too. Undefined as of a send. */
export async function sendThroughGate(ctx: Ctx, delivery: DueDelivery, always = false): Promise<AttemptOutcome | Held | undefined> {
  const { status, deletedAt } = delivery.webhook;
  const gate = (status === 'active' && deletedAt === null) || always ? gateOf(ctx, delivery) : undefined;
  return gate === undefined || (await passes(ctx, gate, delivery)) ? sendDelivery(ctx, delivery, always) : { delivery, gate };
}

/**
 * Sends, with a fresh time and attempt id. `always`: to a subscription that is not active too. Undefined when the process ends
 * meanwhile: it is sent again.
 */
export async function sendDelivery(ctx: Ctx, delivery: DueDelivery, always = false): Promise<AttemptOutcome | undefined> {
  const { webhook, body, trace } = delivery;
  const real = ctx.platform.clock.now();
  const outcome: AttemptOutcome = { delivery, attemptId: newId(real), startedAt: ctx.clock.now(), result: null, refusal: null };
  const state = webhook.deletedAt !== null ? 'deleted' : webhook.status;
  if (state !== 'active' && !always) return { ...outcome, refusal: `subscription_${state}` };
  const span = ctx.platform.tracing?.follow('delivery', trace, aboutOf(delivery), { sends: true });
  const place = span?.place ?? trace;
  const url = delivery.overrideUrl ?? webhook.url;
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'agent-payments-webhooks/1',
    ...((await delivery.dress?.headers(url, real)) ?? ownHeaders(delivery, outcome, real)),
    ...(place && { traceparent: printTraceparent(place) }),
  };
  const result = await ctx.platform.outbound.post(url, { workspaceId: ctx.workspace.id, mayBePrivate: mayBePrivate(ctx), headers, body });
  noteAttempt(result, span);
  if (result.abandoned) return undefined;
  return result.refused ? { ...outcome, result, refusal: 'url_refused' } : { ...outcome, result };
}

/** What every send of an event says of itself. */
function ownHeaders({ webhook, body, eventId }: DueDelivery, { attemptId }: AttemptOutcome, at: Date): Record<string, string> {
  return {
    'X-Svc-Signature': signatureHeader(body, webhook.secrets(), Math.floor(at.getTime() / 1000)),
    'X-Svc-Event-Id': printId('event', eventId),
    'X-Svc-Delivery-Id': printId('attempt', attemptId),
    'X-Svc-Webhook-Id': printId('webhook', webhook.id),
  };
}

/** What a span says of a delivery: never its URL, which may hold a secret of the receiver. */
function aboutOf({ id, eventType, attemptCount, webhookId }: DueDelivery): Record<string, string | number> {
  return {
    'http.request.method': 'POST',
    'payments.delivery_id': id,
    'payments.webhook_id': webhookId,
    'payments.event_type': eventType,
    'payments.attempt': attemptCount + 1,
  };
}

function noteAttempt({ status, abandoned, refused }: SendResult, span: TraceSpan | undefined): void {
  const isGood = status !== null && status >= 200 && status < 300;
  const outcome = abandoned ? 'abandoned' : refused ? 'refused' : status === null ? 'no_answer' : isGood ? 'delivered' : 'failed';
  attempts.inc({ outcome });
  if (status !== null) span?.set({ 'http.response.status_code': status });
  if (!isGood) span?.fail({ code: outcome });
  span?.end();
}

const isHeld = (outcome: AttemptOutcome | Held): outcome is Held => 'gate' in outcome;
const arrived = ({ result }: AttemptOutcome) => result?.status != null && result.status >= 200 && result.status < 300;

/**
 * Writes what became of sends: those that arrived in one statement, the others, and what they mean for their subscriptions, in a
 * transaction. A delivery that was settled meanwhile stays as it is. Written again, arrivals change nothing.
 */
export async function record(ctx: Ctx, all: readonly (AttemptOutcome | Held)[]): Promise<void> {
  const held = all.filter(isHeld);
  if (held.length > 0) await holdBack(ctx, held);
  const outcomes = all.filter((outcome): outcome is AttemptOutcome => !isHeld(outcome));
  const good = outcomes.filter(arrived);
  const others = outcomes.filter((outcome) => !arrived(outcome));
  if (good.length > 0) await retrySerialization(() => writeArrivals(ctx, good.map(arrivalOf)));
  // An endpoint that had not failed when its deliveries were loaded, nor now, has nothing to be cleared.
  const failing = new Set(others.map(({ delivery }) => delivery.webhookId));
  const recovered = good.flatMap(({ delivery: { webhook } }) =>
    webhook.failingSince !== null || failing.has(webhook.id) ? [webhook.id] : [],
  );
  if (others.length + recovered.length === 0) return;
  await retrySerialization(() => ctx.db.$transaction((tx) => recordOthers(ctx, tx, others, new Set(recovered))));
  // Deliveries that did not arrive may have made events.
  if (others.length > 0) ctx.platform.database.written.ring();
}

async function recordOthers(ctx: Ctx, tx: Tx, outcomes: readonly AttemptOutcome[], recovered: ReadonlySet<string>): Promise<void> {
  const tried = outcomes.filter(({ refusal }) => refusal === null);
  if (tried.length > 0) await tx.deliveryAttempt.createMany({ data: tried.map(attemptRow) });
  const tallies = new Map<string, Tally>();
  const tallyOf = (webhookId: string) => {
    const tally = tallies.get(webhookId) ?? { arrived: recovered.has(webhookId), failed: 0, dead: 0, isGone: false };
    tallies.set(webhookId, tally);
    return tally;
  };
  for (const id of recovered) tallyOf(id);
  for (const outcome of outcomes) {
    const settle = outcome.refusal === null ? recordFailure : recordRefusal;
    await settle(ctx, tx, outcome, tallyOf(outcome.delivery.webhookId));
  }
  // The subscriptions come last and in one order in every process, so that no two wait for each other.
  for (const id of [...tallies.keys()].sort()) await noteTally(ctx, tx, id, tallyOf(id));
}

function arrivalOf({ delivery, attemptId, startedAt, result }: AttemptOutcome): QueuedDelivery {
  return {
    deliveryId: delivery.id,
    attemptId,
    startedAt,
    durationMs: result?.durationMs ?? 0,
    responseCode: result?.status ?? 0,
    responseBody: result?.body ?? '',
  };
}

function attemptRow({ attemptId, delivery, startedAt, result }: AttemptOutcome) {
  return {
    id: attemptId,
    deliveryId: delivery.id,
    startedAt,
    durationMs: result?.durationMs ?? 0,
    responseCode: result?.status ?? null,
    error: result?.error ?? null,
  };
}

function answerOf({ result }: AttemptOutcome) {
  return { lastResponseCode: result?.status ?? null, lastResponseBody: result?.body ?? null, lastError: result?.error ?? null };
}

async function recordFailure(ctx: Ctx, tx: Tx, outcome: AttemptOutcome, tally: Tally): Promise<void> {
  const { delivery, result, startedAt } = outcome;
  const now = ctx.clock.now();
  const failures = delivery.attemptCount + 1;
  const isGone = delivery.webhook.sender !== null && result?.status === 410;
  const final = isGone || failures >= delivery.maxAttempts;
  const retryAfter = parseRetryAfter(result?.retryAfter ?? null, ctx.platform.clock.now());
  const dueAt = final ? null : addSeconds(now, retryDelaySeconds(failures, retryAfter, Math.random()));
  const data = {
    ...answerOf(outcome),
    lastError: result?.error ?? `answered ${result?.status}`,
    firstAttemptAt: delivery.firstAttemptAt ?? startedAt,
    attemptCount: failures,
    waitsFor: null,
    leaseUntil: null,
  };
  if (final) {
    await moveToDeadLetters(ctx, tx, delivery, { ...data, dlqReason: isGone ? 'gone' : 'attempts_exhausted' }, tally);
    tally.isGone ||= isGone;
  } else {
    const { count } = await tx.webhookDelivery.updateMany({ where: unsettled(delivery), data: { ...data, status: 'failed', dueAt } });
    tally.failed += count;
  }
  tally.lastError = data.lastError;
}

/**
 * Straight to the dead-letter queue: nothing was sent, nor would be. What the endpoint last said stays; a delivery that was never sent
 * says why its subscription was stopped.
 */
async function recordRefusal(ctx: Ctx, tx: Tx, { delivery, result, refusal }: AttemptOutcome, tally: Tally): Promise<void> {
  const said = result?.error ?? (delivery.attemptCount > 0 ? undefined : await whyNotSent(tx, delivery.webhookId));
  await moveToDeadLetters(
    ctx,
    tx,
    delivery,
    { ...(said !== undefined && { lastError: said }), dlqReason: refusal, leaseUntil: null },
    tally,
  );
}

async function whyNotSent(tx: Tx, webhookId: string): Promise<string | undefined> {
  const webhook = await tx.webhook.findFirst({ where: { id: webhookId }, select: { disabledReason: true } });
  return webhook?.disabledReason == null ? undefined : `not sent: ${webhook.disabledReason}`;
}

/** Sends in its turn, to the subscription as it is then. Undefined when that, or its gate, cannot be read: it is given back. */
async function sendInTurn(ctx: Ctx, delivery: DueDelivery): Promise<AttemptOutcome | Held | undefined> {
  const webhook = await delivery.recipients.current(delivery.webhookId).catch(() => undefined);
  return webhook && sendThroughGate(ctx, { ...delivery, webhook });
}

/** Deliveries that a process sends at once, at most. */
const mostAtOnce = 1_000;

/** What becomes due: the first send, and each one after a failure. */
export const deliveryStep: DueStep<DueDelivery, AttemptOutcome | Held, DueRow> = {
  table: 'webhook_delivery',
  concurrency: mostAtOnce,
  maxBytes: maxBodyBytes,
  lane: { column: 'webhook_id', concurrency: 10 },
  onClaim: "status = 'processing'",
  onRelease: "status = (CASE WHEN attempt_count = 0 THEN 'pending' ELSE 'failed' END)::delivery_status",
  columns: dueColumns,
  load: loadDeliveries,
  bytes: ({ body }) => body.length,
  take: sendInTurn,
  record,
};

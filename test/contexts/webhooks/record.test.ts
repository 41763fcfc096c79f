// What is written of sends (src/contexts/webhooks/attempt.ts): an attempt and its delivery together, once, and never over what another
// process has settled meanwhile.
import { afterAll, describe, expect, it } from 'vitest';
import { type AttemptOutcome, record, sendDelivery } from '../../../src/contexts/webhooks/attempt.js';
import { loadDeliveries } from '../../../src/contexts/webhooks/due-delivery.js';
import { manifest } from '../../../src/contexts.js';
import { publishEvents } from '../../../src/events/outbox.js';
import type { Ctx } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { useHarness } from '../../harness.js';
import { happen, Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

/** Sends as many events as there are answers to a new subscription, without recording what becomes of them. */
async function sent(path: string, statuses: readonly number[]): Promise<{ ctx: Ctx; webhookId: string; outcomes: AttemptOutcome[] }> {
  const { platform } = harness;
  const { unscoped } = platform.database;
  const { id: webhookId } = await subscribe(harness.test, receiver, path, ['account.created']);
  for (const _ of statuses) await happen(harness.test);
  while ((await publishEvents(platform, manifest.followers)).events > 0);
  const [, uuid] = webhookId.split('_');
  await unscoped.webhookDelivery.updateMany({ where: { webhookId: uuid ?? webhookId }, data: { status: 'processing' } });
  const rows = await unscoped.webhookDelivery.findMany({ where: { webhookId: uuid ?? webhookId }, orderBy: { id: 'asc' } });
  const workspace = await unscoped.workspace.findUniqueOrThrow({ where: { id: rows[0]?.workspaceId ?? '' } });
  const ctx = systemCtx(
    platform,
    { id: workspace.id, tenantId: workspace.tenantId, environment: workspace.environment, clockOffsetMs: 0 },
    null,
  );
  const found = await loadDeliveries(ctx, rows);
  const outcomes: AttemptOutcome[] = [];
  for (const [index, status] of statuses.entries()) {
    receiver.answer(path, status);
    const due = found.get(rows[index]?.id ?? '');
    const outcome = due && (await sendDelivery(ctx, due));
    if (outcome !== undefined) outcomes.push(outcome);
  }
  expect(outcomes).toHaveLength(statuses.length);
  return { ctx, webhookId: uuid ?? webhookId, outcomes };
}

const stateOf = (webhookId: string) =>
  harness.platform.database.unscoped.webhookDelivery.findMany({
    where: { webhookId },
    include: { attempts: true },
    orderBy: { id: 'asc' },
  });

describe('what became of sends', () => {
  it('is written of those that arrived and of those that did not, and of their subscription', async () => {
    const { ctx, webhookId, outcomes } = await sent('/mixed', [200, 500, 204]);
    await record(ctx, outcomes);
    const rows = await stateOf(webhookId);
    expect(rows.map(({ status, attemptCount, lastResponseCode }) => [status, attemptCount, lastResponseCode])).toEqual([
      ['delivered', 1, 200],
      ['failed', 1, 500],
      ['delivered', 1, 204],
    ]);
    expect(rows.map(({ attempts }) => attempts.map(({ id, responseCode }) => [id, responseCode]))).toEqual(
      outcomes.map(({ attemptId, result }) => [[attemptId, result?.status]]),
    );
    expect(rows[0]).toMatchObject({ lastResponseBody: 'said 200', lastError: null, dueAt: null, firstAttemptAt: outcomes[0]?.startedAt });
    // One of the group arrived: the endpoint is not failing.
    const { failingSince, dlqInARow } = await harness.platform.database.unscoped.webhook.findFirstOrThrow({ where: { id: webhookId } });
    expect([failingSince, dlqInARow]).toEqual([null, 0]);
  });

  it('changes nothing when it is written again', async () => {
    const { ctx, webhookId, outcomes } = await sent('/again', [200, 200]);
    await record(ctx, outcomes);
    const before = await stateOf(webhookId);
    await record(ctx, outcomes);
    expect(await stateOf(webhookId)).toEqual(before);
    expect(before.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  });

  it('leaves a delivery as it is that was settled meanwhile, and keeps the attempt', async () => {
    const { ctx, webhookId, outcomes } = await sent('/settled', [200]);
    await harness.platform.database.unscoped.webhookDelivery.updateMany({
      where: { webhookId },
      data: { status: 'dlq', dueAt: null, attemptCount: 5, dlqReason: 'attempts_exhausted' },
    });
    await record(ctx, outcomes);
    const [row] = await stateOf(webhookId);
    expect(row).toMatchObject({ status: 'dlq', attemptCount: 5, lastResponseCode: null, attempts: [{ responseCode: 200 }] });
  });

  it('is of its own workspace alone', async () => {
    const { ctx, webhookId, outcomes } = await sent('/walls', [200]);
    const stranger = await harness.platform.database.unscoped.workspace.findFirstOrThrow({ where: { id: { not: ctx.workspace.id } } });
    const other = systemCtx(harness.platform, { ...ctx.workspace, id: stranger.id, tenantId: stranger.tenantId }, null);
    expect(
      (
        await loadDeliveries(
          other,
          outcomes.map(({ delivery }) => delivery),
        )
      ).size,
    ).toBe(0);
    await expect(record(other, outcomes)).rejects.toThrow();
    expect(await stateOf(webhookId)).toMatchObject([{ status: 'processing', attempts: [] }]);
  });
});

// Many events against receivers of which 30 % fail at random, in every way that a receiver can: each delivery ends delivered or in the
// dead-letter queue, none is lost, none is sent again to a receiver that had not failed, and nothing private is ever connected to.
// SLOW=1 runs the whole of it.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { eventRow, writeEvents } from '../../../src/events/event.js';
import { newId } from '../../../src/platform/schema/id.js';
import { useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';
import { ChaosReceiver, type Send } from './chaos-receiver.js';

let privateConnections = 0;
const forbidden = createServer((socket) => {
  privateConnections += 1;
  socket.destroy();
});
forbidden.listen(0, '127.0.0.2');
await once(forbidden, 'listening');
const receiver = await ChaosReceiver.start(`http://127.0.0.2:${(forbidden.address() as { port: number }).port}/`);
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(async () => {
  await receiver.stop();
  forbidden.close();
});

const count = isSlow ? 10_000 : 400;
const lanes = 8;

/** Commits the events of `count` deliveries to subscriptions of the receiver. */
async function tellMany(): Promise<number> {
  for (let lane = 0; lane < lanes; lane += 1)
    await harness.test.make('/v1/webhooks', { url: receiver.url(`/${lane}`), events: ['account.created'] });
  const { unscoped } = harness.platform.database;
  const { workspaceId } = await unscoped.webhook.findFirstOrThrow();
  const at = harness.clock.now();
  const data = { account_id: `acc_${newId(at)}`, type: 'business', status: 'active', name: 'Chaos' };
  const events = Array.from({ length: Math.ceil(count / lanes) }, () => eventRow({ clock: { now: () => at } }, 'account.created', data));
  await unscoped.$transaction((tx) => writeEvents(tx, workspaceId, events));
  return events.length * lanes;
}

function grouped(sends: readonly Send[]): Map<string, Send[]> {
  const groups = new Map<string, Send[]>();
  for (const send of sends) groups.set(send.delivery, [...(groups.get(send.delivery) ?? []), send]);
  return groups;
}

describe('deliveries to receivers of which 30 % fail', () => {
  it('all end delivered or buried; each send is an attempt, and a good answer is the last', { timeout: 120_000 + 60 * count }, async ({
    annotate,
  }) => {
    const told = await tellMany();
    const begun = performance.now();
    await harness.runDue();
    for (const wait of [66, 330, 990, 3_960]) await harness.advance(wait);
    const seconds = (performance.now() - begun) / 1000;

    const { unscoped } = harness.platform.database;
    const attemptsOf = new Map<string, { id: string }[]>();
    for (const { id, deliveryId } of await unscoped.deliveryAttempt.findMany({ orderBy: { id: 'asc' } }))
      attemptsOf.set(deliveryId, [...(attemptsOf.get(deliveryId) ?? []), { id }]);
    const rows = await unscoped.webhookDelivery.findMany({ where: { eventType: 'account.created' } });
    const mine = rows.map((row) => ({ ...row, attempts: attemptsOf.get(row.id) ?? [] }));
    expect(mine).toHaveLength(told);
    const sends = await receiver.sends();
    const byDelivery = grouped(sends);
    const wrong = mine.filter(({ status, webhookId, eventId, attemptCount, attempts, dueAt, leaseUntil }) => {
      const seen = byDelivery.get(`wh_${webhookId} evt_${eventId}`) ?? [];
      const answers = seen.map(({ answer }) => answer);
      // What the receiver saw is what is recorded, send by send.
      const same = attempts.map(({ id }) => `del_${id}`).join() === seen.map(({ attempt }) => attempt).join();
      const settled = dueAt === null && leaseUntil === null && attemptCount === attempts.length;
      const good = answers.indexOf('good');
      return !(
        same &&
        settled &&
        (status === 'delivered' ? good === answers.length - 1 && good >= 0 : status === 'dlq' && good === -1 && seen.length === 5)
      );
    });
    expect(wrong).toEqual([]);
    expect(sends).toHaveLength(mine.reduce((sum, { attempts }) => sum + attempts.length, 0));
    const buried = mine.filter(({ status }) => status === 'dlq').length;
    expect(buried).toBeGreaterThan(0);
    const failures = new Set(sends.map(({ answer }) => answer));
    expect([...failures].sort()).toEqual(['endless', 'good', 'hanging', 'redirected', 'refused', 'reset']);
    expect(privateConnections).toBe(0);
    const failed = sends.filter(({ answer }) => answer !== 'good').length;
    await annotate(`${told} deliveries, ${sends.length} sends, ${failed} failed, ${buried} buried, ${seconds.toFixed(1)} s`);
  });
});

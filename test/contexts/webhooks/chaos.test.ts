// Many events against receivers of which 30 % fail at random, in every way that a receiver can: each delivery ends delivered or in the
// dead-letter queue, none is lost, none is sent twice to a receiver that had not failed, and nothing private is ever connected to.
// CHAOS_EVENTS=10000 runs the whole of it.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { eventRow, writeEvents } from '../../../src/platform/events.js';
import { newId } from '../../../src/platform/ids.js';
import { Outbound } from '../../../src/platform/outbound.js';
import { useHarness } from '../../harness.js';
import { Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const forbidden = createServer();
forbidden.listen(0, '127.0.0.2');
await once(forbidden, 'listening');
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(async () => {
  await receiver.stop();
  forbidden.close();
});

const count = Number(process.env['CHAOS_EVENTS'] ?? 1_000);
const lanes = 8;

/** Numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('deliveries to receivers of which 30 % fail', () => {
  it('all end delivered or buried, each as often as it failed and once more', { timeout: 600_000 }, async ({ annotate }) => {
    let privateConnections = 0;
    forbidden.on('connection', (socket) => {
      privateConnections += 1;
      socket.destroy();
    });
    const forbiddenUrl = `http://127.0.0.2:${(forbidden.address() as { port: number }).port}/`;
    await harness.platform.outbound.close();
    harness.platform.outbound = new Outbound({ allowHosts: [receiver.host], timeoutMs: 2_500 });

    const random = seeded(7);
    /** By subscription and event: how often it was answered well. */
    const good = new Map<string, number>();
    const webhooks = [];
    for (let lane = 0; lane < lanes; lane += 1) {
      const path = `/chaos-${lane}`;
      webhooks.push(await subscribe(harness.test, receiver, path, ['account.created']));
      receiver.answer(path, (response, { headers }) => {
        const key = `${headers['x-svc-webhook-id']} ${headers['x-svc-event-id']}`;
        if (random() >= 0.3) {
          good.set(key, (good.get(key) ?? 0) + 1);
          if (random() < 0.02) {
            // A success whose body has no end.
            response.writeHead(200);
            const pour = () => {
              while (!response.destroyed && response.write('x'.repeat(16_384)));
              if (!response.destroyed) response.once('drain', pour);
            };
            pour();
          } else response.end('ok');
          return;
        }
        const kind = random();
        if (kind < 0.4) response.writeHead(500).end('no');
        else if (kind < 0.6) response.socket?.resetAndDestroy();
        else if (kind < 0.8) response.writeHead(302, { Location: forbiddenUrl }).end();
        else if (kind < 0.9) response.writeHead(503, { 'Retry-After': '30' }).write('x'.repeat(70_000));
        // The rest hangs until it is given up.
      });
    }
    const at = harness.clock.now();
    const workspaceId = (await harness.platform.database.unscoped.webhook.findFirstOrThrow()).workspaceId;
    const data = { account_id: `acc_${newId(at)}`, type: 'business', status: 'active', name: 'Chaos' };
    const events = Array.from({ length: Math.ceil(count / lanes) }, () => eventRow(at, 'account.created', data, {}));
    await harness.platform.database.unscoped.$transaction((tx) => writeEvents(tx, workspaceId, events));
    const begun = performance.now();
    await harness.runDue();
    for (const wait of [66, 330, 990, 3_960]) await harness.advance(wait);
    const seconds = (performance.now() - begun) / 1000;

    const rows = await harness.platform.database.unscoped.webhookDelivery.findMany({ include: { attempts: true } });
    const mine = rows.filter(({ eventType }) => eventType === 'account.created');
    expect(mine).toHaveLength(events.length * lanes);
    const by = (status: string) => mine.filter((row) => row.status === status);
    expect(by('delivered').length + by('dlq').length).toBe(mine.length);
    const wrong = mine.filter(({ status, webhookId, eventId, attemptCount, attempts, dueAt, leaseUntil }) => {
      const well = good.get(`wh_${webhookId} evt_${eventId}`) ?? 0;
      // An answer that came too late is one that the receiver has sent and nobody has seen.
      const late = attempts.filter(({ error }) => error?.startsWith('no answer')).length;
      const settled = dueAt === null && leaseUntil === null && attempts.length === attemptCount;
      return !settled || (status === 'delivered' ? well < 1 || well > 1 + late : well > late || attemptCount !== 5);
    });
    expect(wrong).toEqual([]);
    expect(by('dlq').length).toBeGreaterThan(0);
    expect(privateConnections).toBe(0);
    const sends = receiver.received.length;
    await annotate(`${mine.length} deliveries, ${sends} sends, ${by('dlq').length} buried, ${seconds.toFixed(1)} s`);
    expect(webhooks).toHaveLength(lanes);
  });
});

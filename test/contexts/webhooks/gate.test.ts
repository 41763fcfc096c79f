// What is sent to an endpoint that has not proved itself: one event a second and 1,000 a day to a host, of all workspaces together.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostOf } from '../../../src/contexts/webhooks/gate.js';
import { acquirePlaces, sweepGates } from '../../../src/contexts/webhooks/gate.sql.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { type Client, hasCells, useHarness } from '../../harness.js';
import { deliveriesOf, happen, Receiver } from './receiver.js';
import { challengesAt, eventsAt, proves, reroute, subscribeTo } from './strange-host.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
beforeAll(() => reroute(harness, receiver));
afterAll(() => receiver.stop());

const leave = (client: Client, id: string) => client.delete(`/v1/webhooks/${id}`);
const gate = (name: string) => harness.platform.database.unscoped.webhookGate.findUniqueOrThrow({ where: { name } });

describe('events to an endpoint that has not proved itself', () => {
  it('are sent one a second, in their order, and none is lost; the others are not claimed again', async () => {
    const { id } = await subscribeTo(harness.test, 'https://slow.example/hook');
    for (let n = 0; n < 5; n += 1) await happen(harness.test, `Slow ${n}`);
    await harness.runDue();
    const names = () => eventsAt(receiver, '/slow.example/hook').map(({ json }) => json.data.name);
    for (let n = 1; n <= 5; n += 1) {
      expect(names()).toEqual(Array.from({ length: n }, (_, k) => `Slow ${k}`));
      const due = await harness.platform.database.unscoped.webhookDelivery.count({ where: { dueAt: { not: null } } });
      expect(due).toBe(0);
      await harness.advance(1);
    }
    expect((await deliveriesOf(harness.test, id)).every(({ status, attempt_count }) => status === 'delivered' && attempt_count === 1)).toBe(
      true,
    );
    await leave(harness.test, id);
  });

  it('are 1,000 on a day, and go on the next', async () => {
    const { id } = await subscribeTo(harness.test, 'https://full.example/hook');
    await happen(harness.test);
    await harness.runDue();
    await harness.platform.database.unscoped.webhookGate.update({ where: { name: 'host:full.example' }, data: { passed: 998 } });
    const sent = () => eventsAt(receiver, '/full.example/hook').length;
    for (let n = 0; n < 3; n += 1) await happen(harness.test);
    await harness.advance(1);
    await harness.advance(1);
    expect([sent(), (await gate('host:full.example')).passed]).toEqual([3, 1_000]);
    await harness.advance(3_600);
    expect(sent()).toBe(3);
    harness.clock.set('2026-04-03T00:00:00.000Z');
    await harness.runDue();
    expect([sent(), (await gate('host:full.example')).passed]).toEqual([4, 1]);
    await leave(harness.test, id);
  });

  // Each cell has gates of its own (G-760).
  it.skipIf(hasCells)('are of all workspaces together, each in its turn, however the host is spelled', async () => {
    const mine = await subscribeTo(harness.test, 'https://both.example/mine');
    const theirs = await subscribeTo(harness.other, 'https://BOTH.example.:8443/theirs');
    for (let n = 0; n < 6; n += 1) await happen(harness.test);
    await harness.runDue();
    for (let n = 0; n < 2; n += 1) await happen(harness.other);
    await harness.runDue();
    const sent = () => [eventsAt(receiver, '/both.example/mine').length, eventsAt(receiver, '/both.example./theirs').length];
    const seen = [sent()];
    for (let n = 0; n < 7; n += 1) {
      await harness.advance(1);
      seen.push(sent());
    }
    expect(seen.map(([own = 0, other = 0]) => own + other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // Whoever came later waits for no more than the turn of each other workspace.
    expect(seen[4]?.[1]).toBe(2);
    await leave(harness.test, mine.id);
    await leave(harness.other, theirs.id);
  });

  it('count tests, replays and retries', async () => {
    receiver.answer('/counted.example/hook', (response, { json }) => void response.writeHead(json.data.name === 'Fails' ? 500 : 200).end());
    const { id } = await subscribeTo(harness.test, 'https://counted.example/hook');
    const sent = () => eventsAt(receiver, '/counted.example/hook').length;
    const tested = await harness.test.post(`/v1/webhooks/${id}/test`);
    expect(tested.body.data).toMatchObject({ status: 'delivered', response_code: 200 });
    const second = await harness.test.post(`/v1/webhooks/${id}/test`);
    expect([second.status, second.body.data.status, sent()]).toEqual([202, 'pending', 1]);
    await harness.test.post(`/v1/webhooks/deliveries/${tested.body.data.delivery_id}/replay`);
    await happen(harness.test, 'Fails');
    await harness.runDue();
    for (let n = 2; n <= 4; n += 1) {
      expect(sent()).toBe(n - 1);
      await harness.advance(1);
      expect(sent()).toBe(n);
    }
    for (let n = 0; n < 3; n += 1) await happen(harness.test, 'Busy');
    // The retry is due now, and waits behind those that came meanwhile.
    await harness.advance(66);
    expect(sent()).toBe(5);
    await leave(harness.test, id);
  });

  it('go at once when it has proved itself', async () => {
    const { id } = await subscribeTo(harness.test, 'https://late.example/hook');
    for (let n = 0; n < 8; n += 1) await happen(harness.test);
    await harness.runDue();
    expect(eventsAt(receiver, '/late.example/hook')).toHaveLength(1);
    receiver.answer('/late.example/hook', proves);
    const { body } = await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect(body.data.verification).toBe('verified');
    await harness.runDue();
    expect(eventsAt(receiver, '/late.example/hook')).toHaveLength(8);
    await leave(harness.test, id);
  });

  it('follow the subscription to another host, and end with it', async () => {
    const { id } = await subscribeTo(harness.test, 'https://from.example/hook');
    for (let n = 0; n < 4; n += 1) await happen(harness.test);
    await harness.runDue();
    await harness.test.patch(`/v1/webhooks/${id}`, { url: 'https://to.example/hook' });
    await harness.advance(1);
    const sent = () => ['/from.example/hook', '/to.example/hook'].map((path) => eventsAt(receiver, path).length);
    expect(sent()).toEqual([1, 1]);
    await harness.test.patch(`/v1/webhooks/${id}`, { status: 'paused' });
    await harness.runDue();
    const statuses = (await deliveriesOf(harness.test, id)).map(({ status, dlq_reason }) => [status, dlq_reason]);
    expect(statuses.filter(([status]) => status === 'dlq')).toEqual([
      ['dlq', 'subscription_paused'],
      ['dlq', 'subscription_paused'],
    ]);
    await harness.advance(10);
    expect(sent()).toEqual([1, 1]);
    await leave(harness.test, id);
  });

  it('of one that has delay nobody else', async () => {
    receiver.answer('/good.example/hook', proves);
    const slow = await subscribeTo(harness.test, 'https://good.example/other');
    const good = await subscribeTo(harness.test, 'https://good.example/hook');
    await harness.advance(1);
    for (let n = 0; n < 5; n += 1) await happen(harness.test);
    await harness.runDue();
    expect([eventsAt(receiver, '/good.example/hook').length, eventsAt(receiver, '/good.example/other').length]).toEqual([5, 1]);
    expect(challengesAt(receiver, '/good.example/hook')).toHaveLength(1);
    await leave(harness.test, slow.id);
    await leave(harness.test, good.id);
  });

  it('wait in real time: no workspace moves it on by its clock', async () => {
    const { id } = await subscribeTo(harness.other, 'https://patient.example/hook');
    for (let n = 0; n < 4; n += 1) await happen(harness.other);
    await harness.runDue();
    const { status } = await harness.other.post('/v1/test/clocks/advance', { seconds: 86_400 });
    expect(status).toBe(200);
    await harness.runDue();
    expect(eventsAt(receiver, '/patient.example/hook')).toHaveLength(1);
    await harness.advance(1);
    expect(eventsAt(receiver, '/patient.example/hook')).toHaveLength(2);
    await leave(harness.other, id);
  });
});

describe('a gate', () => {
  const ctx = () =>
    systemCtx(harness.platform, { id: harness.tenantId, tenantId: harness.tenantId, environment: 'test', clockOffsetMs: 0 }, null);

  it('gives as many places as it has to any number who ask at once', async () => {
    const name = `host:race-${randomBytes(4).toString('hex')}`;
    const ask = () =>
      Promise.all(Array.from({ length: 40 }, () => acquirePlaces(ctx(), { name, intervalUs: 1_000_000, burst: 1, daily: 1_000 }, 3)));
    for (let n = 0; n < 3; n += 1) {
      expect((await ask()).reduce((sum, places) => sum + places, 0)).toBe(1);
      harness.clock.advance(1);
    }
    const wide = { name: `${name}-wide`, intervalUs: 10_000, burst: 100, daily: 130 };
    expect(await acquirePlaces(ctx(), wide, 1_000)).toBe(100);
    expect(await acquirePlaces(ctx(), wide, 1_000)).toBe(0);
    harness.clock.advance(0.25);
    expect(await acquirePlaces(ctx(), wide, 1_000)).toBe(25);
    harness.clock.advance(60);
    expect(await acquirePlaces(ctx(), wide, 1_000)).toBe(5);
    harness.clock.advance(60);
    expect(await acquirePlaces(ctx(), wide, 1_000)).toBe(0);
  });

  it('is forgotten a day after its last', async () => {
    const { unscoped } = harness.platform.database;
    harness.clock.advance(3 * 86_400);
    await harness.runDue();
    const waiting = await unscoped.webhookGate.count({ where: { waiting: true } });
    await sweepGates(harness.platform, 1_000);
    expect(await unscoped.webhookGate.count()).toBe(waiting);
  });

  it('is that of the host, in one spelling and without its port', () => {
    for (const url of ['https://a.example/x', 'https://A.Example:8443/', 'https://a.example./']) expect(hostOf(url)).toBe('a.example');
    expect(hostOf('https://münchen.example/')).toBe('xn--mnchen-3ya.example');
    expect(hostOf('https://[2606:4700::1111]:8443/')).toBe('2606:4700::1111');
  });
});

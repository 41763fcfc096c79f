// What follows when the runaway breaker trips: the agent is frozen, or has its spends approved for an hour, or goes on; and everybody
// who should know is told.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server.js';
import { eventsOf, transferBody } from '../../factories/payment.js';
import { type Answer, Client, type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { startSecond } from '../../second-server.js';
import { payee, type Spender, settle, spender, tripsOf, watch } from './runaway.js';

const harness = useHarness();
let second: RunningServer | undefined;
let shop: Json;
afterAll(() => second?.stop());
beforeEach(async () => {
  shop = await payee(harness);
});

/** An agent for which a detector with this action has tripped. */
async function tripped(action: string): Promise<Spender & { trip: Json; spend: (by?: Client) => Promise<Answer> }> {
  await watch(harness, { kind: 'same_payment', action, count: 2, seconds: 60 });
  const agent = await spender(harness);
  const spend = (by = harness.test) => by.post('/v1/transfers', transferBody(agent.wallet, shop, '2.00'), { as: agent.token });
  // The agent is known to the process before it is stopped.
  for (let n = 0; n < 2; n += 1) expect((await spend()).status).toBe(201);
  await settle(harness);
  const trips = await tripsOf(harness, agent);
  expect(trips).toMatchObject([{ kind: 'same_payment', action }]);
  return { ...agent, trip: trips[0], spend };
}

describe('freeze', () => {
  it('freezes the agent as a person would, and says why', async () => {
    const agent = await tripped('freeze');
    expectRefused(await agent.spend(), 403, 'agent_frozen');
    expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data).toMatchObject({ status: 'frozen' });
    const { body } = await harness.test.graphql(`{ agent(id: "${agent.id}") { statusReason } }`);
    expect(body.data.agent.statusReason).toBe('the runaway breaker tripped: same_payment');
    await harness.test.make(`/v1/agents/${agent.id}/unfreeze`, {});
    expect((await agent.spend()).status).toBe(201);
  });

  it('does not end after an hour', async () => {
    const agent = await tripped('freeze');
    await harness.advance(2 * 3_600);
    expectRefused(await agent.spend(), 403, 'agent_frozen');
  });

  it('leaves an agent alone that was suspended meanwhile', async () => {
    await watch(harness, { kind: 'same_payment', action: 'freeze', count: 2, seconds: 60 });
    const agent = await spender(harness);
    for (let n = 0; n < 2; n += 1) await agent.pay(shop, '1.00');
    await harness.test.make(`/v1/agents/${agent.id}/suspend`, { reason: 'by hand' });
    await settle(harness);
    expect(await tripsOf(harness, agent)).toHaveLength(1);
    expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data.status).toBe('suspended');
  });
});

describe('approve', () => {
  it('has every spend of the agent approved, in every process, for an hour', async () => {
    second = await startSecond(harness);
    const elsewhere = new Client(second.urls.test ?? '', harness.test.key);
    const bystander = await spender(harness);
    const agent = await tripped('approve');
    const waiting = await agent.spend();
    expect([waiting.status, waiting.body.approval.status, waiting.body.data.status]).toEqual([202, 'pending', 'pending']);
    await expect.poll(async () => (await agent.spend(elsewhere)).status, { interval: 20, timeout: 20_000 }).toBe(202);
    const dry = await harness.test.post('/v1/transfers?dry_run=true', transferBody(agent.wallet, shop, '3.00'), { as: agent.token });
    expect(dry.body.data.decision).toMatchObject({ outcome: 'require_approval' });
    expect(dry.body.data.decision.checks).toContainEqual(
      expect.objectContaining({ layer: 'policy', rule_id: `breaker.${agent.trip.id.slice('trip_'.length)}`, outcome: 'approve' }),
    );
    expect((await bystander.pay(shop, '1.00')).status).toBe('completed');
    harness.clock.set(agent.trip.ends_at);
    expect((await agent.spend()).status).toBe(201);
    expect((await agent.spend(elsewhere)).status).toBe(201);
  });
});

describe('notify', () => {
  it('stops nobody', async () => {
    const agent = await tripped('notify');
    expect((await agent.spend()).status).toBe(201);
    expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data.status).toBe('active');
  });
});

describe('the event of a trip', () => {
  it('says what the trip says, and is shown in no list of events', async () => {
    const { id, trip } = await tripped('notify');
    const tripId = trip.id.slice('trip_'.length);
    expect(await eventsOf(harness, tripId)).toEqual([
      {
        type: '_breaker.tripped',
        data: {
          trip_id: trip.id,
          agent_id: id,
          kind: trip.kind,
          action: trip.action,
          evidence: trip.evidence,
          at: trip.at,
          ends_at: trip.ends_at,
        },
      },
    ]);
    await harness.runDue();
    expect((await harness.test.get(`/v1/events?object_id=${tripId}`)).body.data).toEqual([]);
    const types = (await harness.test.get('/v1/webhooks/events')).body.data.map(({ type }: Json) => type);
    expect(types.filter((type: string) => type.includes('breaker'))).toEqual([]);
  });
});

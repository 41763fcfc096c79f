// The alerts of budgets: told once for each crossing, on the channels of those who spend under them (CONTRACT.md 5 "budget_alert").
import { afterAll, describe, expect, it } from 'vitest';
import { stepCrossing } from '../../../src/contexts/spending/budget/budget-alert.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { newBudget, type Spender, spender } from '../../factories/budget.js';
import { channelLines } from '../../factories/channel.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol, signIn } from '../agents/identity.js';
import { connect, type EventReader } from '../agents/stream.js';
import { Receiver } from '../webhooks/receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());
const own = ({ id }: { id: string }) => ({ scope: { type: 'agent', id } });

/** What was told of a budget, as subscriptions see it, oldest first. */
async function told({ id }: Json): Promise<Json[]> {
  const where = { type: '_budget.alert', objectId: id.slice(4) };
  const rows = await harness.platform.database.unscoped.event.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ data }) => data);
}
const crossings = () => harness.platform.database.unscoped.limitCrossing.findMany();

/** Pays, and lets what follows happen. */
async function pay(agent: Spender, amount: string, extra: object = {}): Promise<Json> {
  const { status, body } = await agent.pay(amount, extra);
  expect(status, JSON.stringify(body)).toBe(201);
  await harness.runDue();
  return body.data;
}

async function listen(agent: { id: string; privateKey: string }): Promise<EventReader> {
  const stream = await connect(harness.test, agent.id, await signIn(harness.test, agent as never));
  await stream.first('connected');
  return stream;
}
const alertsOf = ({ events }: EventReader) => events.filter(({ event }) => event === 'budget_alert').map(({ data }) => data);

describe('a crossing', () => {
  it('is told once, on the channel of the agent and to subscriptions', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.8] });
    const stream = await listen(agent);
    await pay(agent, '79.99');
    expect(await told(budget)).toEqual([]);
    await pay(agent, '2.51');
    await pay(agent, '1.00');
    const line = { budget_id: budget.id, fraction: 0.8, spent: '82.50', remaining: '17.50', resets_at: '2026-03-03T00:00:00.000Z' };
    expect(await told(budget)).toEqual([{ ...line, name: 'Research', amount: '100.00', currency: 'USD' }]);
    // Its funding and its three spends: nothing more will come.
    await stream.until((events) => events.filter(({ event }) => event === 'transfer_completed').length === 4);
    expect(alertsOf(stream)).toEqual([
      { id: expect.stringMatching(/^evt_/), type: 'budget_alert', time: harness.clock.now().toISOString(), agent_id: agent.id, ...line },
    ]);
    expect(await crossings()).toEqual([]);
    await stream.leave();
  });

  it('of two marks at once is told for each, and again in the next window', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.5, 0.9, 1] });
    await pay(agent, '95.00');
    await pay(agent, '5.00');
    expect((await told(budget)).map(({ fraction }) => fraction).sort()).toEqual([0.5, 0.9, 1]);
    harness.clock.advance(86_400);
    await pay(agent, '50.00');
    const again = (await told(budget)).at(-1);
    expect(again).toMatchObject({ fraction: 0.5, spent: '50.00', remaining: '50.00' });
    expect(Date.parse(again.resets_at)).toBe(Date.parse(budget.resets_at) + 86_400_000);
    expect(await told(budget)).toHaveLength(4);
  });

  it('counts what is held, and comes again when it was given back', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.5], period: 'once' });
    const first = await pay(agent, '60.00', { capture: 'manual' });
    expect(await told(budget)).toMatchObject([{ fraction: 0.5, spent: '60.00', resets_at: null }]);
    await harness.test.post(`/v1/transfers/${first.id}/cancel`, {});
    const second = await pay(agent, '50.00', { capture: 'manual' });
    expect(await told(budget)).toMatchObject([{ spent: '60.00' }, { spent: '50.00' }]);
    await harness.test.post(`/v1/transfers/${second.id}/capture`, {});
    await harness.runDue();
    expect(await told(budget)).toHaveLength(2);
  });

  it('of every budget on the path is told by itself; a refused spend crosses nothing', async () => {
    const agent = await spender(harness.test);
    const above = await newBudget(harness.test, { scope: { type: 'account', id: agent.account.id }, alerts_at: [0.5] });
    const below = await newBudget(harness.test, { ...own(agent), amount: '10.00', parent_id: above.id, alerts_at: [0.5] });
    expect((await agent.pay('60.00')).body.code).toBe('budget_exceeded');
    await harness.runDue();
    expect([await told(above), await told(below)]).toEqual([[], []]);
    await pay(agent, '6.00');
    expect([await told(above), await told(below)]).toMatchObject([[], [{ fraction: 0.5, spent: '6.00' }]]);
  });

  it('is told with the fraction and the amount that it was of, although the budget has changed since', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.8] });
    await agent.pay('90.00');
    await harness.test.patch(`/v1/budgets/${budget.id}`, { name: 'Renamed', amount: '400.00', alerts_at: [0.5] });
    await harness.runDue();
    expect(await told(budget)).toMatchObject([{ name: 'Renamed', fraction: 0.8, amount: '100.00', spent: '90.00', remaining: '10.00' }]);
  });

  it('of two fractions that are one amount is told once, for the greater', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), amount: '0.01', alerts_at: [0.1, 0.9] });
    await pay(agent, '0.01');
    expect(await told(budget)).toMatchObject([{ fraction: 0.9 }]);
  });

  it('of a budget that was deleted is told to nobody', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.5] });
    await agent.pay('60.00');
    await harness.test.delete(`/v1/budgets/${budget.id}`);
    await harness.runDue();
    expect([await told(budget), await crossings()]).toEqual([[], []]);
  });

  it('is found soon: the posting rings for it', async () => {
    const agent = await spender(harness.test);
    const rung = new Promise<number>((resolve) => {
      const silence = harness.platform.due.listen('limit_crossing', (inMs) => {
        silence();
        resolve(inMs);
      });
    });
    await newBudget(harness.test, { ...own(agent), alerts_at: [0.5] });
    await agent.pay('60.00');
    expect(await rung).toBe(100);
    await harness.runDue();
  });
});

describe('whom an alert is told', () => {
  it('of an account: its agents, but for those that were revoked; of a tenant: no agent', async () => {
    const agent = await spender(harness.other);
    const place = { parent_account_id: agent.account.id };
    const [sister, gone] = [await enrol(harness.other, place), await enrol(harness.other, place)];
    const stranger = await enrol(harness.other);
    await harness.other.post(`/v1/agents/${gone.id}/revoke`, {});
    const account = await newBudget(harness.other, { scope: { type: 'account', id: agent.account.id }, alerts_at: [0.5] });
    const tenant = await newBudget(harness.other, { alerts_at: [0.5] });
    await agent.pay('60.00');
    await harness.runDue();
    expect([await told(account), await told(tenant)]).toMatchObject([[{ fraction: 0.5 }], [{ fraction: 0.5 }]]);
    const alertsOf = async ({ uuid }: { uuid: string }) =>
      (await channelLines(harness, uuid)).flatMap(({ type, data }) => (type === 'budget_alert' ? [data['budget_id']] : []));
    for (const told of [agent, sister]) expect(await alertsOf(told)).toEqual([account.id]);
    for (const untold of [gone, stranger]) expect(await alertsOf(untold)).toEqual([]);
    await harness.other.delete(`/v1/budgets/${tenant.id}`);
  });

  it('no webhook and no list', async () => {
    await harness.test.make('/v1/webhooks', { url: receiver.url(), events: ['*'] });
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.5] });
    await pay(agent, '60.00');
    expect(await told(budget)).toHaveLength(1);
    expect(receiver.received.map(({ json }) => json.type)).toContain('transfer.completed');
    expect(receiver.received.filter(({ json }) => json.type.includes('budget'))).toEqual([]);
    const { body } = await harness.test.get(`/v1/events?object_id=${budget.id}`);
    expect(body.data).toEqual([]);
  });
});

describe('the step of a crossing', () => {
  it('tells once, however often it is taken', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), alerts_at: [0.5] });
    await agent.pay('60.00');
    const [row] = await crossings();
    const workspace = await harness.platform.database.unscoped.workspace.findFirstOrThrow({ where: { id: row?.workspaceId ?? '' } });
    const ctx = systemCtx(harness.platform, workspaceOf(workspace), null);
    await Promise.all(Array.from({ length: 8 }, () => stepCrossing(ctx, row?.id ?? '')));
    await stepCrossing(ctx, row?.id ?? '');
    await harness.runDue();
    expect(await told(budget)).toHaveLength(1);
  });
});

// Who is told of approvals: the channel of the agent that spends, and nobody by webhook or list, for these events are the platform's own.
import { afterAll, describe, expect, it } from 'vitest';
import { ownersKey, spender } from '../../factories/approval.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { signIn } from '../agents/identity.js';
import { connect } from '../agents/stream.js';
import { Receiver, subscribe } from '../webhooks/receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

describe('the channel of the agent that spends', () => {
  it('shows that an approval is asked for, and what became of it', async () => {
    const agent = await spender(harness);
    const stranger = await spender(harness);
    const stream = await connect(harness.test, agent.id, await signIn(harness.test, agent));
    const other = await connect(harness.test, stranger.id, await signIn(harness.test, stranger));
    const { approval } = await agent.wait('30.00');
    await harness.runDue();
    const { id, data } = await stream.first('approval_requested');
    expect(Number(id)).toBeGreaterThan(0);
    expect(data).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'approval_requested',
      time: harness.clock.now().toISOString(),
      agent_id: agent.id,
      approval_id: approval.id,
      amount: '30.00',
      currency: 'USD',
      merchant_id: null,
      subject: { type: 'transfer', id: `tx_${approval.subject.id}` },
      expires_at: approval.expires_at,
    });
    await harness.test.make(`/v1/approvals/${approval.id}/approve`, {});
    await harness.runDue();
    expect((await stream.first('approval_decided')).data).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'approval_decided',
      time: harness.clock.now().toISOString(),
      agent_id: agent.id,
      approval_id: approval.id,
      status: 'approved',
      decided_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
    });
    await stream.first('transfer_completed');
    await stranger.wait();
    await harness.runDue();
    await other.first('approval_requested');
    expect(other.events.filter(({ event }) => event.startsWith('approval_'))).toHaveLength(1);
    await stream.leave();
    await other.leave();
  });

  it('and that nobody decided, or that an API key asked in its name', async () => {
    const agent = await spender(harness);
    const stream = await connect(harness.test, agent.id, await signIn(harness.test, agent));
    const body = transferBody(agent.wallet, agent.payee, '5.00', { agent_id: agent.uuid });
    expect((await harness.test.post('/v1/transfers', body)).status).toBe(202);
    await harness.runDue();
    await stream.first('approval_requested');
    // The session lives in real time, the approval in that of its workspace.
    await harness.test.make('/v1/test/clocks/advance', { seconds: 3_600 });
    await harness.runDue();
    expect((await stream.first('approval_decided')).data).toMatchObject({ status: 'expired', decided_by: null });
    await stream.leave();
  });
});

describe('webhooks and lists', () => {
  it('a subscription of everything gets the transfer and nothing of its approval', async () => {
    await subscribe(harness.test, receiver, '/everything', ['*']);
    const agent = await spender(harness);
    const { approval, transfer } = await agent.wait('30.00');
    await harness.test.make(`/v1/approvals/${approval.id}/approve`, {}, { as: await ownersKey(harness) });
    await harness.runDue();
    const sent = receiver.at('/everything').map(({ json }) => json);
    const ofTransfer = sent.filter(({ data }) => data.transfer_id === `tx_${transfer.id}`);
    expect(ofTransfer.map(({ type }) => type).sort()).toEqual(['transfer.completed', 'transfer.created']);
    expect(sent.filter(({ type }) => type.startsWith('_') || type.includes('approval'))).toEqual([]);
  });

  it('no list shows them, none can be read, resent, replayed or named', async () => {
    const agent = await spender(harness);
    await agent.wait();
    await harness.runDue();
    const own = await harness.platform.database.unscoped.event.findMany({ where: { type: { contains: 'approval' } } });
    expect(own.map(({ type }) => type)).toContain('_approval.requested');
    for (const query of ['', '?type=*', `?agent_id=${agent.uuid}`, `?object_id=${own[0]?.objectId}`]) {
      const { status, body } = await harness.test.get(`/v1/events${query}`);
      expect(status).toBe(200);
      expect(body.data.filter(({ type }: Json) => type.includes('approval'))).toEqual([]);
    }
    expect((await harness.test.get('/v1/events')).body.data).not.toEqual([]);
    expect((await harness.test.get(`/v1/events/${own[0]?.id}`)).status).toBe(404);
    expect((await harness.test.post(`/v1/events/${own[0]?.id}/resend`, {})).status).toBe(404);
    expectInvalid(await harness.test.get('/v1/events?type=_approval.requested'), 'type');
    expectInvalid(await harness.test.post('/v1/webhooks', { url: 'https://a.example.com', events: ['_approval.requested'] }), 'events.0');
    expectInvalid(await harness.test.post('/v1/test/events/trigger', { type: '_approval.requested' }), 'type');
    const { data } = (await harness.test.get('/v1/webhooks/events')).body;
    expect(data.filter(({ type }: Json) => type.startsWith('_'))).toEqual([]);
    const webhook = await subscribe(harness.test, receiver, '/replayed', ['*']);
    const since = new Date(harness.clock.now().getTime() - 1_000).toISOString();
    await harness.test.make(`/v1/webhooks/${webhook.id}/replay`, { since, only_failed: false });
    await harness.advance(60);
    const replayed = receiver.at('/replayed').map(({ json }) => json.type);
    expect(replayed.length).toBeGreaterThan(0);
    expect(replayed.filter((type) => type.includes('approval'))).toEqual([]);
  });
});

// Who is told of approvals: the channel of the agent that spends, webhooks, and GET /v1/events.
import { afterAll, describe, expect, it } from 'vitest';
import { ownersKey, spender } from '../../factories/approval.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
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
  it('tell what is asked for, decided, withdrawn and over, with who decided', async () => {
    await subscribe(harness.test, receiver, '/approvals', ['approval.*']);
    const agent = await spender(harness);
    const waits: Json[] = [];
    for (let n = 0; n < 4; n += 1) waits.push(await agent.wait('30.00'));
    const [given, refused, withdrawn] = waits;
    const owner = await ownersKey(harness);
    await harness.test.make(`/v1/approvals/${given.approval.id}/approve`, {}, { as: owner });
    await harness.test.make(`/v1/approvals/${refused.approval.id}/reject`, {}, { as: owner });
    await harness.test.make(`/v1/approvals/${withdrawn.approval.id}/cancel`, {}, { as: agent.token });
    await harness.advance(3_600);
    const sent = receiver.at('/approvals').map(({ json }) => json);
    expect(sent.map(({ type }) => type).sort()).toEqual([
      'approval.approved',
      'approval.cancelled',
      'approval.expired',
      'approval.rejected',
      ...Array(4).fill('approval.requested'),
    ]);
    const { approval } = given;
    const facts = {
      approval_id: approval.id,
      amount: '30.00',
      currency: 'USD',
      merchant_id: null,
      subject: { type: 'transfer', id: `tx_${approval.subject.id}` },
      expires_at: approval.expires_at,
      agent_id: agent.id,
    };
    const of = (type: string) => sent.find(({ type: one, data }) => one === type && data.approval_id === approval.id)?.data;
    expect(of('approval.requested')).toEqual({ ...facts, status: 'pending', missing: 1, decided_by: null });
    const by = { type: 'api_key', id: expect.stringMatching(/^key_/) };
    expect(of('approval.approved')).toEqual({ ...facts, status: 'approved', missing: 0, decided_by: by });
    const decidedBy = (type: string) => sent.find((one) => one.type === type)?.data.decided_by;
    expect(decidedBy('approval.rejected')).toEqual(by);
    expect(decidedBy('approval.cancelled')).toEqual({ type: 'agent', id: agent.id });
    expect(decidedBy('approval.expired')).toBeNull();
    const { body } = await harness.test.get(`/v1/events?type=approval.*&object_id=${approval.id}`);
    expect(body.data.map(({ type }: Json) => type)).toEqual(['approval.approved', 'approval.requested']);
  });
});

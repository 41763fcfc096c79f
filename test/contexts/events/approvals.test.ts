// The subscription of operators: approvals as they are asked for and decided, and the warnings of others.
import { afterEach, describe, expect, it } from 'vitest';
import { endWorkspaceStreams } from '../../../src/contexts/events/workspace-stream.js';
import { writeEvents } from '../../../src/events/event.js';
import { newId } from '../../../src/platform/schema/id.js';
import { sessionOf, spender } from '../../factories/approval.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { type Following, follow as followSubscription } from './follow.js';

const harness = useHarness();
const query = `subscription ($after: EventId) {
  approvals(after: $after) { id kind at approval { id status agent { id name } } data }
}`;
const followings: Following[] = [];
afterEach(() => {
  for (const { stop } of followings.splice(0)) stop();
});

async function follow(variables: object = {}, key = harness.test.key): Promise<Following> {
  const following = await followSubscription(harness.test, query, 'approvals', { variables, key, path: '/graphql' });
  followings.push(following);
  return following;
}

const soon = { timeout: 15_000, interval: 10 };
const kinds = ({ received }: Following) => received.map(({ kind, data }) => `${kind} ${data.status ?? ''}`.trim());
const decide = ({ id }: Json, step: string) => harness.test.make(`/v1/approvals/${id}/${step}`, {});

/** An event of a type that other contexts declare. It goes before the test ends, because its data is none of theirs. */
async function warn(type: string, data: object): Promise<string> {
  const { unscoped } = harness.platform.database;
  const tenant = await unscoped.workspace.findFirstOrThrow({ where: { tenantId: harness.tenantId, environment: 'test' } });
  const at = harness.clock.now();
  const id = newId(at);
  const event = { id, type, data, objectId: null, agentId: null, traceId: null, traceSpan: null, createdAt: at, roles: null };
  await unscoped.$transaction((tx) => writeEvents(tx, tenant.id, [event]));
  return id;
}

describe('subscription approvals', () => {
  it('tells what is asked for and decided, whoever asks and decides, with the approval as it is', async () => {
    const agent = await spender(harness);
    const [following, user] = [await follow(), await follow({}, await sessionOf(harness.test))];
    const { approval } = await agent.wait('30.00');
    await harness.runDue();
    await expect.poll(() => following.received.length, soon).toBe(1);
    expect(following.received[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      kind: 'approval_requested',
      at: harness.clock.now().toISOString(),
      approval: { id: approval.id, status: 'pending', agent: { id: agent.id, name: 'Agent' } },
      data: {
        approval_id: approval.id,
        amount: '30.00',
        currency: 'USD',
        merchant_id: null,
        subject: { type: 'transfer', id: `tx_${approval.subject.id}` },
        expires_at: approval.expires_at,
        agent_id: agent.id,
        status: 'pending',
        missing: 1,
        decided_by: null,
      },
    });
    await decide(approval, 'approve');
    const second = await agent.wait();
    await harness.test.make(`/v1/transfers/${second.transfer.id}/cancel`, {});
    await agent.wait();
    await harness.advance(3_600);
    const told = [
      'approval_requested pending',
      'approval_decided approved',
      'approval_requested pending',
      'approval_decided cancelled',
      'approval_requested pending',
      'approval_decided expired',
    ];
    for (const one of [following, user]) await expect.poll(() => kinds(one), soon).toEqual(told);
    expect(following.received[1]).toMatchObject({
      approval: { id: approval.id, status: 'approved' },
      data: { decided_by: { type: 'api_key', id: expect.stringMatching(/^key_/) } },
    });
    expect(following.received[5].data.decided_by).toBeNull();
  });

  it('goes on after a message, and passes by everything else', async () => {
    const agent = await spender(harness);
    const first = await follow();
    const { approval } = await agent.wait();
    await harness.runDue();
    await expect.poll(() => kinds(first), soon).toEqual(['approval_requested pending']);
    await endWorkspaceStreams(harness.platform);
    expect(await first.ended).toBeNull();
    await decide(approval, 'reject');
    await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });
    await harness.runDue();
    const second = await follow({ after: first.received[0].id });
    await expect.poll(() => kinds(second), soon).toEqual(['approval_decided rejected']);
  });

  it('shows the warnings of budgets and of the breaker, which are about no approval', async () => {
    const following = await follow();
    const ids = [await warn('_budget.alert', { budget_id: 'bud_1' }), await warn('_breaker.tripped', { trip_id: 'trip_1' })];
    ids.push(await warn('_other.thing', {}));
    await harness.runDue();
    await expect.poll(() => kinds(following), soon).toEqual(['budget_alert', 'breaker_tripped']);
    expect(following.received).toMatchObject([
      { approval: null, data: { budget_id: 'bud_1' } },
      { approval: null, data: { trip_id: 'trip_1' } },
    ]);
    await harness.platform.database.unscoped.event.deleteMany({ where: { id: { in: ids } } });
  });

  it('tells nothing of another tenant', async () => {
    const agent = await spender(harness);
    const stranger = await followSubscription(harness.other, query, 'approvals');
    followings.push(stranger);
    const own = await follow();
    await agent.wait();
    await harness.runDue();
    await expect.poll(() => own.received.length, soon).toBe(1);
    await harness.other.make('/v1/accounts', { type: 'person', name: 'Ada' });
    await harness.runDue();
    expect(stranger.received).toEqual([]);
  });

  it('ends at once when the key behind it is revoked', async () => {
    const { id, key } = await harness.test.make('/v1/api-keys', { name: 'Desk' });
    const following = await follow({}, key);
    await harness.test.delete(`/v1/api-keys/${id}`);
    expect(await following.ended).toBeNull();
  });

  it('401 without a credential, 403 for an agent', async () => {
    const agent = await enrol(harness.test);
    const send = async (as: string | null) => {
      const response = await fetch(`${harness.test.url}/graphql`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'text/event-stream',
          ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
        },
        body: JSON.stringify({ query }),
      });
      return [response.status, await response.text()];
    };
    expect(await send(null)).toEqual([401, expect.stringContaining('missing_credential')]);
    expect(await send(agent.token)).toEqual([403, expect.stringContaining('forbidden')]);
  });
});

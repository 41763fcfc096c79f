// A channel under pressure, and as a company watches it over GraphQL.
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { appendAgentEvents } from '../../../src/contexts/agents/agent-event.sql.js';
import { connectionsOf } from '../../../src/contexts/agents/connection.js';
import type { Tx } from '../../../src/platform/postgres/database.js';
import { newId } from '../../../src/platform/schema/id.js';
import { nowhere, useHarness } from '../../harness.js';
import type { TestAgent } from './identity.js';
import { pay, payer } from './payer.js';
import { connect, watch } from './stream.js';

const harness = useHarness();
const beat = () => connectionsOf(harness.platform).turn();

describe('a channel under pressure', () => {
  const line = (topic: string, seq: number) => ({
    topic,
    seq,
    eventId: nowhere,
    type: 'noise',
    data: `{"text":"${'x'.repeat(4_000)}"}`,
  });

  it('cuts a reader that takes nothing, and forgets it', async () => {
    const agent = await payer(harness);
    const { fanout } = harness.platform;
    const socket = connectSocket(Number(new URL(harness.test.url).port), '127.0.0.1');
    socket.write(`GET /v1/agents/${agent.id}/connect HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${agent.session}\r\n\r\n`);
    await once(socket, 'readable');
    const connections = connectionsOf(harness.platform);
    const before = connections.size;
    for (let seq = 2; connections.size === before && seq < 100_000; seq += 1) {
      fanout.deliver([line(agent.uuid, seq)]);
      if (seq % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections.size).toBe(before - 1);
    socket.destroy();
  });

  it('shows what is told twice once, and reads what is told out of order', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    const { fanout, database } = harness.platform;
    await pay(harness, agent, 2);
    await stream.until(() => stream.lines.length === 2);
    fanout.deliver([line(agent.uuid, 3), line(agent.uuid, 2)]);
    // Written by another process, and of two lines the first was not told here.
    await database.unscoped.$transaction((tx) => appendElsewhere(tx, agent.uuid, harness.clock.now()));
    fanout.deliver([line(agent.uuid, 5)]);
    await stream.until(() => stream.lines.length === 4);
    const numbered = stream.events.filter(({ event }) => event !== 'heartbeat');
    expect(numbered.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5]);
    await stream.leave();
  });

  it('shows once what is told while its last lines are read', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    const { fanout, database } = harness.platform;
    await database.unscoped.$transaction((tx) => appendElsewhere(tx, agent.uuid, harness.clock.now()));
    const original = database.pool.query.bind(database.pool) as (statement: { name?: string }) => Promise<unknown>;
    const query = vi.spyOn(database.pool, 'query').mockImplementation(((statement: { name?: string }, ...rest: []) => {
      const reading = original(statement, ...rest);
      if (statement.name === 'read-agent-events') fanout.deliver([line(agent.uuid, 2), line(agent.uuid, 3)]);
      return reading;
    }) as never);
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, { reason: 'The end.' });
    await stream.ended;
    query.mockRestore();
    expect(stream.events.map(({ id }) => Number(id))).toEqual([1, 2, 3]);
  });

  it('asks PostgreSQL by itself for what nobody told', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    await harness.platform.database.unscoped.$transaction((tx) => appendElsewhere(tx, agent.uuid, harness.clock.now()));
    await beat();
    await stream.until((events) => events.filter(({ event }) => event === 'transfer_completed').length === 2);
    await stream.leave();
  });
});

/** Two lines that only the database knows of. */
async function appendElsewhere(tx: Tx, agentId: string, createdAt: Date): Promise<void> {
  const { workspaceId } = await tx.agent.findFirstOrThrow({ where: { id: agentId } });
  const one = { workspaceId, agentId, type: 'transfer_completed', data: '{}', createdAt };
  await appendAgentEvents(tx, [
    { ...one, eventId: newId(createdAt) },
    { ...one, eventId: newId(createdAt) },
  ]);
}

describe('subscription agentEvents', () => {
  it('200: a company watches its agents, and counts as no connection', async () => {
    const agent = await payer(harness);
    const stream = await watch(harness.test, agent.id);
    await stream.first('next');
    await pay(harness, agent);
    await stream.until((events) => events.length === 2);
    const [, line] = stream.events;
    expect(line?.data.data.agentEvents).toMatchObject({ id: '00000000002', event: 'transfer_completed', data: { agent_id: agent.id } });
    expect((await harness.test.get(`/v1/agents/${agent.id}/liveness`)).body.data.connected).toBe(false);
    await stream.leave();
  });

  describe('opened with the token of an agent', () => {
    const ends: [string, (agent: TestAgent) => Promise<unknown>][] = [
      ['ends when the agent is suspended', (agent) => harness.test.post(`/v1/agents/${agent.id}/suspend`, { reason: 'The end.' })],
      ['ends when the token is rotated', (agent) => harness.test.post(`/v1/agents/${agent.id}/token/rotate`, {})],
      ['ends when the key is revoked', (agent) => harness.test.delete(`/v1/agents/${agent.id}/auth-keys`)],
    ];
    for (const [what, end] of ends) {
      it(what, async () => {
        const [agent, other] = [await payer(harness), await payer(harness)];
        const [stream, spared] = [await watch(harness.test, agent.id, { as: agent.token }), await watch(harness.test, other.id)];
        await Promise.all([stream.first('next'), spared.first('next')]);
        await end(agent);
        await stream.ended;
        // The stream of somebody else goes on.
        await pay(harness, other);
        await spared.until((events) => events.some(({ data }) => data.data?.agentEvents.event === 'transfer_completed'));
        await spared.leave();
      });
    }

    it('ends with a token that was rotated with an overlap', async () => {
      const agent = await payer(harness);
      await harness.test.post(`/v1/agents/${agent.id}/token/rotate`, { overlap_seconds: 600 });
      const stream = await watch(harness.test, agent.id, { as: agent.token });
      await stream.first('next');
      harness.clock.advance(601);
      await beat();
      await stream.ended;
    });
  });

  it("404: another tenant's", async () => {
    const agent = await payer(harness);
    const stream = await watch(harness.other, agent.id);
    await stream.ended;
    expect(stream.text).toContain('not_found');
  });
});

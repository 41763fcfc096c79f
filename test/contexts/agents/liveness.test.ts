import { describe, expect, it } from 'vitest';
import { connectionsOf } from '../../../src/contexts/agents/connection.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from './identity.js';
import { pay, payer } from './payer.js';
import { connect } from './stream.js';

const harness = useHarness();
const beat = () => connectionsOf(harness.platform).turn();

describe('GET /v1/agents/{id}/liveness', () => {
  it('200: connected or not, and what can be read again', async () => {
    const agent = await payer(harness);
    const path = `/v1/agents/${agent.id}/liveness`;
    await pay(harness, agent);
    expect((await harness.test.get(path)).body.data).toEqual({
      agent_id: agent.id,
      connected: false,
      connections: 0,
      connected_at: null,
      last_heartbeat_at: null,
      last_event_id: '00000000002',
      last_disconnect_at: null,
      session_expires_at: null,
      buffered_events: 2,
      oldest_buffered_event_id: '00000000001',
    });
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    const opened = harness.clock.now();
    harness.clock.advance(30);
    await beat();
    expect((await harness.test.get(path)).body.data).toMatchObject({
      connected: true,
      connections: 1,
      connected_at: opened.toISOString(),
      last_heartbeat_at: harness.clock.now().toISOString(),
      session_expires_at: new Date(opened.getTime() + 3_600_000).toISOString(),
    });
    expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data.connected).toBe(true);
    const list = async (connected: boolean) =>
      (await harness.test.get(`/v1/agents?connected=${connected}&limit=200`)).body.data.map(({ id }: Json) => id);
    expect(await list(true)).toContain(agent.id);
    expect(await list(false)).not.toContain(agent.id);
    await stream.leave();
    const gone = { connected: false, connections: 0, last_disconnect_at: harness.clock.now().toISOString() };
    await expect.poll(async () => (await harness.test.get(path)).body.data).toMatchObject(gone);
  });

  it("401, 403 to an agent, 404: missing, another tenant's", async () => {
    const agent = await payer(harness);
    const status = async (id: string, as: string | null) => (await harness.test.get(`/v1/agents/${id}/liveness`, { as })).status;
    expect(await status(agent.id, null)).toBe(401);
    expect(await status(agent.id, agent.token)).toBe(403);
    for (const id of [nowhere, (await enrol(harness.other)).id]) expect(await status(id, harness.test.key)).toBe(404);
  });
});

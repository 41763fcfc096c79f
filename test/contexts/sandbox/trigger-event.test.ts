import { describe, expect, it } from 'vitest';
import { catalog } from '../../catalog.js';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/test/events/trigger';
const own = '01994d3e-7a80-7c3a-9d55-00000000a1b2';

describe('POST /v1/test/events/trigger', () => {
  it('201 for every type of the catalog, with its example', async () => {
    for (const { type, example } of catalog.types()) {
      const { status, body } = await harness.test.post(path, { type });
      expect(status, type).toBe(201);
      expect(body.data).toMatchObject({ type, data: example, timestamp: harness.clock.now().toISOString() });
    }
    await harness.runDue();
    const { body } = await harness.test.get('/v1/events?limit=1');
    expect(body.pagination.total).toBe(catalog.types().length);
  });

  it('201 with own members, about an own object', async () => {
    const { body } = await harness.test.post(path, { type: 'transfer.failed', data: { amount: '7.00' }, object_id: own });
    expect(body.data.data).toMatchObject({ transfer_id: `tx_${own}`, amount: '7.00', status: 'failed' });
    const found = await harness.test.get(`/v1/events?object_id=${own}&type=transfer.failed`);
    expect(found.body.data).toEqual([body.data]);
  });

  it('201 about an agent of the workspace, who sees it', async () => {
    const agent = await enrol(harness.test);
    const { body } = await harness.test.post(path, { type: 'ap2.mandate.executed', data: { agent_id: agent.id } });
    // What became of its deliveries is for those who may read webhooks.
    const { deliveries: _, ...event } = body.data;
    expect((await harness.test.get('/v1/events', { as: agent.token })).body.data).toEqual([event]);
  });

  it('400 for an unknown type, and for data that its schema refuses', async () => {
    const wrong: [object, string][] = [
      [{ type: 'transfer.*' }, 'type'],
      [{ type: 'nothing.happened' }, 'type'],
      [{}, 'type'],
      [{ type: 'transfer.created', data: { amount: 7 } }, 'data.amount'],
      [{ type: 'transfer.created', data: { amuont: '7.00' } }, 'data'],
      [{ type: 'settlement.failed', data: { destination: { type: 'till' } } }, 'data.destination.type'],
      [{ type: 'transfer.created', object_id: 'tx_1' }, 'object_id'],
    ];
    for (const [body, field] of wrong) {
      const answer = await harness.test.post(path, body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(answer.body.details.fields[0].path).toBe(field);
    }
  });

  it('401, 403 for an agent, 403 test_mode_only in production', async () => {
    const agent = await enrol(harness.test);
    const body = { type: 'webhook.test' };
    expect((await harness.test.post(path, body, { as: null })).status).toBe(401);
    expect((await harness.test.post(path, body, { as: agent.token })).status).toBe(403);
    expect(await harness.live.post(path, body)).toMatchObject({ status: 403, body: { code: 'test_mode_only' } });
  });
});

// A transfer that is made and paid by one posting is told of by two events with the same data, which is stored once: every reader has it.
import { beforeAll, describe, expect, it } from 'vitest';
import { loadDue } from '../../src/contexts/webhooks/delivery.sql.js';
import { type PublishedEvent, readPublished } from '../../src/events/publication.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { eventsOf, pay, twoWallets } from '../factories/payment.js';
import { type Json, useHarness } from '../harness.js';
import { ctxOf, query, stateOf } from '../ledger/wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
let id: string;
let data: Json;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
  const { from, to } = await twoWallets(harness.test);
  ({ id } = await pay(harness.test, from, to, '1.00'));
  data = (await eventsOf(harness, id))[1]?.data;
  await harness.runDue();
});

const both = () => [
  { type: 'transfer.created', data },
  { type: 'transfer.completed', data },
];

describe('the data of transfer.created and transfer.completed', () => {
  it('is stored with the later one, which the earlier one names', async () => {
    const rows = await query(ctx, 'SELECT id, type, data, data_of FROM event WHERE object_id = $1 ORDER BY id', [id]);
    expect(rows).toEqual([
      { id: rows[0].id, type: 'transfer.created', data: null, data_of: rows[1].id },
      { id: rows[1].id, type: 'transfer.completed', data: { ...data, transfer_id: `tx_${id}`, status: 'completed' }, data_of: null },
    ]);
  });

  it('is in the list of events, and in each', async () => {
    const { body } = await harness.test.get(`/v1/events?object_id=${id}`);
    expect(body.data.map(({ type, data }: Json) => ({ type, data })).reverse()).toEqual(both());
    for (const event of body.data) expect((await harness.test.get(`/v1/events/${event.id}`)).body.data.data).toEqual(data);
  });

  it('is in what is published, to streams and to listeners', async () => {
    const streamed: PublishedEvent[] = [];
    let position = { number: 0, index: 0 };
    for (;;) {
      const page = await readPublished(ctx.platform.database.pool, ctx.workspace.id, position);
      if (page.events.length === 0) break;
      streamed.push(...page.events.map(({ event }) => event));
      position = page.position;
    }
    expect(
      streamed.filter(({ objectId, type }) => objectId === id && !type.startsWith('_')).map(({ type, data }) => ({ type, data })),
    ).toEqual(both());
    const heard = await query(ctx, 'SELECT type, data FROM heard_events($1, 0, 9223372036854775807) WHERE object_id = $2', [
      ctx.workspace.id,
      id,
    ]);
    expect(heard).toEqual(both());
  });

  it('is in what webhooks are sent', async () => {
    const rows = await query(ctx, 'SELECT id AS "eventId" FROM event WHERE object_id = $1 ORDER BY id', [id]);
    const { events } = await loadDue(
      ctx,
      rows.map((row) => ({ ...row, webhookId: row.eventId })),
      1_000_000,
    );
    expect(events.map(({ type, data }) => ({ type, data: JSON.parse(String(data)) }))).toEqual(both());
  });

  it('is there once: the database refuses an event with none, with both, and one that names an earlier one', async () => {
    const insert = `INSERT INTO event (workspace_id, id, type, data, data_of, created_at) VALUES ($1, $2, 'x', $3, $4, now())`;
    const [low, high] = ['01994d3e-7a80-7c3a-9d55-0b8a4f1c2e01', '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e02'];
    for (const [own, text, other] of [
      [low, null, null],
      [low, '{}', high],
      [high, null, low],
    ]) {
      expect(await stateOf(query(ctx, insert, [ctx.workspace.id, own, text, other]))).toBe('23514');
    }
  });
});

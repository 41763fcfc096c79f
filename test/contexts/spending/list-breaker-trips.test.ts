// GET /v1/breakers/trips
import { beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { payee, type Spender, settle, spender, watch } from './runaway.js';

const harness = useHarness();
const list = (query = '') => harness.test.get(`/v1/breakers/trips?${query}`);
let agents: Spender[];
let times: string[];

/** Three trips, an hour apart: of the first agent, the second, and the first again. */
beforeAll(async () => {
  await watch(harness, { kind: 'same_payment', action: 'notify', count: 2, seconds: 60 });
  agents = [await spender(harness), await spender(harness)];
  const shop = await payee(harness);
  times = [];
  for (const turn of [0, 1, 0]) {
    for (let n = 0; n < 2; n += 1) await agents[turn]?.pay(shop, '1.00');
    await settle(harness);
    times.push(harness.clock.now().toISOString());
    await harness.advance(3_600);
  }
});

describe('GET /v1/breakers/trips', () => {
  it('200: newest first, of all agents or of one, in a stretch of time', async () => {
    const { status, body } = await list();
    expect([status, body.pagination.total]).toEqual([200, 3]);
    const [first, second] = agents.map(({ uuid }) => uuid);
    expect(body.data.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([first, second, first]);
    expect(body.data.map(({ at }: { at: string }) => at)).toEqual([...times].reverse());
    for (const id of [first, agents[0]?.id]) expect((await list(`agent_id=${id}`)).body.pagination.total).toBe(2);
    expect((await list(`since=${times[1]}`)).body.pagination.total).toBe(2);
    expect((await list(`until=${times[1]}&agent_id=${first}`)).body.pagination.total).toBe(1);
    expect((await list(`agent_id=${nowhere}`)).body.data).toEqual([]);
    expect((await harness.other.get('/v1/breakers/trips')).body.data).toEqual([]);
  });

  it('200 page by page', async () => {
    const all = idsOf(await list());
    const first = await list('limit=2');
    const rest = await list(`limit=2&starting_after=${first.body.pagination.next_cursor}`);
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(all);
    expect(idsOf(await list(`starting_after=${all[1]}`))).toEqual(all.slice(2));
  });

  it('400 for an agent_id and a limit that are none', async () => {
    expectInvalid(await list('agent_id=x'), 'agent_id');
    expectInvalid(await list('limit=201'), 'limit');
  });
});

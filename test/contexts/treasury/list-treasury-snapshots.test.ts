// GET /v1/treasury/snapshots
import { beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const list = (query = '') => harness.test.get(`/v1/treasury/snapshots?${query}`);
/** Newest first. */
let taken: { id: string; captured_at: string }[];

/** Three, an hour apart: without money, with some, and with more. */
beforeAll(async () => {
  const { wallet } = await openWallet(harness.test);
  taken = [];
  for (const n of [0, 1, 2]) {
    if (n > 0) await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '10.00' });
    taken.unshift((await harness.test.post('/v1/treasury/snapshot', { description: `No. ${n}` })).body);
    harness.clock.advance(3_600);
  }
  await harness.other.post('/v1/treasury/snapshot', {});
});

describe('GET /v1/treasury/snapshots', () => {
  it('200: newest first, each whole', async () => {
    const { status, body } = await list();
    expect([status, body.pagination.total]).toEqual([200, 3]);
    expect(body.data.map(({ id, captured_at }: { id: string; captured_at: string }) => ({ id, captured_at }))).toEqual(taken);
    const available = body.data.map(({ balances }: { balances: { available: string }[] }) => balances[0]?.available);
    expect(available).toEqual(['20.00', '10.00', '0.00']);
  });

  it('200: in a stretch of time, and page by page', async () => {
    const ids = taken.map(({ id }) => id);
    expect(idsOf(await list(`since=${taken[1]?.captured_at}`))).toEqual(ids.slice(0, 2));
    expect(idsOf(await list(`until=${taken[1]?.captured_at}`))).toEqual(ids.slice(2));
    const first = await list('limit=2');
    const rest = await list(`limit=2&starting_after=${first.body.pagination.next_cursor}`);
    expect([idsOf(first), idsOf(rest)]).toEqual([ids.slice(0, 2), ids.slice(2)]);
    expect(idsOf(await list(`starting_after=${ids[0]}`))).toEqual(ids.slice(1));
  });

  it('200: nothing of production', async () => expect((await harness.live.get('/v1/treasury/snapshots')).body.data).toEqual([]));

  it('400 for a limit and a time that are none', async () => {
    expectInvalid(await list('limit=201'), 'limit');
    expectInvalid(await list('since=yesterday'), 'since');
  });
});

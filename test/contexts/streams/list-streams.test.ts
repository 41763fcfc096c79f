// GET /v1/streams
import { describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { agentStream, newStream, step } from '../../factories/stream.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const list = (query: string, as?: string) => harness.test.get(`/v1/streams?${query}`, as === undefined ? {} : { as });

describe('GET /v1/streams', () => {
  it('200: by status, by a wallet and by an agent on either side, newest first', async () => {
    const first = await newStream(harness.test);
    const { payer, payee, stream } = await agentStream(harness);
    await step(harness.test, stream, 'pause');
    expect(idsOf(await list('limit=10'))).toEqual([stream.id, first.stream.id]);
    expect(idsOf(await list('status=paused'))).toEqual([stream.id]);
    expect(idsOf(await list(`wallet_id=${first.from.id}`))).toEqual([first.stream.id]);
    expect(idsOf(await list(`wallet_id=${first.to.id}`))).toEqual([first.stream.id]);
    expect(idsOf(await list(`agent_id=${payer.id}`))).toEqual([stream.id]);
    expect(idsOf(await list(`agent_id=${payee.id}&status=active`))).toEqual([]);
    expect(idsOf(await list(`agent_id=${nowhere}`))).toEqual([]);
    for (const { token } of [payer, payee]) expect(idsOf(await list('', token))).toEqual([stream.id]);
    expect((await harness.other.get('/v1/streams')).body.data).toEqual([]);
  });

  it('200: page by page', async () => {
    const made = [await newStream(harness.test), await newStream(harness.test), await newStream(harness.test)].map(
      ({ stream }) => stream.id,
    );
    const first = await list('limit=2');
    expect(idsOf(first)).toEqual([made[2], made[1]]);
    expect(first.body.pagination).toMatchObject({ has_more: true });
    const next = await list(`limit=1&starting_after=${first.body.pagination.next_cursor}`);
    expect(idsOf(next)).toEqual([made[0]]);
  });

  it('400: a status that is none', async () => expectInvalid(await list('status=flowing'), 'status'));
});

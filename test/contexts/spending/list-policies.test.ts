// GET /v1/policies
import { beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { newPolicy } from './policies.js';

const harness = useHarness();
const list = async (query = '') => idsOf(await harness.test.get(`/v1/policies${query}`));

describe('GET /v1/policies', () => {
  let account: Json;
  let made: string[];

  beforeAll(async () => {
    const opened = await openWallet(harness.test);
    account = opened.account;
    const targets = [
      { type: 'tenant' },
      { type: 'account', id: account.id },
      { type: 'wallet', id: opened.wallet.id },
      { type: 'account', id: account.id },
    ];
    made = [];
    for (const [index, target] of targets.entries()) made.push((await newPolicy(harness.test, { target, enabled: index !== 3 })).id);
    const { id } = await newPolicy(harness.test);
    await harness.test.delete(`/v1/policies/${id}`);
    await newPolicy(harness.other);
  });

  it('200: newest first, without deleted ones and those of others', async () => {
    const { body } = await harness.test.get('/v1/policies');
    expect(body.data.map(({ id }: Json) => id)).toEqual([...made].reverse());
    expect(body.pagination).toMatchObject({ page: 1, limit: 50, total: 4, totalPages: 1 });
    expect(body.data[0]).toEqual((await harness.test.get(`/v1/policies/${made[3]}`)).body.data);
  });

  it('200: of a target, of a kind of target, and those that are enabled', async () => {
    expect(await list('?target_type=wallet')).toEqual([made[2]]);
    expect(await list(`?target_id=${account.id}`)).toEqual([made[3], made[1]]);
    expect(await list(`?target_id=acc_${account.id}&enabled=true`)).toEqual([made[1]]);
    expect(await list('?enabled=false')).toEqual([made[3]]);
    expect(await list(`?target_id=${nowhere}`)).toEqual([]);
  });

  it('200: page by page, and the largest page', async () => {
    const first = await harness.test.get('/v1/policies?limit=3');
    expect(first.body.pagination).toMatchObject({ has_more: true, total: 4, totalPages: 2 });
    expect(await list(`?limit=3&starting_after=${first.body.pagination.next_cursor}`)).toEqual([made[0]]);
    expect(await list('?limit=200')).toHaveLength(4);
  });

  it('400: what can be no target, and an unknown filter', async () => {
    expectInvalid(await harness.test.get('/v1/policies?target_id=mine'), 'target_id');
    expectInvalid(await harness.test.get('/v1/policies?target=tenant'), 'target');
    expectInvalid(await harness.test.get('/v1/policies?limit=201'), 'limit');
  });
});

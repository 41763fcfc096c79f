// GET /v1/cards/vault
import { describe, expect, it } from 'vitest';
import { newCard } from '../../factories/card.js';
import { idsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/cards/vault';

describe('GET /v1/cards/vault', () => {
  it('200: newest first, by account and agent, without those that were deleted; an agent sees those that it pays with', async () => {
    const { account, uuid, token } = await enrol(harness.test);
    const sister = await enrol(harness.test, { parent_account_id: account.id });
    const shared = await newCard(harness.test, {}, account);
    const own = await newCard(harness.test, { agent_id: uuid }, account);
    const hers = await newCard(harness.test, { agent_id: sister.uuid }, account);
    const gone = await newCard(harness.test, {}, account);
    await newCard(harness.test);
    await harness.test.delete(`${path}/${gone.id}`);
    const of = `${path}?account_id=${account.id}`;
    expect(idsOf(await harness.test.get(of))).toEqual([hers.id, own.id, shared.id]);
    expect(idsOf(await harness.test.get(`${path}?agent_id=${uuid}`))).toEqual([own.id]);
    expect(idsOf(await harness.test.get(path, { as: token }))).toEqual([own.id, shared.id]);
    expect(idsOf(await harness.other.get(path))).toEqual([]);
    const { body } = await harness.test.get(`${of}&limit=1`);
    expect(body.pagination).toMatchObject({ total: 3, totalPages: 3, has_more: true });
    expect(idsOf(await harness.test.get(`${of}&starting_after=${body.pagination.next_cursor}`))).toEqual([own.id, shared.id]);
  });
});

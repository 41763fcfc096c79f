// GET /v1/cards/vault/{id}
import { describe, expect, it } from 'vitest';
import { newCard } from '../../factories/card.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/cards/vault/${id}`;

describe('GET /v1/cards/vault/{id}', () => {
  it('200: what was vaulted, by either form of its id', async () => {
    const card = await newCard(harness.test, { label: 'Travel' });
    for (const id of [card.id, card.id.slice(5)]) expect((await harness.test.get(pathOf(id))).body.data).toEqual(card);
  });

  it('200: one that has expired says so', async () => {
    const { id } = await newCard(harness.test, { expiry_month: 12, expiry_year: 2027 });
    const year = 366 * 86_400;
    harness.clock.advance(2 * year);
    expect((await harness.test.get(pathOf(id))).body.data).toMatchObject({ status: 'expired' });
    harness.clock.advance(-2 * year);
  });

  it('200: an agent reads its own card and that of its account', async () => {
    const { account, uuid, token } = await enrol(harness.test);
    for (const extra of [{}, { agent_id: uuid }]) {
      const card = await newCard(harness.test, extra, account);
      expect((await harness.test.get(pathOf(card.id), { as: token })).body.data).toEqual(card);
    }
  });

  describe('404', () => {
    it('for an agent: the card of another agent of its account, and that of another account', async () => {
      const { account, token } = await enrol(harness.test);
      const sister = await enrol(harness.test, { parent_account_id: account.id });
      const hers = await newCard(harness.test, { agent_id: sister.uuid }, account);
      for (const { id } of [hers, await newCard(harness.test)])
        expectRefused(await harness.test.get(pathOf(id), { as: token }), 404, 'not_found');
    });
  });
});

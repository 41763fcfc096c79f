// DELETE /v1/cards/vault/{id}
import { describe, expect, it } from 'vitest';
import { openCharge } from '../../../src/contexts/cards/charge/charge-request.js';
import { charge, newBuyer, newCard, planFor, toldOfParcel } from '../../factories/card.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/cards/vault/${id}`;

describe('DELETE /v1/cards/vault/{id}', () => {
  it('200: the card is gone, and its token for good', async () => {
    const card = await newCard(harness.test);
    const { status, body } = await harness.test.delete(pathOf(card.id));
    expect([status, body]).toEqual([200, { data: { id: card.id, deleted: true } }]);
    expectRefused(await harness.test.get(pathOf(card.id)), 404, 'not_found');
    expectRefused(await harness.test.delete(pathOf(card.id)), 404, 'not_found');
    const row = await harness.platform.database.unscoped.vaultedCard.findFirstOrThrow({ where: { id: card.id.slice(5) } });
    expect(row.sealedToken).toBeNull();
  });

  it('200: a deleted card pays nothing, also what was planned before', async () => {
    const buyer = await newBuyer(harness.test);
    const { ctx, plan } = await planFor(harness, buyer, '10.00');
    await harness.test.delete(pathOf(buyer.card.id));
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 404, fields: [{ path: ['paymentMethodId'] }] });
    await expect(ctx.db.$transaction((tx) => openCharge(ctx, tx, plan))).rejects.toMatchObject({ status: 404 });
  });

  it('200: a charge that the processor has not heard of has failed; one that it has goes on', async () => {
    const [waiting, sent] = [await newBuyer(harness.test), await newBuyer(harness.test, { token: 'tok_slow' })];
    const submitted = await charge(harness, sent);
    await harness.runDue();
    const opened = await charge(harness, waiting);
    for (const { card } of [waiting, sent]) await harness.test.delete(pathOf(card.id));
    await harness.advance(3_600);
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'failed', code: 'card_deleted' }]);
    expect(toldOfParcel(submitted)).toMatchObject([{ status: 'paid' }]);
  });
});

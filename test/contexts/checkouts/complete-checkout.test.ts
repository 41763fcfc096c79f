// POST /v1/acp/checkouts/{id}/complete and the same of UCP
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { basket, newShop } from '../../factories/checkout.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();

describe('smoke', () => {
  it('pays', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin();
    console.log(JSON.stringify(checkout, null, 1));
    const done = await shop.complete(checkout);
    console.log(done.status, JSON.stringify(done.body, null, 1));
    console.log(await eventsOf(harness, checkout.id.slice(8)), await balanceOf(harness.test, { id: shop.merchant.settlement_wallet_id }));
    const again = await shop.complete(checkout);
    console.log(again.status, JSON.stringify(again.body));
    await trip(harness, shop.uuid);
    const second = await shop.begin();
    const held = await shop.complete(second);
    console.log(held.status, JSON.stringify(held.body));
    const yes = await harness.test.post(`/v1/approvals/${held.body.approval.id}/approve`, {});
    console.log(yes.status, JSON.stringify(yes.body));
    void basket;
  });
});

// POST /v1/acp/checkouts/batch and POST /v1/ucp/checkouts/batch
import { describe, expect, it } from 'vitest';
import { basket, checkoutBody, newShop, uuidOf } from '../../factories/checkout.js';
import { newSeller } from '../../factories/mandate.js';
import { eventsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const [mug] = basket;

describe.each(['acp', 'ucp'] as const)('POST /v1/%s/checkouts/batch', (protocol) => {
  const path = `/v1/${protocol}/checkouts/batch`;

  it('201: what can be made is made, in order; the rest says why', async () => {
    const merchant = await newSeller(harness.test);
    const inactive = await newSeller(harness.test);
    await harness.test.patch(`/v1/merchants/${inactive.id}`, { status: 'inactive' });
    const foreign = await newSeller(harness.other);
    const bodies = [
      checkoutBody(merchant),
      checkoutBody(foreign),
      checkoutBody(merchant, { items: [mug], metadata: { n: 2 } }),
      checkoutBody(inactive),
    ];
    const { status, body } = await harness.test.post(path, { checkouts: bodies });
    expect([status, body]).toEqual([
      201,
      {
        batch_id: expect.stringMatching(/^bat_/),
        total: 4,
        created: 2,
        failed: 2,
        checkouts: [
          expect.objectContaining({ status: 'created', total: '27.50', client_secret: expect.stringMatching(/_chk_secret_/) }),
          expect.objectContaining({ status: 'created', total: '25.00', metadata: { n: 2 } }),
        ],
        errors: [
          {
            index: 1,
            code: 'not_found',
            error: expect.any(String),
            details: { fields: [expect.objectContaining({ path: 'merchant_id' })] },
          },
          { index: 3, code: 'merchant_blocked', error: expect.any(String), details: { terminal: true } },
        ],
      },
    ]);
    const batch = (await harness.test.get(`/v1/batches/${body.batch_id}`)).body.data;
    expect(batch).toMatchObject({
      kind: `${protocol}_checkouts`,
      status: 'completed',
      success_count: 2,
      failed_count: 2,
      total_amount: '107.50',
    });
    const items = (await harness.test.get(`/v1/batches/${body.batch_id}/items`)).body.data;
    expect(items.map((item: object) => ({ error: undefined, ...item }))).toMatchObject([
      { index: 0, status: 'succeeded', [`${protocol}_checkout_id`]: body.checkouts[0].id },
      { index: 1, status: 'failed', error: { code: 'not_found' } },
      { index: 2, status: 'succeeded', [`${protocol}_checkout_id`]: body.checkouts[1].id },
      { index: 3, status: 'failed' },
    ]);
    const told = await eventsOf(harness, uuidOf({ id: body.batch_id }));
    expect(told.map(({ type, data }) => [type, data.status, data.success_count])).toEqual([
      ['batch.created', 'pending', 0],
      ['batch.completed', 'completed', 2],
    ]);
    expect(await eventsOf(harness, uuidOf(body.checkouts[0]))).toHaveLength(protocol === 'acp' ? 1 : 0);
  });

  it('400 for a dry run, for there is none', async () => {
    const merchant = await newSeller(harness.test);
    expectInvalid(await harness.test.post(`${path}?dry_run=true`, { checkouts: [checkoutBody(merchant)] }), 'dry_run');
    expect(await harness.platform.database.unscoped.checkout.count({ where: { merchantId: merchant.id.slice(4) } })).toBe(0);
  });

  it('201 once for a key: the same checkouts, without their secrets', async () => {
    const merchant = await newSeller(harness.test);
    const headers = { 'Idempotency-Key': `batch-${merchant.id}` };
    const ask = () => harness.test.post(path, { checkouts: [checkoutBody(merchant), checkoutBody(merchant)] }, { headers });
    const [first, again] = [await ask(), await ask()];
    const without = first.body.checkouts.map(({ client_secret: _, ...rest }: { client_secret: string }) => rest);
    expect([again.status, again.body]).toEqual([201, { ...first.body, checkouts: without }]);
    expect(await harness.platform.database.unscoped.checkout.count({ where: { merchantId: merchant.id.slice(4) } })).toBe(2);
  });

  it('400 for the shape of any item, and nothing is made', async () => {
    const merchant = await newSeller(harness.test);
    const ask = (...extras: object[]) => harness.test.post(path, { checkouts: extras.map((extra) => checkoutBody(merchant, extra)) });
    expectInvalid(await ask({}, { items: [{ ...mug, quantity: 0 }] }), 'checkouts.1.items.0.quantity');
    expectInvalid(
      await ask({ items: [mug, { ...mug, currency: 'EUR' }] }, {}, { items: [{ ...mug, unit_price: '0' }] }),
      'checkouts.0.items.1.currency',
      'checkouts.2.items.0.unit_price',
    );
    expectInvalid(await ask({ metdata: {} }), 'checkouts.0.metdata');
    expectInvalid(await harness.test.post(path, { checkouts: [] }), 'checkouts');
    expectInvalid(await ask(...Array.from({ length: 101 }, () => ({}))), 'checkouts');
    expect(await harness.platform.database.unscoped.checkout.count({ where: { merchantId: merchant.id.slice(4) } })).toBe(0);
  });
});

it('an agent sees the batch that it made, and pays what is in it', async () => {
  const shop = await newShop(harness.test);
  const { body } = await harness.test.post('/v1/acp/checkouts/batch', { checkouts: [checkoutBody(shop.merchant)] }, { as: shop.token });
  expect((await harness.test.get(`/v1/batches/${body.batch_id}`, { as: shop.token })).status).toBe(200);
  expect((await shop.complete(body.checkouts[0])).status).toBe(200);
});

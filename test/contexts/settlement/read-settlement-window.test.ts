// GET /v1/settlement-windows and /v1/settlement-windows/{id}
import { describe, expect, it } from 'vitest';
import { newWindow } from '../../factories/window.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const path = '/v1/settlement-windows';

describe('GET /v1/settlement-windows', () => {
  it('200: newest first, by rail, currency and whether they are enabled; nothing of another tenant', async () => {
    await newWindow(harness.other);
    const [ach, off, sepa] = [
      await newWindow(harness.test),
      await newWindow(harness.test, { enabled: false }),
      await newWindow(harness.test, { rail: 'sepa', currency: 'EUR' }),
    ];
    expect((await harness.test.get(path)).body).toEqual({ data: [sepa, off, ach], pagination: expect.any(Object) });
    expect((await harness.test.get(`${path}?rail=ach&enabled=true`)).body.data).toEqual([ach]);
    expect((await harness.test.get(`${path}?currency=EUR`)).body.data).toEqual([sepa]);
  });
});

describe('GET /v1/settlement-windows/{id}', () => {
  it('200', async () => {
    const window = await newWindow(harness.test, { rail: 'pix', currency: 'BRL' });
    const { status, body } = await harness.test.get(`${path}/${window.id}`);
    expect([status, body]).toEqual([200, { data: window }]);
  });
});

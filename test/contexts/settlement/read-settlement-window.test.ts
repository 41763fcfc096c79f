// GET /v1/settlement-windows and /v1/settlement-windows/{id}
import { describe, expect, it } from 'vitest';
import { newWindow } from '../../factories/window.js';
import { nowhere, useHarness } from '../../harness.js';
import { describeUnauthenticated, itKnowsNothingOf, itRefusesAgents } from '../../refusal.js';

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

  describeUnauthenticated(harness, { method: 'GET', path });

  describe('403', () => {
    itRefusesAgents(harness, { method: 'GET', path });
  });
});

describe('GET /v1/settlement-windows/{id}', () => {
  it('200', async () => {
    const window = await newWindow(harness.test, { rail: 'pix', currency: 'BRL' });
    const { status, body } = await harness.test.get(`${path}/${window.id}`);
    expect([status, body]).toEqual([200, { data: window }]);
  });

  describeUnauthenticated(harness, { method: 'GET', path: `${path}/${nowhere}` });

  describe('403', () => {
    itRefusesAgents(harness, { method: 'GET', path: `${path}/${nowhere}` });
  });

  describe('404', () => {
    itKnowsNothingOf(
      harness,
      (id) => ({ method: 'GET', path: `${path}/${id}` }),
      (client) => newWindow(client, { enabled: false }),
    );
  });
});

// GET and PATCH /v1/settlement/config
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/settlement/config';
const read = async (client = harness.test) => (await client.get(path)).body.data;
const usual = {
  x402_fee_percentage: 0,
  auto_settlement_enabled: false,
  settlement_schedule: 'manual',
  holdback_percentage: 0,
  holdback_release_days: 7,
  reserve_amount: '0.00',
};

describe('GET /v1/settlement/config', () => {
  it('200: without one of its own, as by default', async () => {
    const { status, body } = await harness.other.get(path);
    expect([status, body]).toEqual([200, { data: usual }]);
  });
});

describe('PATCH /v1/settlement/config', () => {
  it('200: what is given is changed, here and nowhere else', async () => {
    const first = { x402_fee_percentage: 2.5, settlement_schedule: 'daily' };
    const { status, body } = await harness.test.patch(path, first);
    expect([status, body]).toEqual([200, { data: { ...usual, ...first } }]);
    const second = { holdback_percentage: 0.29, holdback_release_days: 30, auto_settlement_enabled: true };
    await harness.test.patch(path, second);
    expect(await read()).toEqual({ ...usual, ...first, ...second });
    for (const client of [harness.live, harness.other]) expect(await read(client)).toEqual(usual);
    await harness.test.patch(path, { holdback_percentage: 100, x402_fee_percentage: 0 });
    expect(await read()).toMatchObject({ holdback_percentage: 100, x402_fee_percentage: 0 });
    expect((await harness.test.patch(path, {})).status).toBe(200);
  });

  it('200: changes at once all count', async () => {
    const changes = [
      { x402_fee_percentage: 1 },
      { holdback_percentage: 2 },
      { settlement_schedule: 'weekly' },
      { auto_settlement_enabled: true },
    ];
    await Promise.all(changes.map((change) => harness.live.patch(path, change)));
    expect(await read(harness.live)).toMatchObject(Object.assign({}, ...changes));
  });

  describe('400', () => {
    it.each([
      [{ holdback_percentage: 100.01 }, 'holdback_percentage'],
      [{ holdback_percentage: -1 }, 'holdback_percentage'],
      [{ x402_fee_percentage: 0.001 }, 'x402_fee_percentage'],
      [{ x402_fee_percentage: '1' }, 'x402_fee_percentage'],
      [{ holdback_release_days: 0 }, 'holdback_release_days'],
      [{ holdback_release_days: 366 }, 'holdback_release_days'],
      [{ settlement_schedule: 'yearly' }, 'settlement_schedule'],
      [{ reserve_amount: '1.00' }, 'reserve_amount'],
    ])('for %o', async (change, member) => {
      expectInvalid(await harness.test.patch(path, change), member);
    });
  });
});

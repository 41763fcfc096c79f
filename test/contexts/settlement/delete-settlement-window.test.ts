// DELETE /v1/settlement-windows/{id}
import { describe, expect, it } from 'vitest';
import { newPayer, newPayout, readPayout } from '../../factories/payout.js';
import { newWindow } from '../../factories/window.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/settlement-windows/${id}`;

describe('DELETE /v1/settlement-windows/{id}', () => {
  it('200: payouts that wait for it are submitted at once, and later ones wait for nobody', async () => {
    const window = await newWindow(harness.test);
    const payer = await newPayer(harness.test);
    const waiting = await newPayout(harness.test, payer);
    const { status, body } = await harness.test.delete(pathOf(window.id));
    expect([status, body]).toEqual([200, { data: { id: window.id, deleted: true } }]);
    expect((await harness.test.get(pathOf(window.id))).status).toBe(404);
    const later = await newPayout(harness.test, payer);
    await harness.runDue();
    expect(await readPayout(harness.test, waiting)).toMatchObject({ status: 'confirmed', window_id: window.id });
    expect(later.window_id).toBeUndefined();
    expect((await readPayout(harness.test, later)).status).toBe('confirmed');
    await newWindow(harness.test);
  });
});

// kill -9 of a worker in the middle of its alerts: another takes up the rest, and each crossing is told of exactly once. With SLOW=1 alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { budgetBody } from '../../factories/budget.js';
import { transferBody } from '../../factories/payment.js';
import { eachOf } from '../../hostile.js';
import { make, type Server } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';
import { isSlow } from '../../slow.js';

const budgets = 300;
let server: ServerOnDatabase;

beforeAll(async () => {
  server = await ServerOnDatabase.start();
}, 120_000);
afterAll(() => server?.stop());

const countOf = async (query: string) => Number((await server.db.query(`SELECT count(*) FROM ${query}`)).rows[0].count);
const told = () => countOf(`event WHERE type = '_budget.alert'`);

/** A wallet of a new account. */
async function wallet(sandbox: Server): Promise<{ id: string; currency: string }> {
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
  return make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
}

describe.skipIf(!isSlow)('kill -9 of a worker that tells of crossings', () => {
  it('is followed by the rest of them, each told of once', { timeout: 180_000 }, async ({ annotate }) => {
    const { sandbox } = server;
    const [from, to] = [await wallet(sandbox), await wallet(sandbox)];
    await make(sandbox, `/v1/wallets/${from.id}/fund`, { amount: '100.00' });
    const names = Array.from({ length: budgets }, (_, n) => `Budget ${n}`);
    await eachOf(names, async (name) => void (await make(sandbox, '/v1/budgets', budgetBody({ name, alerts_at: [0.5] }))), 8);
    // One spend takes all of them over their mark.
    await make(sandbox, '/v1/transfers', transferBody(from, to, '60.00'));
    await expect.poll(told, { interval: 2, timeout: 20_000 }).toBeGreaterThan(0);
    await server.crash();
    const before = await told();
    expect(await countOf('limit_crossing')).toBe(budgets - before);
    expect(before).toBeLessThan(budgets);
    await server.startAgain();
    await expect.poll(told, { interval: 100, timeout: 60_000 }).toBe(budgets);
    expect(await countOf(`(SELECT DISTINCT object_id FROM event WHERE type = '_budget.alert') told`)).toBe(budgets);
    expect(await countOf('limit_crossing')).toBe(0);
    await annotate(`${before} of ${budgets} were told of before the kill`);
  });
});

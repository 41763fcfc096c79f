// A mandate that allows k executions allows exactly k of 200 at once, in two processes, mixed with transfers that present it and with
// checkouts paid by it; and one that is revoked or changed meanwhile pays nothing after that was answered.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../harness.js';
import { eachOf } from '../../hostile.js';
import { ask, insist, make, type Server } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let first: ServerOnDatabase;
/** The sandbox of another process. */
let second: string;

beforeAll(async () => {
  first = await ServerOnDatabase.start();
  second = await first.startSecond();
});

afterAll(() => first?.stop());

/** The server that takes the n-th request. */
const serverOf = (n: number): Server => (n % 2 === 0 ? first.sandbox : { ...first.sandbox, url: second });

async function newMandate(scope: object) {
  const server = first.sandbox;
  const person = { type: 'person', name: 'Somebody' };
  const [payer, payee] = [await make(server, '/v1/accounts', person), await make(server, '/v1/accounts', person)];
  const agent = await make(server, '/v1/agents', { parent_account_id: payer.id, name: 'Agent', wallet: { currency: 'USD' } });
  await make(server, `/v1/wallets/${agent.default_wallet_id}/fund`, { amount: '100000.00' });
  const to = await make(server, '/v1/wallets', { owner_type: 'account', owner_id: payee.id, currency: 'USD' });
  const shop = { name: 'Shop', category: 'retail', account_id: payee.id, settlement_wallet_id: to.id };
  const merchant = await make(server, '/v1/merchants', shop);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { account_id: payer.id, agent_id: agent.id, scope: { currency: 'USD', ...scope }, expires_at };
  const mandate = await make(server, '/v1/ap2/mandates', body);
  const checkout = { merchant_id: merchant.id, items: [{ sku: 'PEN', quantity: 1, unit_price: '1.00', currency: 'USD' }] };
  const { checkouts } = await make(server, '/v1/acp/checkouts/batch', { checkouts: Array.from({ length: 100 }, () => checkout) });
  return { mandate, merchant, from: agent.default_wallet_id, to: to.id, checkouts };
}
type Made = Awaited<ReturnType<typeof newMandate>>;

/** Spends one dollar: by a transfer, by an execution, or at the next checkout. */
async function spend({ mandate, merchant, from, to, checkouts }: Made, n: number): Promise<{ status: number; code: string | undefined }> {
  const by = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
  const money = { amount: '1.00', currency: 'USD' };
  const ways: (() => [path: string, body: object])[] = [
    () => ['/v1/transfers', { ...by, ...money, type: 'internal', from_wallet_id: from, to_wallet_id: to }],
    () => [`/v1/ap2/mandates/${mandate.id}/execute`, { ...money, mandate_jwt: by.mandate_jwt, merchant_id: merchant.id }],
    () => [`/v1/acp/checkouts/${checkouts.pop().id}/complete`, by],
  ];
  const [path, body] = ways[n % ways.length]?.() ?? ['', {}];
  const answer = await insist(serverOf(n), 'POST', path, body);
  return { status: answer.status, code: answer.body.code };
}

const paidTo = async ({ to }: Made) => (await ask(first.sandbox, 'GET', `/v1/wallets/${to}`)).body.data.balance.available;

describe('a mandate', () => {
  it.each([
    ['day', { max_per_day: '37.00' }],
    ['month', { max_per_month: '52.50' }],
  ])('is spent to its limit of a %s and not beyond', async (per, scope) => {
    const made = await newMandate(scope);
    const most = Math.floor(Number(Object.values(scope)[0]));
    const outcomes: Awaited<ReturnType<typeof spend>>[] = [];
    const all = Array.from({ length: 200 }, (_, n) => n);
    await eachOf(all, async (n) => void outcomes.push(await spend(made, n)), 64);
    expect(outcomes.filter(({ status }) => status < 300)).toHaveLength(most);
    for (const { status, code } of outcomes) if (status >= 300) expect([status, code], per).toEqual([403, 'mandate_limit_exceeded']);
    expect(await paidTo(made)).toBe(`${most}.00`);
    const { usage } = (await ask(first.sandbox, 'GET', `/v1/ap2/mandates/${made.mandate.id}`)).body.data;
    expect(usage).toMatchObject({ today: `${most}.00`, executions: most });
    const { data: executed } = (await ask(first.sandbox, 'GET', '/v1/events?type=ap2.mandate.executed&limit=100')).body;
    const own = executed.filter(({ data }: Json) => data.mandate_id === made.mandate.id).map(({ data }: Json) => data);
    expect(own).toHaveLength(most);
    const left = own.map((data: Json) => Number(per === 'day' ? data.remaining_daily : data.remaining_monthly));
    expect(Math.min(...left)).toBe(Number(Object.values(scope)[0]) - most);
  });

  it.each([
    ['its revocation', 'mandate_revoked', 'POST', '/revoke', {}],
    ['a change of its scope', 'invalid_mandate_jwt', 'PATCH', '', { scope: { max_per_tx: '5.00' } }],
  ] as const)('pays nothing in either process once %s was answered', async (_what, code, method, step, body) => {
    const made = await newMandate({ max_per_month: '1000.00' });
    const running = eachOf(
      Array.from({ length: 200 }, (_, n) => n),
      async (n) => void (await spend(made, n)),
      64,
    );
    await spend(made, 1);
    const { status } = await ask(serverOf(1), method, `/v1/ap2/mandates/${made.mandate.id}${step}`, body);
    expect(status).toBe(200);
    const then = await paidTo(made);
    await running;
    for (const n of [1, 2, 3]) expect((await spend(made, n)).code).toBe(code);
    expect(await paidTo(made)).toBe(then);
  });

  it('does not pay a merchant that another process has made inactive', async () => {
    const made = await newMandate({ max_per_month: '1000.00' });
    const execute = () => spend(made, 4);
    expect((await execute()).status).toBe(201);
    await ask(serverOf(1), 'PATCH', `/v1/merchants/${made.merchant.id}`, { status: 'inactive' });
    await expect.poll(async () => (await execute()).code, { interval: 50, timeout: 1_000 }).toBe('merchant_blocked');
  });
});

// Every transaction that makes a transfer final writes exactly one operation, and nothing else writes any (CONTRACT.md 17).
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Operation, Transfer } from '../../../src/generated/prisma/client.js';
import { newSpender } from '../../factories/decision.js';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
const operations = (subjectId?: string): Promise<Operation[]> =>
  harness.platform.database.unscoped.operation.findMany({
    where: subjectId === undefined ? {} : { subjectId },
    orderBy: { id: 'asc' },
  });
const post = (path: string, body: object = {}) => harness.test.post(path, body);
const inSeconds = (seconds: number) => new Date(harness.clock.now().getTime() + seconds * 1000).toISOString();
const statusOf = async (id: string) => (await harness.test.get(`/v1/transfers/${id}`)).body.data.status;

/** The one operation of a transfer. */
async function operationOf(id: string): Promise<Operation> {
  const found = await operations(id);
  expect(found).toHaveLength(1);
  return found[0] as Operation;
}

describe('the operation of a transfer', () => {
  let from: Json;
  let to: Json;
  beforeEach(async () => {
    ({ from, to } = await twoWallets(harness.test));
  });
  const create = (amount: string, extra: object = {}) => harness.test.make('/v1/transfers', transferBody(from, to, amount, extra));

  it('that completes at once: who paid whom, what, when, and in which trace', async () => {
    const body = transferBody(from, to, '42.00');
    const { id, initiated_by: initiator } = await harness.test.make('/v1/transfers', body, { headers });
    expect(await operationOf(id)).toMatchObject({
      at: harness.clock.now(),
      category: 'transfer',
      operation: 'transfer.internal',
      protocol: 'internal',
      success: true,
      amount: 4_200n,
      currency: 'USD',
      amountUsd: 42_000_000n,
      externalCostUsd: 0n,
      actorType: 'api_key',
      actorId: initiator.id.slice('key_'.length),
      agentId: null,
      accountId: from.account_id,
      counterpartyId: to.account_id,
      traceId: trace,
    });
  });

  it('of an agent', async () => {
    const spender = await newSpender(harness.test, { currency: 'USDC' });
    const { id } = (await spender.pay('0.000001')).body.data;
    const own = { agentId: spender.uuid, actorType: 'agent', actorId: spender.uuid, accountId: spender.account.id };
    expect(await operationOf(id)).toMatchObject({ ...own, amount: 1n, amountUsd: 1n });
  });

  it('that funds, wraps and unwraps', async () => {
    const made = async (verb: string) => {
      const { id } = await harness.test.make(`/v1/wallets/${from.id}/${verb}`, { amount: '5.00' });
      const { operation, amount, success, accountId, counterpartyId } = await operationOf(id);
      return [operation, amount, success, accountId, counterpartyId];
    };
    const own = from.account_id;
    expect(await made('fund')).toEqual(['transfer.funding', 500n, true, null, own]);
    expect(await made('wrap')).toEqual(['transfer.wrap', 500n, true, own, own]);
    expect(await made('unwrap')).toEqual(['transfer.unwrap', 500n, true, own, own]);
  });

  it('that is held: none until it is captured, then of what was captured', async () => {
    const whole = await create('10.00', { capture: 'manual' });
    const part = await create('10.00', { capture: 'manual' });
    expect([...(await operations(whole.id)), ...(await operations(part.id))]).toEqual([]);
    harness.clock.advance(60);
    await post(`/v1/transfers/${whole.id}/capture`);
    await post(`/v1/transfers/${part.id}/capture`, { amount: '2.50' });
    expect(await operationOf(whole.id)).toMatchObject({ success: true, amount: 1_000n, at: harness.clock.now() });
    expect(await operationOf(part.id)).toMatchObject({ success: true, amount: 250n, amountUsd: 2_500_000n });
  });

  it('that is called off, or whose hold expires: nothing moved', async () => {
    const cancelled = await create('10.00', { capture: 'manual' });
    const expired = await create('10.00', { capture: 'manual', hold_expires_in: 60 });
    await post(`/v1/transfers/${cancelled.id}/cancel`);
    await harness.advance(60);
    expect(await statusOf(expired.id)).toBe('cancelled');
    for (const { id } of [cancelled, expired])
      expect(await operationOf(id)).toMatchObject({ success: false, amount: 0n, amountUsd: 0n, operation: 'transfer.internal' });
  });

  it('that is scheduled: none until its time; then completed, failed, or called off before', async () => {
    const at = { scheduled_for: inSeconds(60) };
    const carried = await create('10.00', at);
    const failed = await create('1000.00', at);
    const cancelled = await create('10.00', at);
    const ids = [carried.id, failed.id, cancelled.id];
    for (const id of ids) expect(await operations(id)).toEqual([]);
    await post(`/v1/transfers/${cancelled.id}/cancel`);
    await harness.advance(60);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['completed', 'failed', 'cancelled']);
    const outcomes = await Promise.all(ids.map(operationOf));
    expect(outcomes.map(({ success, amount }) => [success, amount])).toEqual([
      [true, 1_000n],
      [false, 0n],
      [false, 0n],
    ]);
    expect(outcomes[1]?.at).toEqual(harness.clock.now());
  });

  it('there is none of what was refused, tried, or asked for twice', async () => {
    const before = (await operations()).length;
    expectRefused(await post('/v1/transfers', transferBody(from, to, '1000.00')), 422, 'insufficient_balance');
    expectRefused(await post(`/v1/wallets/${from.id}/wrap`, { amount: '1000.00' }), 422, 'insufficient_balance');
    expect((await post('/v1/transfers?dry_run=true', transferBody(from, to, '1.00'))).status).toBe(200);
    expect(await operations()).toHaveLength(before);
    const again = { headers: { 'Idempotency-Key': 'once' } };
    for (let n = 0; n < 3; n += 1) await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'), again);
    expect(await operations()).toHaveLength(before + 1);
  });

  it('is never changed', async () => {
    const { id } = await create('1.00');
    const { id: own } = await operationOf(id);
    const change = harness.platform.database.pool.query('UPDATE operation SET amount = 2 WHERE id = $1', [own]);
    await expect(change).rejects.toThrow('operation rows are immutable');
  });
});

describe('any history of transfers', () => {
  /** What was really moved by a transfer that is final, as its row says. */
  const movedBy = ({ status, amount, capturedAmount, holdId }: Transfer) =>
    status !== 'completed' ? 0n : holdId === null ? amount : (capturedAmount ?? 0n);

  const amounts = fc.integer({ min: 1, max: 6_000 }).map((minor) => (minor / 100).toFixed(2));
  const steps = fc.oneof(
    fc.record({ kind: fc.constantFrom('pay', 'hold', 'schedule', 'wrap', 'fund'), amount: amounts }),
    fc.record({ kind: fc.constantFrom('capture', 'cancel', 'wait', 'pair'), amount: amounts }),
  );

  it('has as many operations as transfers that became final, each of what was moved', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 20 }), async (history) => {
        const { from, to } = await twoWallets(harness.test);
        const { wallet: third } = await openWallet(harness.test, { funded: '20.00' });
        const pending: string[] = [];
        const create = async (body: object) => {
          const { data } = (await post('/v1/transfers', body)).body;
          if (data?.status === 'pending') pending.push(data.id);
        };
        const run: Record<string, (amount: string) => Promise<unknown>> = {
          pay: (amount) => create(transferBody(from, to, amount)),
          hold: (amount) => create(transferBody(from, to, amount, { capture: 'manual', hold_expires_in: 120 })),
          schedule: (amount) => create(transferBody(from, to, amount, { scheduled_for: inSeconds(90) })),
          wrap: (amount) => post(`/v1/wallets/${from.id}/wrap`, { amount }),
          fund: (amount) => post(`/v1/wallets/${to.id}/fund`, { amount }),
          capture: (amount) => post(`/v1/transfers/${pending.shift() ?? 'x'}/capture`, { amount }),
          cancel: () => post(`/v1/transfers/${pending.shift() ?? 'x'}/cancel`),
          wait: () => harness.advance(50),
          pair: (amount) => Promise.all([create(transferBody(from, to, amount)), pay(harness.test, third, to, '0.01')]),
        };
        for (const { kind, amount } of history) await run[kind]?.(amount);

        const transfers = await harness.platform.database.unscoped.transfer.findMany();
        const final = transfers.filter(({ status }) => ['completed', 'failed', 'cancelled'].includes(status));
        const written = await operations();
        const told = (id: string, success: boolean, amount: bigint) => `${id} ${success} ${amount}`;
        expect(written.map(({ subjectId, success, amount }) => told(subjectId, success, amount)).sort()).toEqual(
          final.map((transfer) => told(transfer.id, transfer.status === 'completed', movedBy(transfer))).sort(),
        );
      }),
      { numRuns: 12 },
    );
  });
});

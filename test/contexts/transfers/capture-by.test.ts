// Who captures and cancels a hold between two customers (CONTRACT.md 29 on 2): the side that its maker named, and the tenant always.
import { beforeEach, describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { newHolder } from '../../factories/mandate.js';
import { balanceOf, transferBody } from '../../factories/payment.js';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol, type TestAgent } from '../agents/identity.js';
import { carriedOut } from '../batches/transfer-batch.js';

const harness = useHarness();
let payer: TestAgent;
let payee: TestAgent;
beforeEach(async () => {
  const wallet = { currency: 'USD' };
  [payer, payee] = await Promise.all([enrol(harness.test, { wallet }), enrol(harness.test, { wallet })]);
  await harness.test.make(`/v1/wallets/${payer.agent.default_wallet_id}/fund`, { amount: '100.00' });
});
const from = () => ({ id: payer.agent.default_wallet_id, currency: 'USD' });
const to = () => ({ id: payee.agent.default_wallet_id });
const bodyOf = (extra: object = {}) => transferBody(from(), to(), '10.00', { capture: 'manual', ...extra });
const hold = (extra: object = {}) => harness.test.make('/v1/transfers', bodyOf(extra), { as: payer.token });
const step = (rel: 'capture' | 'cancel', { id }: Json, as?: string): Promise<Answer> =>
  harness.test.post(`/v1/transfers/${id}/${rel}`, {}, as === undefined ? {} : { as });
const next = (rel: string, actor: string, { id }: Json) => ({ rel, actor, method: 'POST', path: `/v1/transfers/${id}/${rel}` });

describe('a hold that its payer captures', () => {
  it('is what a transfer makes by itself: the payer captures it, not the payee, who may release it', async () => {
    const held = await hold();
    expect(held).toMatchObject({ capture_by: 'payer', capture: 'manual' });
    expectRefused(await step('capture', held, payee.token), 403, 'forbidden', {
      capture_by: 'payer',
      next_actions: [next('capture', 'api_key', held), next('cancel', 'agent', held)],
    });
    expect(await balanceOf(harness.test, from())).toMatchObject({ held: '10.00' });
    expect((await step('capture', held, payer.token)).body.data).toMatchObject({ status: 'completed', capture_by: 'payer' });
    expect((await step('cancel', await hold({ capture_by: 'payer' }), payee.token)).body.data.status).toBe('cancelled');
    expect((await step('cancel', await hold(), payer.token)).body.data.status).toBe('cancelled');
  });

  it('is captured and released by the tenant', async () => {
    expect((await step('capture', await hold())).body.data.status).toBe('completed');
    expect((await step('cancel', await hold())).body.data.status).toBe('cancelled');
  });
});

describe('a hold that its payee captures', () => {
  it('is captured and released by the payee, and not by the payer', async () => {
    const held = await hold({ capture_by: 'payee' });
    expect(held).toMatchObject({ capture_by: 'payee' });
    expectRefused(await step('capture', held, payer.token), 403, 'forbidden', {
      capture_by: 'payee',
      next_actions: [next('capture', 'api_key', held)],
    });
    expectRefused(await step('cancel', held, payer.token), 403, 'forbidden', { next_actions: [next('cancel', 'api_key', held)] });
    expect((await step('capture', held, payee.token)).body.data).toMatchObject({ status: 'completed' });
    expect((await step('cancel', await hold({ capture_by: 'payee' }), payee.token)).body.data.status).toBe('cancelled');
  });

  it('is captured and released by the tenant, and goes back at its end', async () => {
    expect((await step('capture', await hold({ capture_by: 'payee' }))).body.data.status).toBe('completed');
    expect((await step('cancel', await hold({ capture_by: 'payee' }))).body.data.status).toBe('cancelled');
    const held = await hold({ capture_by: 'payee', hold_expires_in: 60 });
    await harness.advance(60);
    expect((await step('cancel', held, payee.token)).status).toBe(409);
    expect(await balanceOf(harness.test, from())).toMatchObject({ available: '90.00', held: '0.00' });
  });

  it('is both sides’ where one agent is on both', async () => {
    const second = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: payer.id, currency: 'USD' });
    for (const capture_by of ['payer', 'payee']) {
      const body = transferBody(from(), second, '1.00', { capture: 'manual', capture_by });
      const made = () => harness.test.make('/v1/transfers', body, { as: payer.token });
      expect((await step('capture', await made(), payer.token)).status).toBe(200);
      expect((await step('cancel', await made(), payer.token)).status).toBe(200);
    }
  });

  it('is what an execution of a mandate makes, unless it says otherwise', async () => {
    const holder = await newHolder(harness.test);
    const made = async (extra: object) => (await holder.spend('5.00', { capture: 'manual', ...extra })).body.data;
    const seen = async ({ transfer_id: id }: Json) => (await harness.test.get(`/v1/transfers/${id}`)).body.data;
    const held = await seen(await made({}));
    expect(held.capture_by).toBe('payee');
    expectRefused(await step('cancel', held, holder.token), 403, 'forbidden');
    expect((await seen(await made({ capture_by: 'payer' }))).capture_by).toBe('payer');
    const { mandate_jwt } = holder.mandate;
    const wallet = { id: holder.merchant.settlement_wallet_id };
    const presented = transferBody(holder.wallet, wallet, '1.00', { capture: 'manual', mandate_id: holder.mandate.id, mandate_jwt });
    expect((await harness.test.make('/v1/transfers', presented, { as: holder.token })).capture_by).toBe('payee');
    expectInvalid(await holder.spend('1.00', { capture_by: 'payee' }), 'capture_by');
  });

  it('may be an item of a batch, and one that waited for an approval', async () => {
    const { items } = await carriedOut(harness, [bodyOf({ capture_by: 'payee', shared_metadata: { order: 1 } })]);
    const item = (await harness.test.get(`/v1/transfers/${items[0]?.transfer_id}`)).body.data;
    expect(item).toMatchObject({ capture_by: 'payee', shared_metadata: { order: 1 } });
    const waiting = await spender(harness);
    const asked = await waiting.ask('30.00', { capture: 'manual', capture_by: 'payee' });
    expect(asked.status).toBe(202);
    await harness.test.make(`/v1/approvals/${asked.body.approval.id}/approve`, {});
    const held = (await harness.test.get(`/v1/transfers/${asked.body.data.id}`)).body.data;
    expect(held).toMatchObject({ status: 'pending', capture_by: 'payee' });
    expectRefused(await step('cancel', held, waiting.token), 403, 'forbidden');
  });
});

describe('capture_by', () => {
  it('400 without capture: manual, and for another word', async () => {
    const create = (extra: object) => harness.test.post('/v1/transfers', bodyOf(extra));
    expectInvalid(await create({ capture: 'automatic', capture_by: 'payee' }), 'capture_by');
    expectInvalid(await create({ capture: undefined, capture_by: 'payer' }), 'capture_by');
    expectInvalid(await create({ capture_by: 'anybody' }), 'capture_by');
    const batch = await harness.test.post('/v1/transfers/batch', { transfers: [bodyOf({ capture: undefined, capture_by: 'payer' })] });
    expectInvalid(batch, 'transfers.0.capture_by');
  });

  it('is nothing of a hold of before, which either side captures and releases', async () => {
    const { unscoped } = harness.platform.database;
    const heldBefore = async () => {
      const held = await hold();
      await unscoped.transfer.updateMany({ where: { id: held.id }, data: { captureBy: null } });
      return held;
    };
    expect((await harness.test.get(`/v1/transfers/${(await heldBefore()).id}`)).body.data).not.toHaveProperty('capture_by');
    for (const as of [payer.token, payee.token]) {
      for (const rel of ['capture', 'cancel'] as const) expect((await step(rel, await heldBefore(), as)).status).toBe(200);
    }
  });
});

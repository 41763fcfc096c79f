// POST /v1/mpp/sessions/{id}/top-up and /close, and how a session ends by itself
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newMppSession } from '../../factories/mpp.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const step = ({ id }: Json, name: string, body: object = {}, as?: string) =>
  harness.test.post(`/v1/mpp/sessions/${id}/${name}`, body, as === undefined ? {} : { as });

describe('POST /v1/mpp/sessions/{id}/top-up', () => {
  it('200: vouchers may promise more', async () => {
    const { session, from, payer, voucher } = await newMppSession(harness.test);
    expectRefused(await voucher({ amount: '120.00' }), 422, 'insufficient_balance');
    const { status, body } = await step(session, 'top-up', { amount: '50.00' }, payer.token);
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { deposit_amount: '150.00', budget_remaining: '150.00' } } });
    expect((await voucher({ amount: '120.00' })).status).toBe(201);
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '850.00' });
  });

  it('202: leaves the session as it is until it is approved; what still waits at the end goes back', async () => {
    const { session, from, payer } = await newMppSession(harness.test);
    await trip(harness, payer.uuid);
    const ask = (amount: string) => step(session, 'top-up', { amount }, payer.token);
    const [first, second] = [await ask('50.00'), await ask('30.00')];
    expect(first).toMatchObject({ status: 202, body: { data: { deposit_amount: '100.00' }, approval: { status: 'pending' } } });
    const approved = await harness.test.post(`/v1/approvals/${first?.body.approval.id}/approve`, {});
    expect(approved.body.session).toMatchObject({ id: session.id, deposit_amount: '150.00' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '820.00', held: '30.00', total: '850.00' });
    await step(session, 'close');
    expect((await harness.test.get(`/v1/approvals/${second?.body.approval.id}`)).body.data.status).toBe('cancelled');
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00', held: '0.00' });
  });

  it('200: says what it would do, and changes nothing', async () => {
    const { session, from } = await newMppSession(harness.test);
    const { data } = (await harness.test.post(`/v1/mpp/sessions/${session.id}/top-up?dry_run=true`, { amount: '5000.00' })).body;
    expect(data.decision).toMatchObject({ outcome: 'deny', code: 'insufficient_balance' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00' });
  });

  it('400: an amount that is none', async () => {
    const { session } = await newMppSession(harness.test);
    for (const amount of ['0.00', '1.001', null]) expectInvalid(await step(session, 'top-up', { amount }), 'amount');
  });

  it('403: the agent of the payee', async () => {
    const { session, payee } = await newMppSession(harness.test);
    expectRefused(await step(session, 'top-up', { amount: '1.00' }, payee.token), 403, 'forbidden');
  });

  it('409: one that has ended', async () => {
    const { session } = await newMppSession(harness.test);
    await step(session, 'close');
    expectRefused(await step(session, 'top-up', { amount: '1.00' }), 409, 'state_conflict', { current_status: 'closed' });
  });
});

describe('POST /v1/mpp/sessions/{id}/close', () => {
  it('200: pays what was promised out of the oldest deposits, and returns the rest', async () => {
    const { session, from, to, payer, voucher } = await newMppSession(harness.test);
    await step(session, 'top-up', { amount: '50.00' });
    await step(session, 'top-up', { amount: '25.00' });
    await voucher({ amount: '120.00' });
    const { status, body } = await step(session, 'close', {}, payer.token);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'closed', settled_amount: '120.00', budget_used: '120.00', budget_remaining: '0.00' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '880.00' });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '120.00' });
    const { data } = (await harness.test.get(`/v1/transfers?agent_id=${payer.uuid}`)).body;
    expect(data.map((transfer: Json) => `${transfer.status} ${transfer.hold?.captured_amount}`).toSorted()).toEqual([
      'cancelled 0.00',
      'completed 100.00',
      'completed 20.00',
    ]);
    const operations = await harness.platform.database.unscoped.operation.findMany({ where: { agentId: payer.uuid, success: true } });
    expect(operations.map(({ category, protocol, amount }) => `${category} ${protocol} ${amount}`).toSorted()).toEqual([
      'mpp_payment mpp 10000',
      'mpp_payment mpp 2000',
    ]);
  });

  it('200: by the payee, and while the payer is frozen', async () => {
    const { session, from, to, payee, voucher } = await newMppSession(harness.test);
    await voucher({ amount: '1.00' });
    await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
    expect((await step(session, 'close', { cumulative_amount: '1.00' }, payee.token)).body.data).toMatchObject({ settled_amount: '1.00' });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '1.00' });
  });

  it('200: the payer promises a last amount', async () => {
    const { session, payer, read } = await newMppSession(harness.test);
    const { data } = (await step(session, 'close', { cumulative_amount: '7.00' }, payer.token)).body;
    expect(data).toMatchObject({ status: 'closed', settled_amount: '7.00' });
    expect((await read()).vouchers).toMatchObject([{ cumulative_amount: '7.00' }]);
  });

  it('400 and 422: more than was promised for the payee, more than the deposit for the payer', async () => {
    const { session, payer, payee } = await newMppSession(harness.test);
    expectInvalid(await step(session, 'close', { cumulative_amount: '1.00' }, payee.token), 'cumulative_amount');
    expectRefused(await step(session, 'close', { cumulative_amount: '100.01' }, payer.token), 422, 'insufficient_balance');
  });

  it('409: twice', async () => {
    const { session } = await newMppSession(harness.test);
    await step(session, 'close');
    expectRefused(await step(session, 'close'), 409, 'state_conflict', { current_status: 'closed' });
  });

  it('keeps a reserve back of what it pays', async () => {
    const { session, to, voucher } = await newMppSession(harness.test);
    const configure = (percentage: number) => harness.test.patch('/v1/settlement/config', { holdback_percentage: percentage });
    expect((await configure(10)).status).toBe(200);
    await voucher({ amount: '50.00' });
    await step(session, 'close');
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '45.00' });
    await configure(0);
  });

  it('pays every voucher that it has accepted, whoever is first', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { session, to, voucher, read } = await newMppSession(harness.test);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => voucher({ amount: '1.00' }))),
        step(session, 'close'),
      ]);
      const taken = answers.filter(({ status }) => status === 201).length;
      expect(await read()).toMatchObject({ status: 'closed', settled_amount: `${taken}.00` });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: `${taken}.00` });
    }
  });
});

describe('a session', () => {
  it('expires by the clock of the workspace, and pays what was promised', async () => {
    const { from, to, voucher, read } = await newMppSession(harness.test, { expires_in: 600 });
    await voucher({ amount: '30.00' });
    await harness.advance(600);
    expect(await read()).toMatchObject({ status: 'expired', settled_amount: '30.00', status_reason: 'expired' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '970.00' });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '30.00' });
  });

  it('is closed, soon, when its agent is revoked', async () => {
    const { payer, to, voucher, read } = await newMppSession(harness.test);
    await voucher({ amount: '30.00' });
    await harness.test.post(`/v1/agents/${payer.id}/revoke`, { reason: 'left' });
    expect((await voucher({ amount: '1.00' }, { as: harness.test.key })).status).not.toBe(201);
    await harness.runDue();
    expect(await read()).toMatchObject({ status: 'closed', settled_amount: '30.00', status_reason: 'agent_revoked' });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '30.00' });
  });

  it('keeps the wallets of both sides from being closed', async () => {
    const { session, from, to } = await newMppSession(harness.test, { deposit_amount: '1000.00' });
    for (const { id } of [from, to]) {
      expectRefused(await harness.test.post(`/v1/wallets/${id}/close`, {}), 409, 'state_conflict', {
        open: [{ type: 'mpp_session', id: session.id }],
      });
    }
    await step(session, 'close');
    expect((await harness.test.post(`/v1/wallets/${to.id}/close`, {})).status).toBe(200);
  });
});

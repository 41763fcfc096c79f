// Freezing and suspending pauses what a payer streams, at that instant; revoking ends it; and what is open keeps wallets open.
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();

describe('a payer that may not spend any more', () => {
  const cases: [string, (stream: Json, account: string, agent: string) => Promise<Json>, reason: string][] = [
    ['its wallet is frozen', ({ from_wallet_id: id }) => harness.test.post(`/v1/wallets/${id}/freeze`, {}), 'wallet_frozen'],
    [
      'its account is suspended',
      (_, account) => harness.test.patch(`/v1/accounts/${account}`, { status: 'suspended' }),
      'account_suspended',
    ],
    ['its agent is frozen', (_, __, agent) => harness.test.post(`/v1/agents/${agent}/freeze`, {}), 'agent_frozen'],
    ['its agent is suspended', (_, __, agent) => harness.test.post(`/v1/agents/${agent}/suspend`, {}), 'agent_suspended'],
  ];
  it.each(cases)('pauses its streams at that instant: %s', async (_name, freeze, reason) => {
    const { payer, stream } = await agentStream(harness);
    const other = await newStream(harness.test);
    harness.clock.advance(123);
    expect((await freeze(stream, payer.agent.parent_account_id, payer.id)).status).toBe(200);
    const now = harness.clock.now().toISOString();
    harness.clock.advance(1_000);
    expect(await readStream(harness.test, stream)).toMatchObject({
      status: 'paused',
      status_reason: reason,
      streamed_total: '1.23',
      checkpoint_at: now,
      version: 2,
    });
    expect(await readStream(harness.test, other.stream)).toMatchObject({ status: 'active' });
    const rows = await harness.platform.database.unscoped.streamCheckpoint.findMany({
      where: { streamId: stream.id.slice(4), version: 2 },
    });
    expect(rows).toMatchObject([{ status: 'paused', at: new Date(now) }]);
    expect((await step(harness.test, other.stream, 'cancel')).status).toBe(200);
  });

  it('pauses all of them with the kill switch; they are resumed by hand', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => newStream(harness.test)));
    await harness.test.post('/v1/spending/freeze', {});
    await harness.advance(1_000);
    await harness.test.post('/v1/spending/unfreeze', {});
    for (const { stream } of made) {
      expect(await readStream(harness.test, stream)).toMatchObject({
        status: 'paused',
        status_reason: 'workspace_frozen',
        streamed_total: '0.00',
      });
    }
    const [first] = made;
    const { data } = (await step(harness.test, first?.stream, 'resume')).body;
    expect(data).toMatchObject({ status: 'active' });
    expect(data).not.toHaveProperty('status_reason');
  });

  it('leaves a stream that was used up before, whose step has not run yet', async () => {
    const { from, stream } = await newStream(harness.test);
    harness.clock.advance(10_000);
    await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
    await harness.runDue();
    expect(await readStream(harness.test, stream)).toMatchObject({ status: 'exhausted', streamed_total: '100.00' });
  });

  it('never leaves one that flows, whoever is first', async () => {
    for (let i = 0; i < 8; i += 1) {
      const { from, to, stream } = await newStream(harness.test);
      await step(harness.test, stream, 'pause');
      const body = { from_wallet_id: from.id, to_wallet_id: to.id, currency: 'USD', flow_rate: '0.01', initial_deposit: '10.00' };
      await Promise.all([
        harness.test.post(`/v1/wallets/${from.id}/freeze`, {}),
        step(harness.test, stream, 'resume'),
        harness.test.post('/v1/streams', body),
        step(harness.test, stream, 'top-up', { amount: '1.00' }),
      ]);
      expect((await harness.test.get(`/v1/streams?wallet_id=${from.id}&status=active`)).body.data).toEqual([]);
    }
  });
});

describe('an agent that is revoked', () => {
  it('has what it pays cancelled, soon, with what has flowed until then; not what it is paid', async () => {
    const { payer, payee, stream } = await agentStream(harness);
    const back = await agentStream(harness);
    harness.clock.advance(200);
    await harness.test.post(`/v1/agents/${payer.id}/revoke`, { reason: 'left' });
    await harness.test.post(`/v1/agents/${back.payee.id}/revoke`, { reason: 'left' });
    await harness.advance(100);
    expect(await readStream(harness.test, stream)).toMatchObject({
      status: 'cancelled',
      status_reason: 'agent_revoked',
      streamed_total: '2.00',
    });
    expect(await balanceOf(harness.test, { id: payee.agent.default_wallet_id })).toMatchObject({ available: '2.00' });
    expect(await readStream(harness.test, back.stream)).toMatchObject({ status: 'active' });
  });
});

describe('a wallet on either side of an open stream', () => {
  it('is not closed, nor its account, until the stream has ended', async () => {
    const { from, to, stream } = await newStream(harness.test, { funded: '100.00' });
    const open = { open: [{ type: 'stream', id: stream.id }], next_actions: [{ path: `/v1/streams/${stream.id}/cancel` }] };
    for (const { id, account_id: account } of [from, to]) {
      expectRefused(await harness.test.post(`/v1/wallets/${id}/close`, {}), 409, 'state_conflict', open);
      expectRefused(await harness.test.patch(`/v1/accounts/${account}`, { status: 'closed' }), 409, 'state_conflict', open);
    }
    await step(harness.test, stream, 'cancel');
    expect((await harness.test.post(`/v1/wallets/${to.id}/close`, {})).status).toBe(200);
  });
});

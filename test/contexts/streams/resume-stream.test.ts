// POST /v1/streams/{id}/resume
import { describe, expect, it } from 'vitest';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const resume = (stream: { id: string }, as?: string) => step(harness.test, stream, 'resume', {}, as);

describe('POST /v1/streams/{id}/resume', () => {
  it('200: it flows again, and what was paused is not made up for', async () => {
    const { stream } = await newStream(harness.test);
    harness.clock.advance(100);
    await step(harness.test, stream, 'pause');
    harness.clock.advance(5_000);
    const { status, body } = await resume(stream);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'active', streamed_total: '1.00', version: 3 });
    harness.clock.advance(50);
    expect(await readStream(harness.test, stream)).toMatchObject({ streamed_total: '1.50' });
  });

  it('403: the agent of the payee, and while the payer may not spend', async () => {
    const { payer, payee, stream } = await agentStream(harness);
    await step(harness.test, stream, 'pause', {}, payer.token);
    expectRefused(await resume(stream, payee.token), 403, 'forbidden');
    const wallet = `/v1/wallets/${stream.from_wallet_id}`;
    const account = `/v1/accounts/${payer.agent.parent_account_id}`;
    for (const [freeze, unfreeze, code] of [
      [() => harness.test.post(`${wallet}/freeze`, {}), () => harness.test.post(`${wallet}/unfreeze`, {}), 'wallet_frozen'],
      [
        () => harness.test.patch(account, { status: 'suspended' }),
        () => harness.test.patch(account, { status: 'active' }),
        'wallet_frozen',
      ],
      [
        () => harness.test.post(`/v1/agents/${payer.id}/freeze`, {}),
        () => harness.test.post(`/v1/agents/${payer.id}/unfreeze`, {}),
        'agent_frozen',
      ],
      [() => harness.test.post('/v1/spending/freeze', {}), () => harness.test.post('/v1/spending/unfreeze', {}), 'workspace_frozen'],
    ] as const) {
      expect((await freeze()).status).toBe(200);
      expectRefused(await resume(stream), 403, code);
      expect((await unfreeze()).status).toBe(200);
    }
    expect((await resume(stream)).status).toBe(200);
  });

  it('409: one that is not paused; an exhausted one is topped up', async () => {
    const { stream } = await newStream(harness.test);
    expectRefused(await resume(stream), 409, 'state_conflict', { current_status: 'active' });
    await harness.advance(10_000);
    expectRefused(await resume(stream), 409, 'state_conflict', { current_status: 'exhausted' });
  });
});

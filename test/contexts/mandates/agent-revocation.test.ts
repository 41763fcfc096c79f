// The end of mandates with their agent (CONTRACT.md 5, 29).
import { describe, expect, it } from 'vitest';
import { mandateBody, newHolder, readMandate } from '../../factories/mandate.js';
import { eventsOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const revoke = (id: string) => harness.test.make(`/v1/agents/${id}/revoke`, { reason: 'stolen' });
const toldOf = async ({ id }: Json) =>
  (await eventsOf(harness, id.slice('ap2_mnd_'.length))).filter(({ type }: Json) => type === 'ap2.mandate.revoked');
const apiKeyId = async () => (await harness.test.get('/v1/me')).body.data.actor.id;

describe('the revocation of an agent', () => {
  it('revokes its mandates, each with its event; those that have ended stay as they are', async () => {
    const holder = await newHolder(harness.test);
    const spendable = await newHolder(harness.test);
    const more = [];
    for (let i = 0; i < 3; i += 1) more.push(await harness.test.make('/v1/ap2/mandates', mandateBody(holder)));
    const [ended, ...rest] = more as [Json, Json, Json];
    const expired = await harness.test.make(
      '/v1/ap2/mandates',
      mandateBody(holder, {}, { expires_at: new Date(harness.clock.now().getTime() + 60_000).toISOString() }),
    );
    await harness.test.make(`/v1/ap2/mandates/${ended.id}/revoke`, { reason: 'before' });
    await harness.advance(60);
    await revoke(holder.id);
    expectRefused(await holder.spend('1.00', {}, { as: harness.test.key }), 403, 'agent_suspended');
    const at = harness.clock.now().toISOString();
    await harness.runDue();
    for (const mandate of [holder.mandate, ...rest]) {
      expect(await readMandate(harness.test, mandate)).toMatchObject({
        status: 'revoked',
        revoked_at: at,
        revoked_reason: 'agent_revoked',
      });
      expect(await toldOf(mandate)).toEqual([
        {
          type: 'ap2.mandate.revoked',
          data: {
            mandate_id: mandate.id,
            account_id: `acc_${holder.account.id}`,
            agent_id: holder.id,
            status: 'revoked',
            reason: 'agent_revoked',
            revoked_by: await apiKeyId(),
            revoked_at: at,
          },
        },
      ]);
    }
    expect(await readMandate(harness.test, ended)).toMatchObject({ status: 'revoked', revoked_reason: 'before' });
    expect(await toldOf(ended)).toHaveLength(1);
    expect(await readMandate(harness.test, expired)).toMatchObject({ status: 'expired' });
    expect(await toldOf(expired)).toEqual([]);
    expect(await readMandate(harness.test, spendable.mandate)).toMatchObject({ status: 'active' });
    expectRefused(await holder.spend('1.00', {}, { as: harness.test.key }), 409, 'mandate_revoked');
  });

  it('leaves those of an agent that is frozen or suspended', async () => {
    const holder = await newHolder(harness.test);
    for (const step of ['freeze', 'suspend', 'activate']) await harness.test.make(`/v1/agents/${holder.id}/${step}`, {});
    await harness.runDue();
    expect(await readMandate(harness.test, holder.mandate)).toMatchObject({ status: 'active' });
  });

  it('and its mandates that are issued at the same moment: none stays in force', async () => {
    const holder = await newHolder(harness.test);
    const issued = Array.from({ length: 8 }, () => harness.test.post('/v1/ap2/mandates', mandateBody(holder)));
    await revoke(holder.id);
    const answers = await Promise.all(issued);
    await harness.runDue();
    for (const { status, body } of answers) {
      if (status === 201) expect(await readMandate(harness.test, body.data)).toMatchObject({ status: 'revoked' });
      else expectRefused({ status, body } as (typeof answers)[0], 409, 'state_conflict');
    }
  });
});

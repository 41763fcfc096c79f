// POST /v1/rails/{rail}/callbacks
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { callbackOf, newPayer, newPayout, readPayout, sendSigned, toldOf } from '../../factories/payout.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();

/** A payout that its rail has accepted. */
async function confirmed(rail = 'ach'): Promise<Json> {
  const payout = await newPayout(harness.test, await newPayer(harness.test, rail));
  await harness.runDue();
  return readPayout(harness.test, payout);
}
const statusOf = async (payout: Json) => (await readPayout(harness.test, payout)).status;

describe('POST /v1/rails/{rail}/callbacks', () => {
  describe('200', () => {
    it('settles the payout of the reference, once however often it is told', async () => {
      const payout = await confirmed();
      const body = await callbackOf(harness, payout);
      const answers = await Promise.all(Array.from({ length: 10 }, () => sendSigned(harness, 'ach', body)));
      for (const { status, body: answer } of answers)
        expect([status, answer]).toEqual([200, { data: { reference: body.reference, status: 'complete' } }]);
      expect((await toldOf(harness, payout)).payout).toEqual(['settlement.initiated', 'settlement.processing', 'settlement.completed']);
    });

    it('in any order: what comes too late changes nothing', async () => {
      const payout = await confirmed();
      for (const [state, then] of [
        ['settled', 'complete'],
        ['accepted', 'complete'],
        ['rejected', 'complete'],
        ['returned', 'returned'],
        ['settled', 'returned'],
        ['rejected', 'returned'],
      ]) {
        const body = await callbackOf(harness, payout, { state, code: 'R02' });
        expect((await sendSigned(harness, 'ach', body)).body).toEqual({ data: { reference: body.reference, status: then } });
      }
      expect((await toldOf(harness, payout)).payout).toHaveLength(4);
    });

    it('of random words the payout ends in one way, with each event told once', async () => {
      for (let seed = 0; seed < 6; seed += 1) {
        const payout = await confirmed();
        const says = ['accepted', 'settled', 'rejected', 'returned', 'settled', 'accepted'].sort(() => Math.random() - 0.5);
        await Promise.all(says.map(async (state) => sendSigned(harness, 'ach', await callbackOf(harness, payout, { state, code: 'R01' }))));
        expect(['failed', 'returned', 'complete']).toContain(await statusOf(payout));
        const { payout: told } = await toldOf(harness, payout);
        expect(new Set(told).size, told.join()).toBe(told.length);
      }
    });

    it('goes by the order where the rail has booked another amount', async () => {
      const payout = await confirmed();
      expect((await sendSigned(harness, 'ach', await callbackOf(harness, payout, { amount: '99.00' }))).status).toBe(200);
      expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'complete', amount: '100.00' });
    });
  });

  describe('400', () => {
    it('for a body that says something else, signed as it is', async () => {
      const body = await callbackOf(harness, await confirmed());
      expectInvalid(await sendSigned(harness, 'ach', { ...body, state: 'lost' }), 'state');
      expectInvalid(await sendSigned(harness, 'ach', { ...body, amount: '-1' }), 'amount');
      expectInvalid(await sendSigned(harness, 'ach', { ...body, reference: 'x'.repeat(36) }), 'reference');
      const headers = { 'X-Rail-Signature': `t=${Math.floor(harness.clock.now().getTime() / 1000)},v1=${'0'.repeat(64)}` };
      for (const raw of ['{', '[]', '1', '\ud800', 'null'])
        expect((await harness.test.call('POST', '/v1/rails/ach/callbacks', { as: null, raw, headers })).status, raw).toBe(400);
    });
  });

  describe('401', () => {
    it('for a signature that is missing, wrong, old, or that of another rail, body or workspace', async () => {
      const payout = await confirmed();
      const body = await callbackOf(harness, payout);
      const now = harness.clock.now().getTime();
      const bad = [
        { signature: '' },
        { signature: 'v1=x' },
        { signature: `t=${Math.floor(now / 1000)},v1=${'0'.repeat(64)}` },
        { at: new Date(now - 301_000) },
        { at: new Date(now + 301_000) },
      ];
      for (const options of bad) expectRefused(await sendSigned(harness, 'ach', body, options), 401, 'signature_invalid');
      const { signCallback } = await import('../../../src/contexts/settlement/rail/callback.js');
      const raw = Buffer.from(JSON.stringify(body));
      const signed = (rail: string, workspaceId: string, bytes = raw) =>
        signCallback(harness.platform.vault, { workspaceId, rail, at: harness.clock.now() }, bytes);
      for (const signature of [signed('wire', body.workspace), signed('ach', nowhere), signed('ach', body.workspace, Buffer.from('{}'))])
        expectRefused(await sendSigned(harness, 'ach', body, { signature }), 401, 'signature_invalid');
      expect(await statusOf(payout)).toBe('confirmed');
    });
  });

  describe('404', () => {
    it('for a reference of another workspace, however well it is signed: nothing changes', async () => {
      const payout = await confirmed();
      const foreign = await callbackOf({ platform: harness.elsewhere }, await newPayout(harness.other, await newPayer(harness.other)));
      const body = { ...(await callbackOf(harness, payout)), workspace: foreign.workspace };
      expectRefused(await sendSigned(harness, 'ach', body), 404, 'not_found');
      expectRefused(await sendSigned(harness, 'wire', await callbackOf(harness, payout)), 404, 'not_found');
      expect(await statusOf(payout)).toBe('confirmed');
    });

    it('for a rail that is none, and a workspace that is none', async () => {
      const body = await callbackOf(harness, await confirmed());
      for (const rail of ['swift', 'constructor']) expectRefused(await sendSigned(harness, rail, body), 404, 'not_found');
      expectRefused(await sendSigned(harness, 'ach', { ...body, workspace: nowhere }), 404, 'not_found');
    });
  });

  it('413 and 415: for a body that is too large, and one that is no JSON by its type', async () => {
    const large = await harness.test.call('POST', '/v1/rails/ach/callbacks', { as: null, raw: 'x'.repeat(300_000) });
    expectRefused(large, 413, 'body_too_large');
    const headers = { 'Content-Type': 'text/plain' };
    expectRefused(
      await harness.test.call('POST', '/v1/rails/ach/callbacks', { as: null, raw: '{}', headers }),
      415,
      'unsupported_media_type',
    );
  });

  it('503: in production, where no provider is connected', async () => {
    const body = await callbackOf(harness, await confirmed());
    expectRefused(await sendSigned(harness, 'ach', body, { client: harness.live }), 503, 'rail_unavailable');
  });

  it('is what the simulated rails tell too: a wallet is paid back once when it is told twice', async () => {
    await harness.test.make('/v1/test/rails/pix/faults', { kind: 'duplicate_callback', next_n: 1 });
    await harness.test.make('/v1/test/rails/pix/faults', { kind: 'return', next_n: 1 });
    const payer = await newPayer(harness.test, 'pix');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(10);
    await harness.advance(10);
    expect(await statusOf(payout)).toBe('returned');
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });
});

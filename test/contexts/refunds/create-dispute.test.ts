// POST /v1/disputes
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyPack } from '../../../verify/src/verify.js';
import { pay, waitingTransfer } from '../../factories/payment.js';
import { dispute, disputeBody, payment, refundBody } from '../../factories/refund.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const partName = (disclosure: string): string => JSON.parse(Buffer.from(disclosure, 'base64url').toString())[1];
const day = 86_400;
const file = (transfer: Json, extra: object = {}, as?: string) =>
  harness.test.post('/v1/disputes', disputeBody(transfer, extra), as === undefined ? {} : { as });

describe('POST /v1/disputes', () => {
  describe('201', () => {
    it('with evidence, for a part of what was paid', async () => {
      const { transfer } = await payment(harness.test);
      const evidence = [{ type: 'receipt', description: 'The mail', url: 'https://example.com/1', content: 'Dear' }];
      const more = { amount_disputed: '40.00', evidence, requested_resolution: 'refund_partial' };
      const { status, body } = await file(transfer, more);
      const at = harness.clock.now();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^dsp_/),
        transfer_id: transfer.id,
        status: 'open',
        reason: 'service_not_received',
        description: 'Nothing came.',
        amount_disputed: '40.00',
        currency: 'USD',
        requested_resolution: 'refund_partial',
        evidence: [{ party: 'payer', ...evidence[0], at: at.toISOString() }],
        respond_by: new Date(at.getTime() + 30 * day * 1000).toISOString(),
        filed_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
      });
    });

    it('with the pack of the transfer, as the side that files may see it', async () => {
      const { transfer, payer } = await paidByAgent();
      const { status, body } = await file(transfer, { evidence: [{ type: 'pack' }] }, payer.token);
      expect(status).toBe(201);
      const [piece] = body.data.evidence;
      expect(piece).toMatchObject({ party: 'payer', type: 'pack', description: 'What proves the transfer.' });
      expect(piece.sha256).toBe(createHash('sha256').update(piece.content).digest('hex'));
      expect(verifyPack(piece.content)).toMatchObject({ outcome: 'own', pack: { transferId: `tx_${transfer.id}` } });
      const names = (text: string) => JSON.parse(text).leaves.flatMap(({ disclosures }: Json) => disclosures.map(partName));
      expect(names(piece.content)).toContain('money');
      expect(names(piece.content)).not.toContain('said');
      const whole = await harness.test.get(`/v1/transfers/${transfer.id}/evidence`);
      expect(names(JSON.stringify(whole.body))).toContain('said');
    });

    it('for all that can still be refunded', async () => {
      const { transfer } = await payment(harness.test);
      await harness.test.make('/v1/refunds', refundBody(transfer, { amount: '10.00' }));
      expect((await file(transfer)).body.data.amount_disputed).toBe('90.00');
    });

    it('by the agent that paid; on the last of 120 days', async () => {
      const { transfer, payer } = await paidByAgent();
      harness.clock.advance(120 * day);
      const { status, body } = await file(transfer, {}, payer.token);
      expect(status).toBe(201);
      expect(body.data.filed_by).toEqual({ type: 'agent', id: payer.id });
    });

    it('again, when the first was resolved', async () => {
      const { transfer, dispute: first } = await dispute(harness.test);
      await harness.test.make(`/v1/disputes/${first.id}/resolve`, { resolution: 'withdrawn' });
      expect((await file(transfer)).status).toBe(201);
    });
  });

  describe('400', () => {
    it('for what the members cannot be', async () => {
      const { transfer } = await payment(harness.test);
      expectInvalid(await file(transfer, { reason: 'boredom' }), 'reason');
      expectInvalid(await file(transfer, { description: '' }), 'description');
      expectInvalid(await file(transfer, { description: 'x'.repeat(2001) }), 'description');
      expectInvalid(await file(transfer, { amount_disputed: '0' }), 'amount_disputed');
      const piece = { type: 'receipt', description: 'The mail' };
      expectInvalid(await file(transfer, { evidence: Array.from({ length: 21 }, () => piece) }), 'evidence');
      expectInvalid(await file(transfer, { evidence: [{ ...piece, url: 'ftp://example.com' }] }), 'evidence.0.url');
      const long = { ...piece, content: 'x'.repeat(10_000) };
      expectInvalid(await file(transfer, { evidence: [long, long, long, long] }), 'evidence');
      expectInvalid(await file(transfer, { evidence: [{ type: 'receipt' }] }), 'evidence.0.description');
      expectInvalid(await file(transfer, { evidence: [{ type: 'pack' }, piece, { type: 'pack' }] }), 'evidence.2.type');
    });
  });

  describe('403', () => {
    it('for the agent that was paid', async () => {
      const { transfer, payee } = await paidByAgent();
      expectRefused(await file(transfer, {}, payee.token), 403, 'forbidden');
    });
  });

  describe('404', () => {
    it('for a transfer of nobody, and one that an agent does not see', async () => {
      expectRefused(await file({ id: nowhere }), 404, 'not_found');
      expectRefused(await file({ id: nowhere }, { evidence: [{ type: 'pack' }] }), 404, 'not_found');
      const { transfer } = await payment(harness.test);
      const { token } = await enrol(harness.test);
      expectRefused(await file(transfer, {}, token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('while another is open: it is named', async () => {
      const { transfer, dispute: first } = await dispute(harness.test);
      const refused = await file(transfer);
      expectRefused(refused, 409, 'already_exists');
      expect(refused.body.details.next_actions).toEqual([
        { rel: 'existing', actor: 'any', method: 'GET', path: `/v1/disputes/${first.id}` },
      ]);
    });

    it('of twenty at once, one is filed', async () => {
      const { transfer } = await payment(harness.test);
      const answers = await Promise.all(Array.from({ length: 20 }, () => file(transfer)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    });

    it('after 120 days', async () => {
      const { transfer } = await payment(harness.test);
      harness.clock.advance(120 * day + 0.001);
      expectRefused(await file(transfer), 409, 'state_conflict', { reason: 'window_closed', terminal: true });
    });

    it('for a transfer that is not completed, and a wrap', async () => {
      expectRefused(await file(await waitingTransfer(harness.test)), 409, 'state_conflict');
      const { from } = await payment(harness.test);
      const wrap = await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '1.00' });
      expectRefused(await file(wrap), 409, 'state_conflict', { reason: 'not_refundable' });
    });
  });

  describe('422', () => {
    it('for more than is left', async () => {
      const { transfer } = await payment(harness.test);
      const evidence = [{ type: 'receipt', description: 'The mail' }];
      const refused = await file(transfer, { amount_disputed: '100.01', evidence });
      const body = disputeBody(transfer, { amount_disputed: '100.00', evidence });
      const action = { rel: 'dispute_rest', actor: 'any', method: 'POST', path: '/v1/disputes', body };
      expectRefused(refused, 422, 'refund_exceeds_original', { refundable: '100.00', next_actions: [action] });
      const { id } = await harness.test.make(action.path, refused.body.details.next_actions[0].body);
      await harness.test.make(`/v1/disputes/${id}/resolve`, { resolution: 'rejected' });
      await harness.test.make('/v1/refunds', refundBody(transfer));
      expectRefused(await file(transfer), 422, 'refund_exceeds_original', { terminal: true });
    });
  });
});

async function paidByAgent() {
  const [payer, payee] = await Promise.all([1, 2].map(() => enrol(harness.test, { wallet: { currency: 'USD' } })));
  const [from, to] = [payer, payee].map((agent) => ({ id: agent?.agent.default_wallet_id, currency: 'USD' }));
  await harness.test.make(`/v1/wallets/${from?.id}/fund`, { amount: '10.00' });
  return { transfer: await pay(harness.test, from, to, '10.00'), payer: payer as Json, payee: payee as Json };
}

describe('a dispute that nobody answers', () => {
  it('is escalated after 30 days', async () => {
    const { dispute: open } = await dispute(harness.test);
    await openWallet(harness.test);
    await harness.advance(30 * day - 1);
    expect((await harness.test.get(`/v1/disputes/${open.id}`)).body.data.status).toBe('open');
    await harness.advance(1);
    const { data } = (await harness.test.get(`/v1/disputes/${open.id}`)).body;
    expect(data).toMatchObject({ status: 'escalated', escalated_at: open.respond_by });
  });
});

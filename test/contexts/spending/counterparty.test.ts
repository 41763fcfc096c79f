// Who has paid whom, as approvals and rules are told (src/contexts/spending/pipeline/counterparty.ts): written from what was published.
import { describe, expect, it } from 'vitest';
import { isKnownCounterparty } from '../../../src/contexts/spending/pipeline/counterparty.js';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { newStream, step, type TestStream } from '../../factories/stream.js';
import { type Client, type Json, openWallet, useHarness } from '../../harness.js';
import { ctxOf, query } from '../../ledger/wallet-ref.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

async function knows(from: Json, to: Json, client: Client = harness.test): Promise<boolean> {
  const party = ({ id, account_id }: Json) => ({ walletId: id, accountId: account_id, agentId: null });
  return isKnownCounterparty(await ctxOf(harness, client), { payer: party(from), payee: party(to) });
}

describe('a counterparty', () => {
  it('is known once a payment to it was completed, in that direction and workspace', async () => {
    const { from, to } = await twoWallets(harness.test);
    expect(await knows(from, to)).toBe(false);
    const { created_at: since } = await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    expect([await knows(from, to), await knows(to, from), await knows(from, to, harness.other)]).toEqual([true, false, false]);
    harness.clock.advance(60);
    await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    const rows = await query(harness, 'SELECT payee_id, since FROM counterparty WHERE payer_id = $1', [from.account_id]);
    expect(rows).toEqual([{ payee_id: to.account_id, since: new Date(since) }]);
  });

  it('is known for each of its wallets, and to each agent of the account that paid', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { agent } = await enrol(harness.test, { parent_account_id: from.account_id, wallet: { currency: 'USD' } });
    const wallet = (await harness.test.get(`/v1/wallets/${agent.default_wallet_id}`)).body.data;
    await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    const second = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: to.account_id, currency: 'EUR' });
    expect(await knows(wallet, second)).toBe(true);
  });

  it('is not known by a hold, until it is captured', async () => {
    const { from, to } = await twoWallets(harness.test);
    const held = await pay(harness.test, from, to, '1.00', { capture: 'manual' });
    await harness.runDue();
    expect(await knows(from, to)).toBe(false);
    await harness.test.make(`/v1/transfers/${held.id}/capture`, {});
    await harness.runDue();
    expect(await knows(from, to)).toBe(true);
  });

  it('is not known by a stream until the stream has paid: what it withdrew, or what flowed until the end', async () => {
    const knowsOf = async ({ from, to }: TestStream) => {
      await harness.runDue();
      return knows(from, to);
    };
    const [idle, drawn, ended] = [await newStream(harness.test), await newStream(harness.test), await newStream(harness.test)];
    expect(await knowsOf(idle)).toBe(false);
    const { body } = await step(harness.test, idle.stream, 'cancel');
    expect([body.data.status, body.transfer.amount, await knowsOf(idle)]).toEqual(['cancelled', '0.00', false]);
    harness.clock.advance(60);
    expect([await knowsOf(drawn), await knowsOf(ended)]).toEqual([false, false]);
    await step(harness.test, drawn.stream, 'withdraw');
    await step(harness.test, ended.stream, 'cancel');
    expect([await knowsOf(drawn), await knowsOf(ended)]).toEqual([true, true]);
  });

  it('is not known by a refund', async () => {
    const { from, to } = await twoWallets(harness.test);
    const paid = await pay(harness.test, from, to, '2.00');
    await harness.test.make('/v1/refunds', { original_transfer_id: paid.id, reason: 'customer_request' });
    await harness.runDue();
    expect([await knows(from, to), await knows(to, from)]).toEqual([true, false]);
  });

  it('that was only refunded, or has only paid, meets new_counterparty', async () => {
    const { from, to } = await twoWallets(harness.test);
    const paid = await pay(harness.test, from, to, '2.00');
    await harness.test.make('/v1/refunds', { original_transfer_id: paid.id, amount: '1.00', reason: 'customer_request' });
    await harness.runDue();
    const rules = [{ kind: 'new_counterparty' }];
    await harness.test.make('/v1/policies', { name: 'Known', target: { type: 'wallet', id: to.id }, rules });
    const answer = await harness.test.post('/v1/transfers', transferBody(to, from, '1.00'));
    expectRefused(answer, 403, 'policy_violation', { reason: 'new_counterparty' });
  });

  it('is always known when it is the account itself; nobody outside is', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '5.00' });
    expect(await knows(wallet, wallet)).toBe(true);
    await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '1.00' });
    await harness.runDue();
    expect(await query(harness, 'SELECT FROM counterparty WHERE payer_id = $1 OR payee_id = $1', [wallet.account_id])).toEqual([]);
    const payer = { walletId: wallet.id, accountId: wallet.account_id, agentId: null };
    expect(await isKnownCounterparty(await ctxOf(harness, harness.test), { payer, payee: null })).toBe(false);
  });
});

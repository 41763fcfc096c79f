// The chapter of settlement.
import type { Teller } from './teller.js';

/** A payout whose acknowledgment is lost: nobody tells us that the rail has paid, and reconciliation finds it. */
export async function lostPayout(teller: Teller, company: string, account: string): Promise<void> {
  const owner = { owner_type: 'account', owner_id: account, currency: 'BRL' };
  const { data: wallet } = await teller.ask('The seller has a wallet in Brazil', 'POST', '/v1/wallets', company, owner);
  await teller.ask('With money in it', 'POST', `/v1/wallets/${wallet.id}/fund`, company, { amount: '100.00' });
  const { data: bank } = await teller.ask('And a bank account, named by its Pix key', 'POST', '/v1/bank-accounts', company, {
    account_id: account,
    rail: 'pix',
    holder_name: 'Seller Ltd',
    details: { key: 'seller@example.com' },
  });
  const fault = { kind: 'lost_ack', next_n: 1 };
  await teller.ask('The next acknowledgment of Pix will be lost', 'POST', '/v1/test/rails/pix/faults', company, fault);
  const payout = { wallet_id: wallet.id, amount: '40.00', currency: 'BRL', destination: { type: 'bank', ref: bank.id } };
  const { data: sent } = await teller.ask('The seller pays itself 40.00', 'POST', '/v1/payouts', company, payout);
  const path = `/v1/payouts/${sent.id}`;
  await teller.until('The order is with Pix, as far as anybody knows', path, company, ({ data }) => data.rail_reference !== undefined);
  const { data: clock } = await teller.ask('Pix pays within ten seconds', 'POST', '/v1/test/clocks/advance', company, { seconds: 20 });
  const { data: waiting } = await teller.ask('And the payout still waits to hear of it', 'GET', path, company);
  if (waiting.status !== 'pending') throw new Error('the acknowledgment was not lost');
  const day = clock.now.slice(0, 10);
  const { data: run } = await teller.ask(
    'The company compares its books with the statement of Pix',
    'POST',
    '/v1/reconciliation/runs',
    company,
    { rail: 'pix', date_from: day, date_to: day },
    {},
    202,
  );
  await teller.until(
    'The statement has a payment that the books do not have',
    `/v1/reconciliation/reports/${run.id}`,
    company,
    ({ data }) => data.status === 'completed',
  );
  await teller.until('So the rail was asked: the payout is complete', path, company, ({ data }) => data.status === 'complete');
}

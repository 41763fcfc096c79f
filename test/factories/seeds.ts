// One object of every kind, which the tests of isolation try to reach from elsewhere.
import { randomUUID } from 'node:crypto';
import { enrol, signIn } from '../contexts/agents/identity.js';
import { someBatch } from '../contexts/batches/transfer-batch.js';
import { type Client, type Harness, openWallet } from '../harness.js';
import { policySeeds, type Seeds, webhookSeeds } from '../operation.js';
import { storedApproval } from './approval.js';
import { auditSeeds } from './audit.js';
import { newBudget, unusedTrace } from './budget.js';
import { storedCard } from './card.js';
import { storedInstruction } from './card-instruction.js';
import { checkoutSeeds } from './checkout.js';
import { refusedSpend } from './decision.js';
import { newQuote } from './exchange.js';
import { storedFunding } from './funding.js';
import { mandateBody } from './mandate.js';
import { storedMppPayment, storedMppSession } from './mpp.js';
import { waitingTransfer } from './payment.js';
import { newBankAccount, storedPayout } from './payout.js';
import { reconciliationSeeds } from './reconciliation.js';
import { storedDispute, storedRefund } from './refund.js';
import { someRule } from './settlement-rule.js';
import { storedStream } from './stream.js';
import { storedTask } from './task.js';
import { someTrace } from './trace.js';
import { newWindow } from './window.js';
import { x402Seeds } from './x402.js';

/** One object of every kind, in any environment. A new collection needs its line here. */
export async function seedsOf(harness: Harness, client: Client): Promise<Seeds> {
  const [{ account, wallet }, payee] = await Promise.all([openWallet(client), openWallet(client)]);
  const skill = randomUUID();
  const agent = await enrol(client, { parent_account_id: account.id, skills: [skill] });
  const token = await signIn(client, agent);
  const { data: sessions } = (await client.get(`/v1/agents/${agent.id}/sessions`, { as: token })).body;
  const { data: tokens } = (await client.get(`/v1/agents/${agent.id}/tokens`)).body;
  const budget = await newBudget(client, { scope: unusedTrace });
  return {
    account: account.id,
    ...(await x402Seeds(harness, client, account)),
    to_account: payee.account.id,
    wallet: wallet.id,
    to_wallet: payee.wallet.id,
    payee_wallet: payee.wallet.id,
    agent: agent.uuid,
    skill,
    actor: agent.uuid,
    trace: await someTrace(client),
    merchant: (await client.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: account.id })).id,
    transfer: (await waitingTransfer(client)).id,
    quote: (await newQuote(client)).id,
    refund: (await storedRefund(harness, client)).id,
    dispute: (await storedDispute(harness, client)).id,
    stream: (await storedStream(harness, client)).id,
    mpp_session: (await storedMppSession(harness, client)).id,
    mpp_payment: (await storedMppPayment(harness, client)).id,
    task: (await storedTask(harness, client)).id,
    // Another agent of the account, where one would do business with itself.
    colleague: (await enrol(client, { parent_account_id: account.id })).uuid,
    bank_account: (await newBankAccount(client, account.id)).id,
    payout: (await storedPayout(harness, client)).id,
    transaction: (await storedFunding(harness, client)).id,
    vault: (await storedCard(harness, client)).id,
    instruction: (await storedInstruction(harness, client)).id,
    settlement_rule: (await someRule(client)).id,
    mandate: (await client.make('/v1/ap2/mandates', mandateBody({ ...agent, account }))).id,
    settlement_window: (await newWindow(client, { enabled: false })).id,
    ...(await checkoutSeeds(client, payee.account)),
    decision: (await refusedSpend(harness, client)).id,
    target: account.id,
    approval: (await storedApproval(harness, client)).id,
    batch: (await someBatch(client)).id,
    api_key: (await client.make('/v1/api-keys', { name: 'Seed' })).id,
    ...(await auditSeeds(client)),
    rate: (await client.put('/v1/rates', { rates: [{ from: 'MXN', to: 'BRL', rate: '0.31' }] })).body.data[0].id,
    session: sessions[0].id,
    token: tokens[0].id,
    ...(await reconciliationSeeds(harness, client)),
    snapshot: (await client.post('/v1/treasury/snapshot', {})).body.id,
    budget: budget.id,
    parent: budget.id,
    scope: agent.uuid,
    ...(await webhookSeeds(client)),
    ...(await policySeeds(client)),
  };
}

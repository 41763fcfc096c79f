// Relations beside the ids that nouns show (CONTRACT.md 29): where they are, that they show no more than their own root, and that those of
// one level are read together.
import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../src/schema.js';
import { countQueries, enrol } from './contexts/agents/identity.js';
import { mandateBody } from './factories/mandate.js';
import { newEndpoint } from './factories/x402.js';
import { type Json, openWallet, useHarness } from './harness.js';

const harness = useHarness();

/** Ids without a relation: of the noun itself under another name, and those that are still to come. */
const without = new Set(
  [
    // The same noun, and what it stands in.
    'X402Payment.paymentId',
    'WalletBalance.walletId',
    'AgentLimits.agentId',
    // What leads back to where one comes from, or is read by another root beside it.
    'Entry.transferId',
    'Entry.walletId',
    'Agent.defaultWalletId',
    'Merchant.settlementWalletId',
    'Budget.parentId',
    'CardInstruction.instructionId',
    'Refund.disputeId',
    'Dispute.refundId',
    'Task.candidateAgentIds',
    'Decision.rateIds',
    // Of one side of a transfer alone: they follow what that side sees.
    ...['agentId', 'approvalId', 'batchId', 'decisionId', 'fromAccountId', 'fromWalletId', 'fundingTransactionId', 'mandateId'],
    ...['payoutId', 'quoteId', 'refundId', 'streamId', 'taskId', 'toAccountId', 'toWalletId'],
    // Roots of other contexts, of operators.
    'BatchItem.transferId',
    'BatchItem.acpCheckoutId',
    'BatchItem.ucpCheckoutId',
    'CardInstruction.decisionId',
    'Decision.approvalId',
    'Delivery.eventId',
    'Delivery.webhookId',
    'Discrepancy.adjustmentTransferId',
    'Discrepancy.payoutId',
    'Discrepancy.reportId',
    'MppPayment.x402PaymentId',
    'Payout.windowId',
    'SettlementRule.walletId',
    'Task.disputeId',
  ].map((name) => (name.includes('.') ? name : `Transfer.${name}`)),
);

describe('an id that a noun shows', () => {
  it('has a relation beside it, where its noun has a root', () => {
    const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) => args.some(({ name }) => name === 'id'));
    const nouns = new Set(roots.map(({ type }) => getNamedType(type)).filter(isObjectType));
    const ids = new Set([
      'AgentUuid',
      ...roots.flatMap(({ args }) => args.filter(({ name }) => name === 'id').map(({ type }) => `${getNamedType(type)}`)),
    ]);
    const missing = [...nouns].flatMap((noun) => {
      const fields = noun.getFields();
      return Object.values(fields).flatMap(({ name, type }) => {
        const relation = fields[name.replace(/Ids?$/, '')];
        const isLeft =
          name === 'id' || !ids.has(`${getNamedType(type)}`) || (relation !== undefined && isObjectType(getNamedType(relation.type)));
        return isLeft ? [] : [`${noun.name}.${name}`];
      });
    });
    expect(missing.sort()).toEqual([...without].sort());
  });
});

describe('relations', () => {
  it('of one level are read together: a page of two costs as many queries as one of eight', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => enrol(harness.test)));
    for (const agent of [...agents, ...agents]) await harness.test.make('/v1/ap2/mandates', mandateBody(agent));
    const read = async (limit: number) => {
      let nodes: Json[] = [];
      const query = `{ mandates(limit: ${limit}) { nodes { agentId accountId agent { id name wallets { pagination { total } } } account { id name } } } }`;
      const count = await countQueries(harness.platform, async () => {
        nodes = (await harness.test.graphql(query)).body.data.mandates.nodes;
      });
      for (const { agentId, accountId, agent, account } of nodes) expect([agent.id, account.id]).toEqual([`agt_${agentId}`, accountId]);
      expect(nodes).toHaveLength(limit);
      return count;
    };
    await read(1);
    expect(await read(8)).toBe(await read(2));
  });

  it('show an actor what their own root would, and null for the rest', async () => {
    const holder = await enrol(harness.test);
    const { id } = await harness.test.make('/v1/ap2/mandates', mandateBody(holder));
    const query = 'query ($id: MandateId!) { mandate(id: $id) { agent { id } account { id } } }';
    const seen = { agent: { id: holder.id }, account: { id: holder.account.id } };
    for (const as of [harness.test.key, holder.token])
      expect((await harness.test.graphql(query, { id }, { as })).body.data.mandate).toEqual(seen);

    const endpoint = await newEndpoint(harness.test, { discoverable: true });
    const named = 'query ($id: X402EndpointId!) { x402Endpoint(id: $id) { accountId account { id } receiverWallet { id } } }';
    const of = async (as: string) => (await harness.test.graphql(named, { id: endpoint.id }, { as })).body.data?.x402Endpoint;
    expect(await of(harness.test.key)).toEqual({
      accountId: endpoint.account_id,
      account: { id: endpoint.account_id },
      receiverWallet: { id: endpoint.receiver_wallet_id },
    });
    expect(await of(holder.token)).toEqual({ accountId: null, account: null, receiverWallet: null });
  });

  it('of a stream: the payee reads its own wallet, and not that of the payer', async () => {
    const payee = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const { wallet } = await openWallet(harness.test, { funded: '10.00' });
    const stream = await harness.test.make('/v1/streams', {
      from_wallet_id: wallet.id,
      to_wallet_id: payee.agent.default_wallet_id,
      currency: 'USD',
      flow_rate: '0.01',
      initial_deposit: '5.00',
    });
    const query = 'query ($id: StreamId!) { stream(id: $id) { fromWallet { id } toWallet { id } agent { id } } }';
    const { body } = await harness.test.graphql(query, { id: stream.id }, { as: payee.token });
    expect(body.data.stream).toEqual({ fromWallet: null, toWallet: { id: payee.agent.default_wallet_id }, agent: null });
  });
});

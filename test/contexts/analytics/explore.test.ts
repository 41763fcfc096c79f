// The examples that GraphiQL offers, sent to a sandbox in which something has happened: each answers, with rows.
import { parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../../../src/contexts/analytics/example.js';
import { writeRefusals } from '../../../src/contexts/spending/pipeline/refusal-writer.js';
import { schema } from '../../../src/schema.js';
import { newBudget } from '../../factories/budget.js';
import { newShop } from '../../factories/checkout.js';
import { newSpender } from '../../factories/decision.js';
import { newHolder } from '../../factories/mandate.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();

beforeAll(async () => {
  const { test } = harness;
  const holder = await newHolder(test);
  await holder.spend('20.00');
  const spender = await newSpender(test, { tier: 2 });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const body = transferBody(spender.wallet, spender.payee, '150.00');
  expect((await test.post('/v1/transfers', body, { as: spender.token, headers: { traceparent } })).status).toBe(201);
  expect((await spender.pay('3.00', { capture: 'manual' })).status).toBe(201);
  const rule = { kind: 'max_amount', per: 'tx', amount: '400.00', currency: 'USD' };
  await test.make('/v1/policies', { name: 'At most 400', target: { type: 'agent', id: spender.id }, rules: [rule] });
  expect((await spender.pay('500.00')).status).toBe(403);
  await newBudget(test);
  const shop = await newShop(test);
  await shop.complete(await shop.begin());
  await writeRefusals(harness.platform);
  await harness.runDue();
});

/** What has to be there, and not empty. */
const rows: Readonly<Record<string, (data: Json) => unknown>> = {
  Welcome: (data) => data.wallets.nodes[0].balance.total,
  'A dashboard in one request': ({ insight }) => insight.refusals.policy && insight.volumeUsd !== '0.00' && insight.operations.nodes[0],
  'Payments with names': ({ transfers: { nodes } }) =>
    nodes.find(({ fromAccount, agent, merchant }: Json) => fromAccount?.name && agent?.name && merchant?.name),
  'Who was paid 100 or more': ({ transfers: { nodes } }) => nodes.find(({ amount }: Json) => amount === '150.00').toAccount.name,
  'What is stuck': ({ pending }) => pending.nodes[0].hold.amount,
  'What rules have refused': ({ decisions }) => decisions.nodes[0].agent.name && decisions.nodes[0].leadingChecks[0],
  'Why spends are refused': ({ insight }) => insight.refusals.policy,
  'Runway and exposure': ({ treasuryRunway, treasuryExposure }) => treasuryRunway && treasuryExposure[0],
  'Spend by trace': ({ usageOperations: { nodes } }) => nodes.find(({ traceId, agent }: Json) => traceId?.startsWith('4bf9') && agent.name),
  'Agents, and approvals that wait': ({ agents }) => agents.nodes[0].parentAccount.name,
  'What is left of budgets': ({ budgets }) => budgets.nodes[0].remaining,
  'Mandates in force': ({ mandates }) => mandates.nodes[0].agent.name && mandates.nodes[0].usage.month !== '0.00',
  'Wallets and their entries': ({ wallets: { nodes } }) => nodes.some(({ entries }: Json) => entries.nodes.length > 0),
  'What became of checkouts': ({ insight }) => insight.demand.data.byMerchant[0].sessionsCompleted,
  'Who changed what': ({ auditLog }) => auditLog.nodes[0].action,
};

describe('an example of GraphiQL', () => {
  it.each(examples.map(({ title, document }) => [title, document]))('%s', async (title, document) => {
    expect(validate(schema, parse(document))).toEqual([]);
    if (title === 'Transfers, live') return;
    const { status, body } = await harness.test.graphql(document);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(rows[title]?.(body.data), JSON.stringify(body.data).slice(0, 2_000)).toBeTruthy();
  });
});

// The operations of the API document as requests that can be sent: what is required is filled in, ids are those of real objects.
import { someBatch } from './contexts/batches/transfer-batch.js';
import { trip } from './factories/approval.js';
import { auditSeeds } from './factories/audit.js';
import { newBudget, unusedTrace } from './factories/budget.js';
import { newCard } from './factories/card.js';
import { storedInstruction } from './factories/card-instruction.js';
import { checkoutSeeds } from './factories/checkout.js';
import { newQuote } from './factories/exchange.js';
import { newFunding } from './factories/funding.js';
import { mandateBody } from './factories/mandate.js';
import { payBody, sessionBody } from './factories/mpp.js';
import { transferBody } from './factories/payment.js';
import { newBankAccount, newPayout } from './factories/payout.js';
import { reconciliationSeeds } from './factories/reconciliation.js';
import { disputeBody, refundBody } from './factories/refund.js';
import { newRule } from './factories/settlement-rule.js';
import { streamBody } from './factories/stream.js';
import { someTrace } from './factories/trace.js';
import { newWindow } from './factories/window.js';
import { endpointBody, someAddress } from './factories/x402.js';
import type { Client, Harness, Json } from './harness.js';
import { openWallet } from './harness.js';
import { document } from './openapi.js';

/** Objects that ids may name, by the noun that the wire uses. */
export type Seeds = Readonly<Record<string, string>>;

/** An operation of the document with references resolved. */
export interface Operation {
  id: string;
  method: string;
  template: string;
  path: readonly string[];
  query: readonly string[];
  headers: readonly string[];
  /** Schema of the body; undefined where there is none. */
  body: Json | undefined;
}

function resolved(schema: Json): Json {
  if (schema?.$ref === undefined) return schema;
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, step: string) => at[step], document);
}

/** True for an operation whose answer is a stream that does not end. */
const streams = (operation: Json) => resolved(operation.responses[200])?.content?.['text/event-stream'] !== undefined;

/** Every operation that the document has, but for streams. */
export function operations(): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([template, item]) =>
    Object.entries<Json>(item).flatMap(([method, operation]) => {
      // A door has a wire of its own, and no document.
      if (streams(operation) || operation['x-graphql'] === undefined) return [];
      const named = (place: string): string[] =>
        (operation.parameters ?? []).map(resolved).flatMap((parameter: Json) => (parameter.in === place ? [parameter.name] : []));
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          template,
          path: named('path'),
          query: named('query'),
          headers: named('header'),
          body: resolved(operation.requestBody?.content?.['application/json']?.schema),
        },
      ];
    }),
  );
}

/** A webhook, one delivery to it, and the event that it carries. The subscription is made once: a workspace has room for 16. */
export async function webhookSeeds(client: Client): Promise<Seeds> {
  const [kept] = (await client.get('/v1/webhooks?limit=1')).body.data;
  const webhook = kept ?? (await client.make('/v1/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] }));
  const { delivery_id: delivery, event_id: event } = await client.make(`/v1/webhooks/${webhook.id}/test`, {});
  return { webhook: webhook.id, delivery, event };
}

/** A bank account, a payout that is on its way to it, and the rail of both. */
async function payoutSeeds(client: Client, { account, wallet }: { account: Json; wallet: Json }): Promise<Seeds> {
  const bank = await newBankAccount(client, account.id);
  const payout = await newPayout(client, { account, wallet, bank }, { amount: '1.00' });
  return { bank_account: bank.id, payout: payout.id, rail: 'ach' };
}

/** A vaulted card and an instruction to a network, as paths and ids of them call them. The operation before may have ended the processor. */
async function cardSeeds(harness: Harness, client: Client, account: Json): Promise<Seeds> {
  await client.get('/v1/payment-handlers/connect?processor=simulated');
  const { id } = await newCard(client, {}, account);
  const { id: instruction } = await storedInstruction(harness, client);
  return { vault: id, vaulted_card: id, card: 'visa', payment_handler: 'simulated', instruction, card_instruction: instruction };
}

/** Money on its way into a wallet, as paths and ids of it call it. */
async function fundingSeeds(client: Client, wallet: Json): Promise<Seeds> {
  const { id } = await newFunding(client, 'ach', {}, wallet);
  return { transaction: id, funding_transaction: id };
}

/** An endpoint, a payment for it, and an address of the chain, as paths and ids of them call them. */
async function x402Seeds(client: Client, wallet: Json, seller: { account: Json; wallet: Json }): Promise<Seeds> {
  const till = { receiver_wallet_id: seller.wallet.id, currency: 'USD' };
  const { id: endpoint } = await client.make('/v1/x402/endpoints', endpointBody(seller.account, till));
  const { id: payment } = await client.make('/v1/x402/pay', { from_wallet_id: wallet.id, endpoint_id: endpoint });
  const { payment_request_id } = await client.make('/v1/x402/quote', { endpoint_id: endpoint });
  const byType = { x402_endpoint: endpoint, x402_payment: payment, x402_quote: payment_request_id };
  return { endpoint, payment, payment_request: payment_request_id, chain: someAddress, address: someAddress, ...byType };
}

/** A policy that stands in nobody's way. It is made once: a workspace has room for 100. */
export async function policySeeds(client: Client): Promise<Seeds> {
  const [kept] = (await client.get('/v1/policies?limit=1')).body.data;
  if (kept !== undefined) return { policy: kept.id };
  const { account } = await openWallet(client);
  const rules = [{ kind: 'velocity', count: 1_000_000, seconds: 1 }];
  const policy = await client.make('/v1/policies', { name: 'Seed', target: { type: 'account', id: account.id }, rules });
  return { policy: policy.id };
}

/** A rule of a wallet that settles it by hand. Those of the operations before go first: a workspace has room for 100. */
async function ruleSeeds(client: Client, wallet: Json): Promise<Seeds> {
  for (const { id } of (await client.get('/v1/settlement-rules?limit=200')).body.data) await client.delete(`/v1/settlement-rules/${id}`);
  return { settlement_rule: (await newRule(client, wallet)).id };
}

/** Ends the budgets that operations have left behind: they would bind what is spent next. Children come before parents in the list. */
async function endBudgets(client: Client): Promise<void> {
  for (;;) {
    const { data } = (await client.get('/v1/budgets?limit=200')).body;
    if (data.length === 0) return;
    for (const { id } of data) await client.delete(`/v1/budgets/${id}`);
  }
}

/** Makes one object of each kind that an operation could be about. */
export async function makeSeeds(harness: Harness): Promise<Seeds> {
  const client = harness.test;
  await endBudgets(client);
  // The operation before may have been the kill switch, or have set caps of nothing.
  await client.post('/v1/spending/unfreeze', {});
  await client.put('/v1/kya-limits', { tiers: [] });
  const { account, wallet } = await openWallet(client, { funded: '1000.00' });
  const other = await openWallet(client, {});
  const agent = await client.make('/v1/agents', { parent_account_id: account.id, name: 'Agent', generate_keypair: true, skills: ['sum'] });
  const merchant = await client.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: account.id });
  const [rate] = (await client.put('/v1/rates', { rates: [{ from: 'MXN', to: 'BRL', rate: '0.31' }] })).body.data;
  const transfer = await client.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: wallet.id,
    to_wallet_id: other.wallet.id,
    amount: '10.00',
    currency: 'USD',
    capture: 'manual',
  });
  const paid = await client.make('/v1/transfers', transferBody(wallet, other.wallet, '10.00'));
  const refund = await client.make('/v1/refunds', refundBody(paid, { amount: '1.00' }));
  const dispute = await client.make('/v1/disputes', disputeBody(paid));
  const refundable = await client.make('/v1/transfers', transferBody(wallet, other.wallet, '10.00'));
  const stream = await client.make('/v1/streams', streamBody(wallet, other.wallet, { initial_deposit: '10.00' }));
  const parties = { wallet: wallet.id, payee: other.wallet.id, agent: agent.id };
  const session = await client.make('/v1/mpp/sessions', sessionBody(parties, { deposit_amount: '10.00' }));
  const mppPayment = await client.make('/v1/mpp/pay', payBody(parties));
  const hand = await client.make('/v1/agents', { parent_account_id: other.account.id, name: 'Hand' });
  const task = await client.make('/v1/a2a/tasks', { from_agent_id: agent.id, to_agent_id: hand.id, skill_id: 'translate', payload: {} });
  const key = await client.make('/v1/api-keys', { name: 'Seed' });
  const budget = await newBudget(client, { scope: unusedTrace });
  const agentId = agent.id.slice('agt_'.length);
  await trip(harness, agentId);
  // Asked for by a key that this one has made, which may then decide.
  const asker = await client.make('/v1/api-keys', { name: 'Asker' });
  const spend = transferBody(wallet, other.wallet, '10.00', { agent_id: agentId });
  const { approval, data: waiting } = (await client.post('/v1/transfers', spend, { as: asker.key })).body;
  return {
    account: account.id,
    wallet: wallet.id,
    to_wallet: other.wallet.id,
    agent: agent.id,
    skill: 'sum',
    trace: await someTrace(client),
    merchant: merchant.id,
    transfer: transfer.id,
    original_transfer: refundable.id,
    quote: (await newQuote(client)).id,
    refund: refund.id,
    dispute: dispute.id,
    stream: stream.id,
    mpp_session: session.id,
    mpp_payment: mppPayment.id,
    task: task.id,
    payee_wallet: other.wallet.id,
    approval: approval.id,
    batch: (await someBatch(client)).id,
    decision: waiting.decision_id,
    ...(await reconciliationSeeds(harness, client)),
    snapshot: (await client.post('/v1/treasury/snapshot', {})).body.id,
    api_key: key.id,
    ...(await auditSeeds(client)),
    rate: rate.id,
    budget: budget.id,
    settlement_window: (await newWindow(client, { enabled: false })).id,
    session: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
    token: (await client.get(`/v1/agents/${agent.id}/tokens`)).body.data[0].id,
    mandate: (await client.make('/v1/ap2/mandates', mandateBody({ account, id: agent.id }))).id,
    ...(await x402Seeds(client, wallet, other)),
    ...(await cardSeeds(harness, client, account)),
    ...(await checkoutSeeds(client, other.account)),
    ...(await fundingSeeds(client, wallet)),
    ...(await payoutSeeds(client, { account, wallet })),
    ...(await ruleSeeds(client, wallet)),
    ...(await webhookSeeds(client)),
    ...(await policySeeds(client)),
  };
}

/** The seed that a member such as `parent_account_id` or `owner_id` names. */
function seedOf(name: string, seeds: Seeds): string | undefined {
  if (!/(^|_)id$/.test(name)) return undefined;
  const nouns = name.replace(/_?id$/, '').split('_');
  for (let from = 0; from < nouns.length; from += 1) {
    const found = seeds[nouns.slice(from).join('_')];
    if (found !== undefined) return found;
  }
  return nouns.includes('owner') || nouns.includes('object') ? seeds['account'] : undefined;
}

/** A value that the schema takes. `name` is the member's. */
export function exampleOf(given: Json, name: string, seeds: Seeds): Json {
  const schema = resolved(given);
  const seed = seedOf(name, seeds);
  if (seed !== undefined) return seed;
  const type = [schema.type].flat()[0];
  if (schema.properties !== undefined) {
    const required: string[] = schema.required ?? [];
    return Object.fromEntries(required.map((member) => [member, exampleOf(schema.properties[member], member, seeds)]));
  }
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'array') return [exampleOf(schema.items, name, seeds)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return type === 'string' ? 'text' : {};
}

/** Where a member of a body stands, from the top; a number is a place in a list. */
export type Route = readonly (string | number)[];

/** Every member that a body may have, also those inside objects and lists. */
export function membersOf(schema: Json, at: Route = []): { route: Route; schema: Json }[] {
  const own = nonNull(schema);
  if (own?.properties !== undefined) {
    return Object.entries<Json>(own.properties).flatMap(([name, member]) => [
      { route: [...at, name], schema: resolved(member) },
      ...membersOf(member, [...at, name]),
    ]);
  }
  if (own?.items !== undefined) return [{ route: [...at, 0], schema: resolved(own.items) }, ...membersOf(own.items, [...at, 0])];
  return [];
}

/** What a schema is when it is not null. */
function nonNull(given: Json): Json {
  const schema = resolved(given);
  return resolved(schema?.anyOf?.find((option: Json) => option.type !== 'null') ?? schema);
}

/** `body` with `value` at a place, whatever is missing on the way there filled in. */
export function withMember(body: Json, schema: Json, route: Route, value: unknown, seeds: Seeds): Json {
  const [step, ...rest] = route;
  if (step === undefined) return value;
  const own = nonNull(schema);
  if (typeof step === 'number') {
    const [item] = Array.isArray(body) && body.length > 0 ? body : [exampleOf(own.items, '', seeds)];
    return [withMember(item, own.items, rest, value, seeds)];
  }
  const member = own.properties[step];
  const inner = body?.[step] ?? exampleOf(nonNull(member), step, seeds);
  return { ...body, [step]: withMember(inner, member, rest, value, seeds) };
}

/** The path with each parameter spelled by `spell`, by default as the object of its collection. */
export function pathOf(template: string, seeds: Seeds, spell: (name: string, seed: string) => string = (_, seed) => seed): string {
  const steps = template.split('/');
  return steps
    .map((step, at) => {
      const name = /^\{(\w+)\}$/.exec(step)?.[1];
      if (name === undefined) return step;
      const noun = (steps[at - 1] ?? '')
        .replace(/ies$/, 'y')
        .replace(/(?<=ch)es$|s$/, '')
        .replaceAll('-', '_');
      // Of two collections with one name the segment before says which.
      return spell(name, seeds[`${steps[at - 2]}_${noun}`] ?? seeds[noun] ?? seedOf(name, seeds) ?? 'none');
    })
    .join('/');
}

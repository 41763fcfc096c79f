// What an actor may see (CONTRACT.md 0): an agent nothing of other customers, a tenant nothing of another, from whatever root
// and through whatever relation they ask.
import { buildSchema, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../src/schema.js';
import { enrol, type TestAgent } from './contexts/agents/identity.js';
import { newCard } from './factories/card.js';
import { newFunding } from './factories/funding.js';
import { type Client, type Json, useHarness } from './harness.js';
import { operations, pathOf, type Seeds, webhookSeeds } from './operation.js';
import { walksOf } from './schema-walk.js';

const harness = useHarness();
/** A walk is a few hundred documents. */
const patience = { timeout: 120_000 };

/** Stands in everything that customers keep for themselves. */
const word = 'ZZMARK';
/** No amount of anybody else begins like this. */
const amount = '73509';
const marked = (more: object = {}) => ({ metadata: { secret: word }, ...more });

/** A customer whose every member is marked, with an agent, a merchant and transfers. */
async function markedCustomer(client: Client): Promise<Seeds> {
  const account = await client.make('/v1/accounts', {
    ...marked({ type: 'business', name: `${word} Ltd`, email: `${word}@example.com`, customer_reference: word }),
  });
  const agent = await enrol(client, {
    ...marked({ parent_account_id: account.id, name: word, description: word, skills: [word], wallet: { currency: 'USD' } }),
  });
  const open = () => client.make('/v1/wallets', marked({ owner_type: 'account', owner_id: account.id, currency: 'USD', name: word }));
  const [wallet, from, to] = [await open(), await open(), await open()];
  for (const { id } of [wallet, from, { id: agent.agent.default_wallet_id }])
    await client.make(`/v1/wallets/${id}/fund`, { amount: `${amount}20.13` });
  const funding = await newFunding(client, 'card-simulated-us', { amount: `${amount}.10`, source_ref: word }, wallet);
  const merchant = await client.make('/v1/merchants', {
    ...marked({ name: 'Shop', category: 'retail', account_id: account.id, settlement_wallet_id: wallet.id }),
  });
  const transfer = await client.make('/v1/transfers', {
    ...marked({ type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: `${amount}.44`, currency: 'USD' }),
    description: word,
    reference: `${word} ${account.id}`,
    capture: 'manual',
  });
  const cap = { kind: 'max_amount', per: 'day', amount: `${amount}50.00`, currency: 'USD' };
  const policy = await client.make('/v1/policies', { name: word, target: { type: 'account', id: account.id }, rules: [cap] });
  const stream = await client.post('/v1/streams', {
    ...marked({ from_wallet_id: wallet.id, to_wallet_id: to.id, currency: 'USD', flow_rate: '0.01' }),
    initial_deposit: `${amount}.01`,
  });
  return {
    stream: stream.body.data.id,
    account: account.id,
    to_account: account.id,
    wallet: wallet.id,
    to_wallet: to.id,
    agent: agent.uuid,
    merchant: merchant.id,
    policy: policy.id,
    transfer: transfer.id,
    vaulted_card: (await newCard(client, { label: word, processor_token: word }, account)).id,
    transaction: funding.id,
    funding_transaction: funding.id,
    session: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
  };
}

let agent: TestAgent;
let own: Seeds;
/** Another customer of the same tenant, with whom the agent has nothing to do. */
let foreign: Seeds;
/** A customer whom the agent has paid, and who has paid it. */
let partner: Seeds;

beforeAll(async () => {
  const client = harness.test;
  agent = await enrol(client, { wallet: { currency: 'USD' } });
  const wallet = agent.agent.default_wallet_id;
  const { id: shared } = await client.make('/v1/wallets', { owner_type: 'account', owner_id: agent.account.id, currency: 'USD' });
  const { id: funding } = await client.make(`/v1/wallets/${wallet}/fund`, { amount: '100.00' });
  const merchant = await client.make('/v1/merchants', { name: 'Own', category: 'retail', account_id: agent.account.id });
  partner = await markedCustomer(client);
  const pay = (from: string, to: string, as: string) =>
    client.make('/v1/transfers', { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '1.00', currency: 'USD' }, { as });
  const { id: transfer } = await pay(wallet, partner['wallet'] as string, agent.token);
  await pay(partner['wallet'] as string, wallet, client.key);
  const flow = { from_wallet_id: partner['wallet'], to_wallet_id: wallet, currency: 'USD', flow_rate: '0.000001', initial_deposit: '1.00' };
  const { id: stream } = await client.make('/v1/streams', flow);
  // A sister agent of the same account is no more its own than another customer's.
  const sister = await enrol(client, marked({ parent_account_id: agent.account.id, name: word, description: word }));
  const hers = await client.make('/v1/wallets', marked({ owner_type: 'agent', owner_id: sister.id, currency: 'USD', name: word }));
  await client.make(`/v1/wallets/${hers.id}/fund`, { amount: `${amount}.00` });
  foreign = await markedCustomer(client);
  await harness.runDue();
  const hook = await webhookSeeds(client);
  const day = { kind: 'max_amount', per: 'day', amount: '100000.00', currency: 'USD' };
  const policy = await client.make('/v1/policies', { name: 'Own', target: { type: 'agent', id: agent.id }, rules: [day] });
  const events = (await client.get('/v1/events', { as: agent.token })).body.data;
  own = {
    account: agent.account.id,
    to_account: agent.account.id,
    wallet,
    to_wallet: shared,
    agent: agent.uuid,
    merchant: merchant.id,
    policy: policy.id,
    vaulted_card: (await newCard(client, {}, agent.account)).id,
    transfer,
    stream,
    funding,
    api_key: (await client.make('/v1/api-keys', { name: 'Seed' })).id,
    session: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
    ...hook,
    event: events[0].id,
  };
});

/** Marks of other customers in an answer: words, amounts, the books of the platform, and ids that were not asked with. */
function marksIn(text: string, asked: string, ids: Seeds): string[] {
  const strangers = [...new Set(Object.entries(ids))]
    .filter(([noun, id]) => noun !== 'merchant' && noun !== 'session' && !asked.includes(id))
    .map(([, id]) => id);
  const marks = [word, `"account":"world"`, ...strangers].filter((mark) => text.includes(mark));
  return new RegExp(`"-?\\d*${amount}\\d*\\.\\d+"`).test(text) ? [...marks, amount] : marks;
}

interface Found {
  leaks: string[];
  types: Set<string>;
}

/** Sends every walk with a credential; the marks that came back, and the types of which an object did. */
async function walk(kind: 'query' | 'mutation', as: string, client: Client, seeds: Seeds, strangers: Seeds): Promise<Found> {
  const leaks: string[] = [];
  const types = new Set<string>();
  for (const { root, document } of walksOf(schema, kind, seeds)) {
    const { body } = await client.graphql(document, {}, { as });
    const text = JSON.stringify(body);
    const failed = body.errors?.find(({ extensions }: Json) => ['validation_failed', 'internal_error'].includes(extensions.code));
    if (failed !== undefined && kind === 'query') throw new Error(`${root} is refused: ${failed.message} ${document}`);
    for (const [, type = ''] of text.matchAll(/"__typename":"(\w+)"/g)) types.add(type);
    const marks = marksIn(text, document, strangers);
    if (marks.length > 0) leaks.push(`${kind} ${root}: ${marks.join(', ')} in ${document}`);
  }
  return { leaks, types };
}

async function readAll(as: string, client: Client, seeds: Seeds, strangers: Seeds): Promise<string[]> {
  const leaks: string[] = [];
  for (const { method, template } of operations()) {
    if (method !== 'GET') continue;
    const path = pathOf(template, seeds);
    const { body } = await client.get(path, { as });
    const marks = marksIn(JSON.stringify(body), path, strangers);
    if (marks.length > 0) leaks.push(`${path}: ${marks.join(', ')}`);
  }
  return leaks;
}

const nouns = [
  'Account',
  'Wallet',
  'Balance',
  'Merchant',
  'Agent',
  'Transfer',
  'Stream',
  'Entry',
  'Event',
  'Me',
  'AgentLimits',
  'PolicyLimit',
  'Pagination',
];

describe('an agent', patience, () => {
  it('finds no mark of another customer from any root of its own', async () => {
    const { leaks, types } = await walk('query', agent.token, harness.test, own, foreign);
    expect(leaks).toEqual([]);
    expect([...types]).toEqual(expect.arrayContaining(nouns));
  });

  it('nor with the ids of another customer, or of one that it deals with', async () => {
    for (const seeds of [foreign, partner, { transfer: own['funding'] as string }]) {
      expect((await walk('query', agent.token, harness.test, { ...own, ...seeds }, foreign)).leaks).toEqual([]);
    }
  });

  it('nor over REST', async () => {
    for (const seeds of [own, foreign, partner, { transfer: own['funding'] as string }]) {
      expect(await readAll(agent.token, harness.test, { ...own, ...seeds }, foreign)).toEqual([]);
    }
  });
});

describe('what an agent sees of merchants', () => {
  it('is the public side, and all of its own account’s', async () => {
    const [shop, mine] = await Promise.all(
      [foreign['merchant'], own['merchant']].map(
        async (id) => (await harness.test.get(`/v1/merchants/${id}`, { as: agent.token })).body.data,
      ),
    );
    expect(Object.keys(shop).sort()).toEqual(['category', 'created_at', 'id', 'name', 'status', 'updated_at']);
    expect(mine).toMatchObject({ account_id: agent.account.id, metadata: {} });
  });

  it('does not say whose a merchant is', async () => {
    const list = (id = '') => harness.test.get(`/v1/merchants?account_id=${id}`, { as: agent.token });
    expect((await list(foreign['account'])).body).toMatchObject({ data: [], pagination: { total: 0 } });
    expect((await list(own['account'])).body).toMatchObject({ data: [{ id: own['merchant'] }], pagination: { total: 1 } });
  });
});

describe('what an agent sees of its account', () => {
  it('is its own wallets and the account’s, and itself of the agents: in lists, totals and sums', async () => {
    const query = `{ me { agent { parentAccount {
      wallets { nodes { id } pagination { total } } agents { nodes { id } pagination { total } } balances { currency total }
    } } } }`;
    const { parentAccount } = (await harness.test.graphql(query, {}, { as: agent.token })).body.data.me.agent;
    expect(parentAccount).toEqual({
      wallets: { nodes: [{ id: own['to_wallet'] }, { id: own['wallet'] }], pagination: { total: 2 } },
      agents: { nodes: [{ id: agent.id }], pagination: { total: 1 } },
      balances: [{ currency: 'USD', total: '100.00' }],
    });
    const { body } = await harness.test.get(`/v1/accounts/${own['account']}/balances`, { as: agent.token });
    expect(body.data).toMatchObject([{ currency: 'USD', total: '100.00' }]);
  });
});

describe('what an agent sees of a transfer', () => {
  it('is the entries of wallets that it may read, not those of the payee or of the platform', async () => {
    for (const id of [own['transfer'], own['funding']]) {
      const whole = (await harness.test.get(`/v1/transfers/${id}/entries`)).body.data;
      expect(whole).toHaveLength(2);
      const { data } = (await harness.test.get(`/v1/transfers/${id}/entries`, { as: agent.token })).body;
      expect(data).toEqual(whole.filter(({ wallet_id }: Json) => wallet_id === own['wallet']));
      expect(data).toHaveLength(1);
    }
  });
});

describe('the key of another tenant', patience, () => {
  it('finds no mark from any root', async () => {
    const everyone = { ...own, ...foreign };
    for (const seeds of [own, foreign]) {
      expect((await walk('query', harness.other.key, harness.other, { ...own, ...seeds }, everyone)).leaks).toEqual([]);
    }
  });
});

describe('the tenant’s own key', patience, () => {
  it('finds the marks, so that the walks would see a leak', async () => {
    const { leaks, types } = await walk('query', harness.test.key, harness.test, { ...own, ...foreign }, foreign);
    expect(types.size).toBeGreaterThan(nouns.length);
    expect(leaks).toEqual(
      expect.arrayContaining(
        ['merchants', 'agents', 'transferEntries', 'me', 'account'].map((root) => expect.stringContaining(`query ${root}: `)),
      ),
    );
  });
});

// Last, for the agent rotates its own token here.
describe('the mutations of an agent', patience, () => {
  it('answer with no mark of another customer', async () => {
    for (const seeds of [foreign, own]) {
      expect((await walk('mutation', agent.token, harness.test, { ...own, ...seeds }, foreign)).leaks).toEqual([]);
    }
  });
});

/** Types whose objects are rows of somebody. */
const rows = new Set(
  Object.values(schema.getTypeMap())
    .filter(({ extensions }) => 'pothosPrismaLoader' in extensions)
    .map(({ name }) => name),
);
/** Fields that get their row from the rule of a root, and the payloads of mutations, which show what the caller has just made. */
const ruled = /^(Me\.(agent|wallets)|AgentEnrolment\.agent|\w+Payload\.\w+|\w+Page\.nodes|(Query|Mutation)\.\w+)$/;

/** Fields that show rows and do not ask whether the actor sees them. */
function unguarded(of: GraphQLSchema): string[] {
  return Object.values(of.getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => rows.has(getNamedType(field.type).name.replace(/Page$/, '')))
    .filter(({ path, field }) => field.extensions['visible'] !== true && !ruled.test(path))
    .map(({ path }) => path);
}

describe('every field that shows a row', () => {
  it('asks whether the actor sees it', () => {
    expect([...rows]).toEqual(expect.arrayContaining(['Account', 'Wallet', 'Merchant', 'Agent', 'Transfer', 'Delivery']));
    expect(unguarded(schema)).toEqual([]);
  });
  it('or is found', () => {
    const open = buildSchema('type Query { a: Wallet } type Wallet { id: ID account: Account } type Account { id: ID wallets: [Wallet] }');
    expect(unguarded(open)).toEqual(['Wallet.account', 'Account.wallets']);
  });
});

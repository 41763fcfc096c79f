// What an actor may see (CONTRACT.md 0): an agent nothing of other customers, a tenant nothing of another, from whatever root
// and through whatever relation they ask.
import { buildSchema, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../src/schema.js';
import { enrol, type TestAgent } from './contexts/agents/identity.js';
import { webhookSeeds } from './contexts/webhooks/example.js';
import { newCard } from './factories/card.js';
import { storedInstruction } from './factories/card-instruction.js';
import { storedCart } from './factories/cart.js';
import { amount, marked, markedCustomer, word } from './factories/marked.js';
import { readAll, type Walk, walker } from './factories/marked-walk.js';
import { payBody, sessionBody } from './factories/mpp.js';
import { type Json, useHarness } from './harness.js';
import type { Seeds } from './operation.js';
import { isSlow } from './slow.js';

const harness = useHarness();
const patience = { timeout: 300_000 };

let agent: TestAgent;
let own: Seeds;
/** Another customer of the same tenant, with whom the agent has nothing to do. */
let foreign: Seeds;
/** A customer whom the agent has paid, and who has paid it. */
let partner: Seeds;
/** What the partner has paid it, with notes and a reference of its own. */
let received: Seeds;

beforeAll(async () => {
  const client = harness.test;
  agent = await enrol(client, { wallet: { currency: 'USD' } });
  const wallet = agent.agent.default_wallet_id;
  const { id: shared } = await client.make('/v1/wallets', { owner_type: 'account', owner_id: agent.account.id, currency: 'USD' });
  const { id: funding } = await client.make(`/v1/wallets/${wallet}/fund`, { amount: '100.00' });
  const merchant = await client.make('/v1/merchants', { name: 'Own', category: 'retail', account_id: agent.account.id });
  partner = await markedCustomer(harness, client);
  const pay = (from: string, to: string, as: string, more: object = {}) =>
    client.make(
      '/v1/transfers',
      { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '1.00', currency: 'USD', ...more },
      { as },
    );
  const { id: transfer } = await pay(wallet, partner['wallet'] as string, agent.token);
  const paid = await pay(partner['wallet'] as string, wallet, client.key, marked({ reference: `${word} of the partner` }));
  received = { transfer: paid.id };
  const flow = { from_wallet_id: partner['wallet'], to_wallet_id: wallet, currency: 'USD', flow_rate: '0.000001', initial_deposit: '1.00' };
  const { id: stream } = await client.make('/v1/streams', flow);
  // A sister agent of the same account is no more its own than another customer's.
  const sister = await enrol(client, marked({ parent_account_id: agent.account.id, name: word, description: word }));
  const hers = await client.make('/v1/wallets', marked({ owner_type: 'agent', owner_id: sister.id, currency: 'USD', name: word }));
  await client.make(`/v1/wallets/${hers.id}/fund`, { amount: `${amount}.00` });
  foreign = await markedCustomer(harness, client);
  // It pays a customer by MPP, whose own sessions it has no part in.
  const parties = { wallet, payee: partner['wallet'] as string, agent: agent.uuid };
  const session = await client.make('/v1/mpp/sessions', sessionBody(parties, { deposit_amount: '2.00' }), { as: agent.token });
  await client.make(`/v1/mpp/sessions/${session.id}/vouchers`, { amount: '1.00' }, { as: agent.token });
  const payment = await client.make('/v1/mpp/pay', payBody(parties), { as: agent.token });
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
    cart: (await storedCart(harness, { merchant: merchant.id, agent: agent.uuid })).id,
    policy: policy.id,
    vaulted_card: (await newCard(client, {}, agent.account)).id,
    card_instruction: (await storedInstruction(harness, client, 'own', agent)).id,
    transfer,
    stream,
    mpp_session: session.id,
    mpp_payment: payment.id,
    funding,
    api_key: (await client.make('/v1/api-keys', { name: 'Seed' })).id,
    session: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
    token: (await client.get(`/v1/agents/${agent.id}/tokens`)).body.data[0].id,
    ...hook,
    event: events[0].id,
  };
});

const nouns = [
  'Account',
  'Wallet',
  'Balance',
  'Merchant',
  'Cart',
  'Agent',
  'Transfer',
  'Stream',
  'MppSession',
  'MppVoucher',
  'MppPayment',
  'Entry',
  'Event',
  'Me',
  'AgentLimits',
  'PolicyLimit',
  'Pagination',
];

describe('an agent', patience, () => {
  let walk: Walk;
  beforeAll(() => {
    walk = walker('query', agent.token, harness.test, foreign);
  });

  it('finds no mark of another customer from any root of its own', async () => {
    const { leaks, types } = await walk(own);
    expect(leaks).toEqual([]);
    expect([...types]).toEqual(expect.arrayContaining(nouns));
  });

  it('nor with the ids of another customer, or of one that it deals with', async () => {
    for (const seeds of isSlow ? [foreign, partner, received, { transfer: own['funding'] as string }] : [foreign, partner]) {
      expect((await walk({ ...own, ...seeds })).leaks).toEqual([]);
    }
  });

  it('nor over REST', async () => {
    for (const seeds of [own, foreign, partner, received, { transfer: own['funding'] as string }]) {
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
    expect(Object.keys(shop).sort()).toEqual([
      'accepts_buyer_prices',
      'category',
      'created_at',
      'id',
      'name',
      'shop_hosts',
      'status',
      'updated_at',
    ]);
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
      balances: [{ currency: 'USD', total: '97.00' }],
    });
    const { body } = await harness.test.get(`/v1/accounts/${own['account']}/balances`, { as: agent.token });
    expect(body.data).toMatchObject([{ currency: 'USD', total: '97.00' }]);
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
    const walk = walker('query', harness.other.key, harness.other, { ...own, ...foreign });
    for (const seeds of isSlow ? [own, foreign] : [foreign]) expect((await walk({ ...own, ...seeds })).leaks).toEqual([]);
  });
});

describe('the tenant’s own key', patience, () => {
  it('finds the marks, so that the walks would see a leak', async () => {
    const roots = ['merchants', 'agents', 'transferEntries', 'me', 'account'];
    const walk = walker('query', harness.test.key, harness.test, foreign, isSlow ? undefined : roots);
    const { leaks, types } = await walk({ ...own, ...foreign });
    expect(types.size).toBeGreaterThan(nouns.length);
    expect(leaks).toEqual(expect.arrayContaining(roots.map((root) => expect.stringContaining(`query ${root}: `))));
  });
});

// Last, for the agent rotates its own token here.
describe('the mutations of an agent', patience, () => {
  it('answer with no mark of another customer', async () => {
    const walk = walker('mutation', agent.token, harness.test, foreign);
    for (const seeds of isSlow ? [foreign, own] : [foreign]) expect((await walk({ ...own, ...seeds })).leaks).toEqual([]);
  });
});

/** Types whose objects are rows of somebody. */
const rows = new Set(
  Object.values(schema.getTypeMap())
    .filter(({ extensions }) => 'pothosPrismaLoader' in extensions)
    .map(({ name }) => name),
);
/** Fields that get their row from the rule of a root, and the payloads of mutations, which show what the caller has just made. */
const ruled =
  /^(Me\.(agent|wallets)|AgentEnrolment\.agent|SignIn\.member|GrantedConnection\.connection|\w+Payload\.\w+|\w+Page\.nodes|(Query|Mutation)\.\w+)$/;

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

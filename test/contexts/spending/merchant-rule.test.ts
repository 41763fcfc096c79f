// Rules of merchants and categories bind every way to pay the account of a merchant, into whichever of its wallets (CONTRACT.md 29).
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkoutBody } from '../../factories/checkout.js';
import { executionBody, mandateBody, newSeller } from '../../factories/mandate.js';
import { payBody as mppBody, sessionBody } from '../../factories/mpp.js';
import { balanceOf, transferBody } from '../../factories/payment.js';
import { streamBody } from '../../factories/stream.js';
import { type Hand, newHand, taskBody } from '../../factories/task.js';
import { endpointBody, payBody } from '../../factories/x402.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const newPurse = (owner_type: string, owner_id: string): Promise<Json> =>
  harness.test.make('/v1/wallets', { owner_type, owner_id, currency: 'USD' });

/** A merchant, and the wallets of its account: the one that it settles in, another one, and that of an agent that works for it. */
interface Seller {
  merchant: Json;
  till: Json;
  drawer: Json;
  worker: TestAgent & { wallet: Json };
}

async function seller(category = 'gambling'): Promise<Seller> {
  const merchant = await newSeller(harness.test, 'USD', { category });
  const drawer = await newPurse('account', merchant.account_id);
  const worker = await enrol(harness.test, { parent_account_id: merchant.account_id, wallet: { currency: 'USD' }, skills: ['translate'] });
  const till = { id: merchant.settlement_wallet_id, currency: 'USD' };
  return { merchant, till, drawer, worker: { ...worker, wallet: { id: worker.agent.default_wallet_id, currency: 'USD' } } };
}

/** An agent with 1000.00 under one rule. */
async function bound(rule: object): Promise<Hand> {
  const hand = await newHand(harness.test, '1000.00');
  await harness.test.make('/v1/policies', { name: 'Shops', target: { type: 'agent', id: hand.uuid }, rules: [rule] });
  return hand;
}

type Way = (payer: Hand, payee: Json, paid: Seller) => Promise<Answer>;
const usd = (wallet: Json) => ({ ...wallet, currency: 'USD' });
const mpp = ({ wallet, uuid }: Hand, payee: Json) => ({ wallet: wallet.id, payee: payee.id, agent: uuid });
const post = (path: string, body: object, { token }: Hand) => harness.test.post(path, body, { as: token });

const pay: Way = (payer, payee) => post('/v1/transfers', transferBody(usd(payer.wallet), payee, '1.00'), payer);
const ways: Readonly<Record<string, Way>> = {
  'a transfer': pay,
  'a hold': (payer, payee) => post('/v1/transfers', transferBody(usd(payer.wallet), payee, '1.00', { capture: 'manual' }), payer),
  'a stream': (payer, payee) => post('/v1/streams', streamBody(usd(payer.wallet), payee), payer),
  'an MPP session': (payer, payee) => post('/v1/mpp/sessions', sessionBody(mpp(payer, payee)), payer),
  'an MPP payment': (payer, payee) => post('/v1/mpp/pay', mppBody(mpp(payer, payee)), payer),
  x402: async (payer, payee, { merchant }) => {
    const about = { currency: 'USD', receiver_wallet_id: payee.id };
    const endpoint = await harness.test.make('/v1/x402/endpoints', endpointBody({ id: merchant.account_id }, about));
    return post('/v1/x402/pay', payBody(payer, endpoint), payer);
  },
};

describe('a merchant that is blocked', () => {
  let paid: Seller;
  let payer: Hand;
  beforeAll(async () => {
    paid = await seller();
    payer = await bound({ kind: 'merchants', block: [paid.merchant.id] });
  });

  for (const [name, way] of Object.entries(ways)) {
    it(`is not paid by ${name}, into any wallet of its account`, async () => {
      for (const payee of [paid.till, paid.drawer, paid.worker.wallet]) {
        expectRefused(await way(payer, payee, paid), 403, 'merchant_blocked', { reason: 'merchant', merchant_id: paid.merchant.id });
      }
      expect((await balanceOf(harness.test, payer.wallet)).total).toBe('1000.00');
    });
  }

  it('is not paid as an account, as the worker of a task, or in a batch', async () => {
    const to = { to_wallet_id: undefined, to_account_id: paid.merchant.account_id };
    const toAccount = transferBody(usd(payer.wallet), paid.till, '1.00', to);
    const { uuid } = paid.worker;
    expectRefused(await post('/v1/transfers', toAccount, payer), 403, 'merchant_blocked');
    expectRefused(await post('/v1/a2a/tasks', taskBody({ worker: paid.worker }), payer), 403, 'merchant_blocked');
    const offered = await harness.test.make('/v1/a2a/tasks', taskBody({}, { candidate_agent_ids: [uuid] }), { as: payer.token });
    expectRefused(await harness.test.post(`/v1/a2a/tasks/${offered.id}/claim`, {}, { as: paid.worker.token }), 403, 'policy_violation');
    for (const mode of ['independent', 'atomic']) {
      const transfers = [transferBody(usd(payer.wallet), paid.drawer, '1.00')];
      const { id } = await harness.test.make('/v1/transfers/batch', { mode, transfers }, { as: payer.token });
      await harness.runDue();
      const [item] = (await harness.test.get(`/v1/batches/${id}/items`)).body.data;
      expect(item).toMatchObject({ status: 'failed', error: { code: 'merchant_blocked' } });
    }
    expect((await balanceOf(harness.test, paid.drawer)).total).toBe('0.00');
  });
});

describe('MPP', () => {
  it('does not take the word of the address that another merchant of the account has', async () => {
    const paid = await seller();
    const url = `https://front.example.com/${paid.worker.uuid}`;
    await harness.test.make('/v1/merchants', { name: 'Front', category: 'travel', account_id: paid.merchant.account_id, url });
    const payer = await bound({ kind: 'merchants', block: [paid.merchant.id] });
    for (const [path, body] of [
      ['/v1/mpp/pay', mppBody(mpp(payer, paid.drawer), { service_url: url })],
      ['/v1/mpp/sessions', sessionBody(mpp(payer, paid.drawer), { service_url: url })],
    ] as const)
      expectRefused(await post(path, body, payer), 403, 'merchant_blocked', { merchant_id: paid.merchant.id });
  });
});

describe('a category', () => {
  it('that is blocked is so in every wallet of the account', async () => {
    const [paid, payer] = [await seller(), await bound({ kind: 'categories', block: ['gambling'] })];
    for (const [name, way] of Object.entries(ways)) {
      const answer = await way(payer, paid.drawer, paid);
      expect([name, answer.status, answer.body.code, answer.body.details?.category]).toEqual([name, 403, 'merchant_blocked', 'gambling']);
    }
  });
});

describe('a list of what is allowed', () => {
  it('lets the merchant be paid into any wallet of its account', async () => {
    const [paid, other] = [await seller('travel'), await seller()];
    const payer = await bound({ kind: 'merchants', allow: [paid.merchant.id] });
    for (const payee of [paid.till, paid.drawer, paid.worker.wallet]) {
      expect((await pay(payer, payee, paid)).status).toBe(201);
    }
    expectRefused(await pay(payer, other.drawer, other), 403, 'merchant_blocked', { reason: 'merchant' });
  });

  it('refuses who is no merchant as a policy does', async () => {
    const { wallet } = await openWallet(harness.test);
    for (const rule of [
      { kind: 'merchants', allow: [(await seller()).merchant.id] },
      { kind: 'categories', allow: ['travel'] },
    ]) {
      const answer = await pay(await bound(rule), wallet, await seller());
      expectRefused(answer, 403, 'policy_violation', { reason: rule.kind === 'merchants' ? 'merchant' : 'category' });
    }
  });
});

/** Another merchant of the account, which sells books and settles in no wallet of its own. */
function front({ merchant }: Seller, extra: object = {}): Promise<Json> {
  return harness.test.make('/v1/merchants', { name: 'Front', category: 'books', account_id: merchant.account_id, ...extra });
}

/** Pays a merchant by its id. */
async function namedWays(payer: Hand, named: Json, scope: object = {}): Promise<Record<'a checkout' | 'a mandate', Answer>> {
  const checkout = await harness.test.make('/v1/acp/checkouts', checkoutBody(named), { as: payer.token });
  const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(payer, scope));
  return {
    'a checkout': await post(`/v1/acp/checkouts/${checkout.id}/complete`, { from_wallet_id: payer.wallet.id }, payer),
    'a mandate': await post(`/v1/ap2/mandates/${mandate.id}/execute`, executionBody({ mandate, merchant: named }, '1.00'), payer),
  };
}

describe('several merchants of one account', () => {
  it('are blocked together: each wallet of the account is that of the blocked one, whoever settles in it', async () => {
    const paid = await seller();
    const own = usd(await newPurse('account', paid.merchant.account_id));
    const { id } = await front(paid, { settlement_wallet_id: own.id });
    const payer = await bound({ kind: 'merchants', block: [paid.merchant.id] });
    for (const payee of [own, paid.drawer, paid.till])
      expectRefused(await pay(payer, payee, paid), 403, 'merchant_blocked', { merchant_id: paid.merchant.id });
    const careful = await bound({ kind: 'merchants', block: [id] });
    expectRefused(await pay(careful, own, paid), 403, 'merchant_blocked', { merchant_id: id });
  });

  it('are allowed each for itself: the one that settles in the wallet', async () => {
    const paid = await seller();
    const own = usd(await newPurse('account', paid.merchant.account_id));
    const { id } = await front(paid, { settlement_wallet_id: own.id });
    const payer = await bound({ kind: 'merchants', allow: [id] });
    const statusOf = async (payee: Json) => (await pay(payer, payee, paid)).status;
    expect([await statusOf(own), await statusOf(paid.drawer), await statusOf(paid.till)]).toEqual([201, 403, 403]);
  });

  for (const rule of ['merchants', 'categories'] as const) {
    it(`are blocked together by ${rule}, whichever of them the payment names`, async () => {
      const paid = await seller();
      const url = `https://books.example.com/${paid.worker.uuid}`;
      const books = await front(paid, { url });
      const settling = await front(paid, { settlement_wallet_id: paid.till.id });
      const payer = await bound({ kind: rule, block: [rule === 'merchants' ? paid.merchant.id : 'gambling'] });
      const told = { merchant_id: paid.merchant.id, next_actions: expect.anything() };
      for (const named of [books, settling]) {
        for (const [name, answer] of Object.entries(await namedWays(payer, named))) {
          expect([name, answer.status]).toEqual([name, 403]);
          expectRefused(answer, 403, 'merchant_blocked', told);
        }
      }
      const byUrl = mppBody(mpp(payer, paid.till), { payee_wallet_id: undefined, service_url: url });
      expectRefused(await post('/v1/mpp/pay', byUrl, payer), 403, 'merchant_blocked', told);
      expect((await balanceOf(harness.test, payer.wallet)).total).toBe('1000.00');
    });
  }

  it('are blocked together by a mandate, and allowed each for itself', async () => {
    const [paid, payer] = [await seller(), await newHand(harness.test, '1000.00')];
    const books = await front(paid);
    const execute = async (scope: object) => (await namedWays(payer, books, scope))['a mandate'];
    expectRefused(await execute({ blocked_merchants: [paid.merchant.id] }), 403, 'merchant_blocked', { merchant_id: paid.merchant.id });
    expect((await execute({ allowed_merchants: [books.id], allowed_merchant_categories: ['books'] })).status).toBe(201);
  });

  it('are paid by name where a list allows that one alone', async () => {
    const paid = await seller();
    const books = await front(paid);
    const payer = await bound({ kind: 'merchants', allow: [books.id] });
    const statuses = Object.values(await namedWays(payer, books)).map(({ status }) => status);
    expect(statuses).toEqual([200, 201]);
  });

  it('are few in a decision, however many they are', async () => {
    const paid = await seller();
    for (const name of ['A', 'B', 'C', 'D'])
      await harness.test.make('/v1/merchants', { name, category: 'travel', account_id: paid.merchant.account_id });
    const payer = await bound({ kind: 'categories', block: ['gambling'] });
    const { body } = await pay(payer, paid.drawer, paid);
    // What refused is written after the answer.
    const read = () => harness.platform.database.unscoped.decision.findFirstOrThrow({ where: { agentId: payer.uuid } });
    const { facts } = (await vi.waitFor(read, { timeout: 20_000 })).input as Json;
    expect([body.code, facts.otherMerchants.map(({ category }: Json) => category)]).toEqual(['merchant_blocked', ['gambling']]);
  });
});

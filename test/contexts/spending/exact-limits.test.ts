// Limits hold exactly, whatever the load: two servers over one PostgreSQL, transfers and holds at once, equal and random amounts,
// approvals that are decided meanwhile, and a server that is killed (CONTRACT.md 6 "Exact means"). SLOW=1 plays 50 seeds of each, with
// twice the spends.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eachOf } from '../../hostile.js';
import { ask, insist, make, type Server } from '../../load.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { freeLeases, ServerOnDatabase } from '../../server-database.js';
import { isSlow } from '../../slow.js';

const seeds = isSlow ? 50 : 1;
vi.setConfig({ testTimeout: isSlow ? 1_800_000 : 120_000 });

const spends = isSlow ? 200 : 80;
let first: ServerOnDatabase;
let second: ServerProcess;

beforeAll(async () => {
  first = await ServerOnDatabase.start({ RATE_LIMIT_GENERAL: '1000000', RATE_LIMIT_AUTH: '1000000' });
  second = await startServerProcess(first.env);
}, 120_000);

afterAll(async () => {
  if (second?.isRunning) await second.kill('SIGTERM');
  await first?.stop();
});

const sandbox = (n: number): Server => (n % 2 === 0 ? first.sandbox : { ...first.sandbox, url: second.test });

/** Numbers from 0 to 1 that are the same for one seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const cents = (amount: number) => `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;

/** Somebody who may spend `cap` cents a day by a policy, and as much by a budget two levels deep. */
interface Spender {
  agent: string;
  account: string;
  from: string;
  to: string;
  policy: string;
  budget: string;
  /** The key that asks, which another one has made: that one may decide. */
  key: string;
}

async function spenderWith(cap: number, action: 'deny' | 'approve' = 'deny'): Promise<Spender> {
  const server = sandbox(0);
  const [payer, payee] = [await make(server, '/v1/accounts', person), await make(server, '/v1/accounts', person)];
  const agent = await make(server, '/v1/agents', { parent_account_id: payer.id, name: 'Spender', wallet: { currency: 'USD' } });
  const from = agent.default_wallet_id;
  await make(server, `/v1/wallets/${from}/fund`, { amount: '100000.00' });
  const to = await make(server, '/v1/wallets', { owner_type: 'account', owner_id: payee.id, currency: 'USD' });
  const rule = { kind: 'max_amount', per: 'day', amount: cents(cap), currency: 'USD', action };
  const policy = await make(server, '/v1/policies', { name: 'Cap', target: { type: 'agent', id: agent.id }, rules: [rule] });
  const ample = { amount: cents(cap * 3), currency: 'USD', period: 'month' };
  const above = await make(server, '/v1/budgets', { ...ample, name: 'Above', scope: { type: 'account', id: payer.id } });
  const own = { ...ample, name: 'Own', scope: { type: 'agent', id: agent.id }, parent_id: above.id };
  const budget = await make(server, '/v1/budgets', own);
  const { key } = await make(server, '/v1/api-keys', { name: 'Asker' });
  return { agent: agent.id.replace('agt_', ''), account: payer.id, from, to: to.id, policy: policy.id, budget: budget.id, key };
}
const person = { type: 'person', name: 'Somebody' };

/** Makes room for the policy of the next seed: a workspace has 100. */
async function dismiss({ policy }: Spender): Promise<void> {
  const { status, body } = await insist(sandbox(0), 'DELETE', `/v1/policies/${policy}`);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

interface Outcome {
  amount: number;
  status: number;
  code: string | undefined;
  id: string | undefined;
  approval: string | undefined;
}

/** Sends one spend to one of the servers: a transfer, a hold, the deposit of a stream, or the item of a batch. */
async function spend(spender: Spender, n: number, amount: number): Promise<Outcome> {
  if (n % 10 === 2) return spendInBatch(spender, n, amount);
  const { agent, from, to, key } = spender;
  const parties = { from_wallet_id: from, to_wallet_id: to, currency: 'USD', agent_id: agent };
  const isStream = n % 4 === 1;
  const capture = n % 3 === 0 ? { capture: 'manual' } : {};
  const body = isStream
    ? { ...parties, initial_deposit: cents(amount), flow_rate: '0.000001' }
    : { ...parties, type: 'internal', amount: cents(amount), ...capture };
  const path = isStream ? '/v1/streams' : '/v1/transfers';
  const answer = await insist({ ...sandbox(n), key }, 'POST', path, body);
  const { data, approval, code } = answer.body;
  return { amount, status: answer.status, code, id: data?.id, approval: approval?.id };
}

/** The same by a batch of one, whose item says what became of it. */
async function spendInBatch({ agent, from, to, key }: Spender, n: number, amount: number): Promise<Outcome> {
  const transfer = { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: cents(amount), currency: 'USD', agent_id: agent };
  // The other server may be killed meanwhile.
  const read = async (path: string) => (await ask(sandbox(0), 'GET', path)).body.data;
  const batch = await make({ ...sandbox(n), key }, '/v1/transfers/batch', { transfers: [transfer] });
  const status = async () => (await read(`/v1/batches/${batch.id}`)).status;
  await expect.poll(status, { interval: 20, timeout: 60_000 }).toBe('completed');
  const [item] = await read(`/v1/batches/${batch.id}/items`);
  if (item.status === 'failed') return { amount, status: 403, code: item.error.code, id: undefined, approval: undefined };
  const { approval_id: approval } = await read(`/v1/transfers/${item.transfer_id}`);
  return { amount, status: approval === undefined ? 201 : 202, code: undefined, id: item.transfer_id, approval };
}

const all = async (spender: Spender, amounts: readonly number[]): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  await eachOf(
    amounts.map((amount, n) => ({ amount, n })),
    async ({ amount, n }) => void outcomes.push(await spend(spender, n, amount)),
    64,
  );
  return outcomes;
};
const passed = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status === 201);
const sumOf = (outcomes: readonly Outcome[]) => outcomes.reduce((sum, { amount }) => sum + amount, 0);

/** What the agent reads of its own budget and policy. */
async function leftOf({ agent }: Spender): Promise<{ policy: string; budget: string }> {
  const { body } = await ask(sandbox(1), 'GET', `/v1/agents/agt_${agent}/limits`);
  const [policy] = body.data.policies;
  const budget = body.data.budgets.find(({ scope_type: type }: { scope_type: string }) => type === 'agent');
  return { policy: policy.remaining, budget: budget.remaining };
}

describe('a limit under load, on two servers', () => {
  it('lets exactly as many equal spends pass as it holds', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = randomOf(seed);
      const amount = 1 + Math.floor(random() * 500);
      const most = 1 + Math.floor(random() * (spends - 20));
      const spender = await spenderWith(amount * most + Math.floor(random() * amount));
      const outcomes = await all(
        spender,
        Array.from({ length: spends }, () => amount),
      );
      expect(passed(outcomes), `seed ${seed}`).toHaveLength(most);
      for (const { status, code } of outcomes) if (status !== 201) expect([status, code]).toEqual([403, 'policy_violation']);
      await dismiss(spender);
    }
    await first.expectBalanced();
  });

  it('is never passed by random amounts, refuses none that fits, and is spent to the last cent', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = randomOf(seed + 1_000);
      const cap = 5_000 + Math.floor(random() * 50_000);
      const spender = await spenderWith(cap);
      const outcomes = await all(
        spender,
        Array.from({ length: spends }, () => 1 + Math.floor(random() * 2_000)),
      );
      const used = sumOf(passed(outcomes));
      expect(used, `seed ${seed}`).toBeLessThanOrEqual(cap);
      // What is used only grows here, so what was refused does not fit now either.
      for (const { status, amount } of outcomes) if (status !== 201) expect(amount, `seed ${seed}`).toBeGreaterThan(cap - used);
      expect((await leftOf(spender)).policy).toBe(cents(cap - used));
      if (used < cap) expect((await spend(spender, 1, cap - used)).status).toBe(201);
      expect((await spend(spender, 1, 1)).status).toBe(403);
      await dismiss(spender);
    }
    await first.expectBalanced();
  });

  it('takes approvals that are decided at the same time: each once, with what it lifts', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = randomOf(seed + 2_000);
      const most = 40 + Math.floor(random() * 40);
      const spender = await spenderWith(100 * most, 'approve');
      const outcomes = await all(
        spender,
        Array.from({ length: 100 }, () => 100),
      );
      expect(passed(outcomes), `seed ${seed}`).toHaveLength(most);
      const waiting = outcomes.filter(({ status }) => status === 202);
      expect(waiting).toHaveLength(100 - most);
      // The other key decides: nobody approves what it asked for itself.
      const decisions = waiting.flatMap(({ approval }, n) => [n, n + 1].map((at) => ({ approval, at })));
      const statuses: number[] = [];
      await eachOf(
        decisions,
        async ({ approval, at }) => {
          const answer = await insist(sandbox(at), 'POST', `/v1/approvals/${approval}/approve`, {});
          statuses.push(answer.status);
        },
        32,
      );
      expect(
        statuses.filter((status) => status === 200),
        `seed ${seed}`,
      ).toHaveLength(waiting.length);
      expect(statuses.filter((status) => status === 409)).toHaveLength(waiting.length);
      // The budget above holds three times the policy's cap, so every approved spend is paid.
      const { budget } = await leftOf(spender);
      expect(budget).toBe(cents(300 * most - 10_000));
      await dismiss(spender);
    }
    await first.expectBalanced();
  });

  it('holds when a server is killed in the middle', async () => {
    const most = 60;
    const spender = await spenderWith(100 * most);
    const work = Array.from({ length: spends }, (_, n) => spend(spender, n, 100).catch(() => undefined));
    await work[20];
    await second.kill('SIGKILL');
    second = await startServerProcess(first.env);
    await freeLeases(first.db);
    const outcomes = (await Promise.all(work)).filter((outcome) => outcome !== undefined);
    expect(passed(outcomes).length).toBeLessThanOrEqual(most);
    // Whatever was left is spent now, and not a cent more.
    const rest = await all(
      spender,
      Array.from({ length: spends }, () => 100),
    );
    const { body } = await ask(sandbox(0), 'GET', `/v1/transfers?wallet_id=${spender.from}&limit=200`);
    const made = body.data.filter(
      ({ from_wallet_id: from, status }: { from_wallet_id: string; status: string }) => from === spender.from && status !== 'failed',
    );
    expect(made).toHaveLength(most);
    expect(rest.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(most);
    await first.expectBalanced();
  });
});

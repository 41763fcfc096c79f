// What spend control costs: POST /v1/transfers without a rule, then with three policies and three budgets in force, in turn on the same
// wallets; and everybody under one budget of the tenant beside everybody paying one wallet.
import { measure, type Next, type Result, transferRequest } from './measure.js';
import { median, type Sandbox, say } from './platform.js';

/** Payers, each under a policy of its own wallet: a workspace has at most 100 policies. */
const payers = 64;

interface World {
  account: string;
  agent: string;
  from: string[];
  to: string[];
}

/** Compares rounds of `seconds` over 64 connections and prints the ratios. */
export async function runPolicies(sandbox: Sandbox, rounds: number, seconds: number): Promise<void> {
  const world = await makeWorld(sandbox);
  const spread = requests(sandbox.url, world, false);
  const hot = requests(sandbox.url, world, true);
  const time = (next: Next) => measure(sandbox.url, payers, seconds, next);
  await time(spread);
  const results: Record<'plain' | 'ruled' | 'hot' | 'tenant', Result>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const plain = await time(spread);
    const rules = await makeRules(sandbox, world);
    const ruled = await time(spread);
    await remove(sandbox, rules);
    const paysOne = await time(hot);
    const budget = await makeBudget(sandbox, { type: 'tenant' }, '900000000.00');
    const tenant = await time(spread);
    await remove(sandbox, [budget]);
    results.push({ plain, ruled, hot: paysOne, tenant });
  }
  const rate = (of: keyof (typeof results)[number]) => median(results.map((result) => result[of].ours)).toFixed(0);
  const ratio = (of: keyof (typeof results)[number], to: keyof (typeof results)[number]) =>
    median(results.map((result) => result[of].ours / result[to].ours)).toFixed(2);
  const cpu = (of: 'plain' | 'ruled', part: 'server' | 'postgres') => median(results.map((result) => result[of][part])).toFixed(0);
  say(
    `without rules ${rate('plain')}/s; three policies, three budgets and a stored decision ${rate('ruled')}/s, ratio ${ratio('ruled', 'plain')}`,
  );
  say(
    `CPU a request without rules: server ${cpu('plain', 'server')} us, PostgreSQL ${cpu('plain', 'postgres')} us; with rules: server ` +
      `${cpu('ruled', 'server')} us, PostgreSQL ${cpu('ruled', 'postgres')} us`,
  );
  say(
    `everybody pays one wallet ${rate('hot')}/s; all under one budget of the tenant ${rate('tenant')}/s, ratio ${ratio('tenant', 'hot')}`,
  );
}

async function makeWorld(sandbox: Sandbox): Promise<World> {
  const make = async (target: string, body: object) => (await sandbox.make<{ data: { id: string } }>(target, body)).data.id;
  const [account, shop] = [
    await make('/v1/accounts', { type: 'business', name: 'Payer' }),
    await make('/v1/accounts', { type: 'business', name: 'Payee' }),
  ];
  const agent = await make('/v1/agents', { parent_account_id: account, name: 'Spender' });
  const wallet = (owner: string) => make('/v1/wallets', { owner_type: 'account', owner_id: owner, currency: 'USD' });
  const world: World = { account, agent: agent.replace('agt_', ''), from: [], to: [] };
  for (let n = 0; n < payers; n += 1) {
    const from = await wallet(account);
    await make(`/v1/wallets/${from}/fund`, { amount: '10000000.00' });
    world.from.push(from);
    world.to.push(await wallet(shop));
  }
  say(`${payers} payers funded`);
  return world;
}

/** Policies of the account, the agent and each wallet, each with a maximum per spend, day and month, and budgets three deep. */
async function makeRules(sandbox: Sandbox, { account, agent, from }: World): Promise<string[]> {
  const amount = '100000000.00';
  const rules = ['tx', 'day', 'month'].map((per) => ({ kind: 'max_amount', per, amount, currency: 'USD' }));
  const policy = async (type: string, id: string) => {
    const body = { name: `Bench ${type}`, target: { type, id }, rules };
    return `/v1/policies/${(await sandbox.make<{ data: { id: string } }>('/v1/policies', body)).data.id}`;
  };
  const paths = [await policy('account', account), await policy('agent', agent)];
  for (const wallet of from) paths.push(await policy('wallet', wallet));
  const tenant = await makeBudget(sandbox, { type: 'tenant' }, '900000000.00');
  const middle = await makeBudget(sandbox, { type: 'account', id: account }, '800000000.00', tenant);
  return [...paths, tenant, middle, await makeBudget(sandbox, { type: 'agent', id: agent }, '700000000.00', middle)];
}

async function makeBudget(sandbox: Sandbox, scope: object, amount: string, parent?: string): Promise<string> {
  const above = parent === undefined ? {} : { parent_id: parent.split('/').at(-1) };
  const body = { name: 'Bench', scope, amount, currency: 'USD', period: 'month', ...above };
  return `/v1/budgets/${(await sandbox.make<{ data: { id: string } }>('/v1/budgets', body)).data.id}`;
}

/** Deletes children before their parents. */
async function remove(sandbox: Sandbox, paths: readonly string[]): Promise<void> {
  for (const path of [...paths].reverse()) await sandbox.remove(path);
}

function requests(url: URL, { agent, from, to }: World, hot: boolean): Next {
  const run = Math.random().toString(36).slice(2);
  let n = 0;
  return () => {
    n += 1;
    const payer = from[n % from.length];
    const payee = hot ? to[0] : to[(n * 7) % to.length];
    const body = `{"type":"internal","from_wallet_id":"${payer}","to_wallet_id":"${payee}","amount":"0.01","currency":"USD","agent_id":"${agent}"}`;
    return transferRequest(url, body, `${run}-${n}`);
  };
}

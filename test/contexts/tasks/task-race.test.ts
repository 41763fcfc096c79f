// A task is claimed once and paid once, however many try at once in two processes; and a budget funds as many tasks as it has money for.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eachOf } from '../../hostile.js';
import { ask, insist, make, type Server } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let first: ServerOnDatabase;
/** The sandbox of another process. */
let second: string;

beforeAll(async () => {
  first = await ServerOnDatabase.start();
  second = await first.startSecond();
});

afterAll(() => first?.stop());

interface Hand {
  id: string;
  wallet: string;
  server: Server;
}

/** An agent with a wallet, who asks with its own token. */
async function newHand(server: Server, account: string, funded?: string): Promise<Hand> {
  const body = { parent_account_id: account, name: 'Hand', wallet: { currency: 'USD' } };
  const { body: made } = await ask(server, 'POST', '/v1/agents', body);
  const wallet = made.data.default_wallet_id;
  if (funded !== undefined) await make(server, `/v1/wallets/${wallet}/fund`, { amount: funded });
  return { id: made.data.id.slice('agt_'.length), wallet, server: { ...server, key: made.credentials.token } };
}

/** The server that takes the n-th request. */
const serverOf = (server: Server, n: number): Server => (n % 2 === 0 ? server : { ...server, url: second });
const post = (server: Server, path: string, body: object) => insist(server, 'POST', path, body);
const step = (server: Server, task: { id: string }, name: string, body: object = {}) =>
  post(server, `/v1/a2a/tasks/${task.id}/${name}`, body);
const times = (n: number) => Array.from({ length: n }, (_, at) => at);
const payment = { amount: '10.00', currency: 'USD', method: 'wallet' };
const body = { skill_id: 'translate', payload: {}, payment };
const available = async (server: Server, wallet: string) => (await ask(server, 'GET', `/v1/wallets/${wallet}`)).body.data.balance.available;

describe('a task', () => {
  it('is claimed by one of 50, and paid once when it is approved 50 times', async () => {
    const server = await first.newTenant();
    const { id: account } = await make(server, '/v1/accounts', { type: 'business', name: 'Somebody' });
    const sender = await newHand(server, account, '100.00');
    const hands: Hand[] = [];
    await eachOf(times(10), async () => void hands.push(await newHand(server, account)), 4);
    const task = await make(sender.server, '/v1/a2a/tasks', body);
    const handOf = (n: number) => hands[n % hands.length] as Hand;
    const claims = await Promise.all(times(50).map((n) => step(serverOf(handOf(n).server, n + Math.floor(n / 10)), task, 'claim')));
    const won = claims.findIndex(({ status }) => status === 200);
    const winner = handOf(won);
    const told = claims.map(({ status, body: { code, details } }) => (status === 200 ? 'won' : `${status} ${code} ${details.claimed_by}`));
    // Each hand claims five times. The winner's own claims are answered with its task.
    const lost = `409 task_already_claimed ${winner.id}`;
    expect(told.sort()).toEqual([...times(45).map(() => lost), ...times(5).map(() => 'won')]);
    await step(winner.server, task, 'complete', { deliverable: {} });
    const approvals = await Promise.all(times(50).map((n) => step(serverOf(sender.server, n), task, 'approve')));
    const codes = approvals.map(({ status, body: { code } }) => (status === 200 ? 'paid' : `${status} ${code}`));
    expect(codes.sort()).toEqual([...times(49).map(() => '409 state_conflict'), 'paid']);
    expect(await available(server, winner.wallet)).toBe('10.00');
    expect(await available(server, sender.wallet)).toBe('90.00');
  });

  it('is funded while the budget lasts: of 200 exactly as many as fit', async () => {
    const server = await first.newTenant();
    const { id: account } = await make(server, '/v1/accounts', { type: 'business', name: 'Somebody' });
    const sender = await newHand(server, account, '2000.00');
    const scope = { type: 'agent', id: sender.id };
    const budget = await make(server, '/v1/budgets', { name: 'Tasks', scope, amount: '375.00', currency: 'USD', period: 'once' });
    const made: Awaited<ReturnType<typeof ask>>[] = [];
    await eachOf(times(200), async (n) => void made.push(await post(serverOf(sender.server, n), '/v1/a2a/tasks', body)), 24);
    const codes = made.map(({ status, body: answer }) => (status === 201 ? 'funded' : `${status} ${answer.code}`)).sort();
    expect(codes).toEqual([...times(163).map(() => '403 budget_exceeded'), ...times(37).map(() => 'funded')]);
    expect((await ask(server, 'GET', `/v1/budgets/${budget.id}`)).body.data).toMatchObject({ reserved: '370.00', remaining: '5.00' });
    const [cancelled] = made.filter(({ status }) => status === 201);
    await step(sender.server, cancelled?.body.data, 'cancel');
    expect((await ask(sender.server, 'POST', '/v1/a2a/tasks', body)).status).toBe(201);
    expect(await available(server, sender.wallet)).toBe('1630.00');
  });
});

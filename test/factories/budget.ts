// Things that tests of budgets need: budgets, agents that spend under them, and what became of both.
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Answer, Client, Json } from '../harness.js';
import { openWallet } from '../harness.js';
import { transferBody } from './payment.js';

/** The scope of a trace that no request of a test belongs to: its budgets bind nothing. */
export const unusedTrace = { type: 'trace', id: '0af7651916cd43dd8448eb211c80319c' };

/** The body of a budget of 100.00 USD a day, for the whole workspace unless it says otherwise. */
export function budgetBody(extra: object = {}): Json {
  return { name: 'Research', scope: { type: 'tenant' }, amount: '100.00', currency: 'USD', period: 'day', ...extra };
}

export function newBudget(client: Client, extra: object = {}): Promise<Json> {
  return client.make('/v1/budgets', budgetBody(extra));
}

export async function readBudget(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/budgets/${id}`)).body.data;
}

/** What a budget has spent, holds and has left. */
export async function usedOf(client: Client, budget: Json): Promise<[spent: string, reserved: string, remaining: string]> {
  const { spent, reserved, remaining } = await readBudget(client, budget);
  return [spent, reserved, remaining];
}

/** An agent with money, and somebody to pay. */
export interface Spender extends TestAgent {
  from: Json;
  to: Json;
  /** Pays as the agent. */
  pay(amount: string, extra?: object, headers?: Record<string, string>): Promise<Answer>;
}

/** Of a new account, unless one is given. */
export async function spender(
  client: Client,
  { currency = 'USD', funded = '1000.00', ...extra }: { currency?: string; funded?: string; parent_account_id?: string } = {},
): Promise<Spender> {
  const agent = await enrol(client, { wallet: { currency }, ...extra });
  const from = { id: agent.agent.default_wallet_id, currency };
  await client.make(`/v1/wallets/${from.id}/fund`, { amount: funded });
  const { wallet: to } = await openWallet(client, { currency, name: 'Payee' });
  const pay: Spender['pay'] = (amount, more = {}, headers = {}) =>
    client.post('/v1/transfers', transferBody(from, to, amount, more), { as: agent.token, headers });
  return { ...agent, from, to, pay };
}

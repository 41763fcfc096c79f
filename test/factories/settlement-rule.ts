// Settlement rules, and short ways to read what they did.
import { expect } from 'vitest';
import { type Client, type Harness, type Json, openWallet } from '../harness.js';
import { newPayer } from './payout.js';

/** What makes a rule that anybody may have: it tells of itself when it is run. */
export function ruleBody(wallet: Json, extra: object = {}): Json {
  return { name: 'Rule', wallet_id: wallet.id, trigger_type: 'manual', action_type: 'notify', ...extra };
}

export function newRule(client: Client, wallet: Json, extra: object = {}): Promise<Json> {
  return client.make('/v1/settlement-rules', ruleBody(wallet, extra));
}

/** A rule of a wallet of its own, in any environment. */
export async function someRule(client: Client, extra: object = {}): Promise<Json> {
  const { wallet } = await openWallet(client);
  return newRule(client, wallet, extra);
}

/** What a rule did, oldest first. */
export async function executionsOf(client: Client, { id }: Json): Promise<Json[]> {
  const { status, body } = await client.get(`/v1/settlement-rules/${id}/executions?limit=200`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.reverse();
}

/** Runs a rule and returns what came of it. */
export async function runRule(harness: Harness, rule: Json): Promise<Json> {
  const { status, body } = await harness.test.post(`/v1/settlement-rules/${rule.id}/run`);
  expect(status, JSON.stringify(body)).toBe(202);
  await harness.runDue();
  const found = (await executionsOf(harness.test, rule)).find(({ id }) => id === body.data.execution_id);
  expect(found).toBeDefined();
  return found;
}

/** A wallet with money, a bank account behind it, and a rule that settles to it. */
export async function newSettler(
  client: Client,
  extra: object = {},
  { rail = 'ach', funded = '1000.00' }: { rail?: string; funded?: string } = {},
) {
  const payer = await newPayer(client, rail, funded);
  const rule = await newRule(client, payer.wallet, { action_type: 'settle_to_bank', ...extra });
  return { ...payer, rule };
}

/** Puts money into a wallet. */
export function fund(client: Client, { id }: Json, amount: string): Promise<Json> {
  return client.make(`/v1/wallets/${id}/fund`, { amount });
}

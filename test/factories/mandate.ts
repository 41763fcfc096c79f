// Things that tests of mandates need: an agent with money, a merchant, a mandate between them, and a key to sign what is not ours.

import { expect } from 'vitest';
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Answer, Client, Harness, Json } from '../harness.js';
import { newMerchant } from './payment.js';

/** When the mandates of tests end: a month after the clock of a test begins. */
export const inAMonth = '2026-04-01T10:00:00.000Z';

export function mandateBody({ account, id }: Pick<TestAgent, 'account' | 'id'>, scope: object = {}, extra: object = {}): Json {
  return {
    account_id: account.id,
    agent_id: id,
    scope: { max_per_tx: '50.00', max_per_day: '100.00', max_per_month: '1000.00', currency: 'USD', ...scope },
    expires_at: inAMonth,
    ...extra,
  };
}

/** An agent with money, a merchant with a wallet, and a mandate of the one to pay the other. */
export interface Holder extends TestAgent {
  wallet: Json;
  merchant: Json;
  mandate: Json;
  /** Spends by the mandate at the merchant, as the agent unless `as` says otherwise. */
  spend(amount: string, extra?: object, options?: { as?: string; headers?: Record<string, string> }): Promise<Answer>;
}

export async function newHolder(client: Client, scope: object = {}, { funded = '1000.00', currency = 'USD' } = {}): Promise<Holder> {
  const agent = await enrol(client, { wallet: { currency } });
  const wallet = { id: agent.agent.default_wallet_id, currency };
  await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  const merchant = await newSeller(client, currency);
  const mandate = await client.make('/v1/ap2/mandates', mandateBody(agent, { currency, ...scope }));
  const spend: Holder['spend'] = (amount, extra = {}, { as = agent.token, headers = {} } = {}) =>
    client.post(`/v1/ap2/mandates/${mandate.id}/execute`, executionBody({ mandate, merchant }, amount, extra), { as, headers });
  return { ...agent, wallet, merchant, mandate, spend };
}

/** A merchant whose account has a wallet. */
export async function newSeller(client: Client, currency = 'USD', extra: object = {}): Promise<Json> {
  const merchant = await newMerchant(client, extra);
  const wallet = await client.make('/v1/wallets', { owner_type: 'account', owner_id: merchant.account_id, currency });
  await client.patch(`/v1/merchants/${merchant.id}`, { settlement_wallet_id: wallet.id });
  return { ...merchant, settlement_wallet_id: wallet.id };
}

export function executionBody({ mandate, merchant }: Pick<Holder, 'mandate' | 'merchant'>, amount: string, extra: object = {}): Json {
  return { mandate_jwt: mandate.mandate_jwt, merchant_id: merchant.id, amount, currency: mandate.scope.currency, ...extra };
}

export async function readMandate(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/ap2/mandates/${id}`)).body.data;
}

/** Does something that meets another version of a mandate which is being written, and is committed once somebody waits for it. */
export async function whileChanging<T>({ platform: { database } }: Harness, { id }: Json, work: () => Promise<T>): Promise<T> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    const bare = id.slice('ap2_mnd_'.length);
    await client.query('UPDATE mandate SET version_id = $2::uuid WHERE id = $1::uuid', [bare, newId(new Date())]);
    const done = work();
    await expect.poll(async () => (await client.query(waiting)).rowCount, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
    await client.query('COMMIT');
    return await done;
  } finally {
    client.release();
  }
}

/** The claims of a JWT, whoever signed it. */
export function claimsIn(jwt: string): Json {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

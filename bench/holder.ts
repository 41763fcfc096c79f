// Who takes part in the benches of protocols: agents with money and a mandate, each with a merchant to spend at.
import { transferRequest } from './measure.js';
import type { Sandbox } from './platform.js';

/** Agents, each with a wallet and a mandate. */
const holders = 64;

export interface Holder {
  agent: string;
  wallet: string;
  mandate: string;
  jwt: string;
  merchant: string;
  /** The account of the merchant. */
  payee: string;
  /** Where the merchant settles. */
  settlement: string;
}

export async function makeHolders(sandbox: Sandbox): Promise<Holder[]> {
  const all: Holder[] = [];
  while (all.length < holders) all.push(...(await Promise.all(Array.from({ length: 8 }, () => makeHolder(sandbox)))));
  return all;
}

/** Requests of one after the other, each under a key of its own. */
export function inTurn<T>(all: readonly T[], request: (one: T, key: string) => string): () => string {
  const run = Math.random().toString(36).slice(2);
  let n = 0;
  return () => {
    n += 1;
    return request(all[n % all.length] as T, `${run}-${n}`);
  };
}

/** A transfer of a cent from the agent to the wallet of its merchant. */
export function transferOf(url: URL, { agent, wallet, settlement }: Holder, key: string): string {
  const money = '"amount":"0.01","currency":"USD"';
  const body = `{"type":"internal","from_wallet_id":"${wallet}","to_wallet_id":"${settlement}",${money},"agent_id":"${agent}"}`;
  return transferRequest(url, body, key);
}

async function makeHolder(sandbox: Sandbox): Promise<Holder> {
  const make = async <T>(target: string, body: object) => (await sandbox.make<{ data: T }>(target, body)).data;
  const id = async (target: string, body: object) => (await make<{ id: string }>(target, body)).id;
  const person = { type: 'business', name: 'Bench' };
  const [payer, payee] = [await id('/v1/accounts', person), await id('/v1/accounts', person)];
  const agent = await make<{ id: string; default_wallet_id: string }>('/v1/agents', {
    parent_account_id: payer,
    name: 'Spender',
    wallet: { currency: 'USD' },
  });
  await make(`/v1/wallets/${agent.default_wallet_id}/fund`, { amount: '1000000.00' });
  const settlement = await id('/v1/wallets', { owner_type: 'account', owner_id: payee, currency: 'USD' });
  const shop = { name: 'Shop', category: 'retail', account_id: payee, settlement_wallet_id: settlement };
  const merchant = await id('/v1/merchants', shop);
  const scope = { max_per_tx: '50.00', max_per_day: '100000.00', max_per_month: '900000.00', currency: 'USD' };
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { account_id: payer, agent_id: agent.id, scope, expires_at };
  const mandate = await make<{ id: string; mandate_jwt: string }>('/v1/ap2/mandates', body);
  return {
    agent: agent.id,
    wallet: agent.default_wallet_id,
    mandate: mandate.id,
    jwt: mandate.mandate_jwt,
    merchant,
    payee,
    settlement,
  };
}

// Decisions that were stored: of spends that a limit took part in, and of refused ones, which are written after the answer.
import { expect, vi } from 'vitest';
import { writeRefusals } from '../../src/contexts/spending/pipeline/refusal-writer.js';
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Client, Harness, Json } from '../harness.js';
import { openWallet } from '../harness.js';
import { transferBody } from './payment.js';

/** An agent of a tier, with a wallet, and somebody to pay. */
export interface Spender extends TestAgent {
  wallet: Json;
  payee: Json;
  /** Pays, as the agent. */
  pay: (amount: string, extra?: object) => ReturnType<Client['post']>;
}

/** A new agent with a funded wallet. */
export async function newSpender(
  client: Client,
  { tier = 0, currency = 'USD', funded = '1000.00' }: { tier?: number; currency?: string; funded?: string } = {},
): Promise<Spender> {
  const agent = await enrol(client, { kya_tier: tier });
  const wallet = await client.make('/v1/wallets', { owner_type: 'agent', owner_id: agent.id, currency });
  await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  const { wallet: payee } = await openWallet(client, { currency });
  const pay: Spender['pay'] = (amount, extra = {}) =>
    client.post('/v1/transfers', transferBody(wallet, payee, amount, extra), { as: agent.token });
  return { ...agent, wallet, payee, pay };
}

/** The decisions that are stored, newest first, when those of refusals have been written. */
export async function decisionsOf({ platform }: Harness, client: Client, query = ''): Promise<Json[]> {
  await writeRefusals(platform);
  const answer = await client.get(`/v1/decisions?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

/** The decision of a spend that was refused for want of money: so it can be made in production too. */
export async function refusedSpend(harness: Harness, client: Client): Promise<Json> {
  const [payer, payee] = await Promise.all([openWallet(client), openWallet(client)]);
  const { status } = await client.post('/v1/transfers', transferBody(payer.wallet, payee.wallet, '1.00'));
  expect(status).toBe(422);
  const [decision] = await decisionsOf(harness, client, 'limit=1');
  return decision;
}

/** Makes the breaker watch an agent for an hour, as a trip of it does: each of its spends then needs an approval. */
export async function watch({ platform, clock, test }: Harness, spender: Spender): Promise<string> {
  const { unscoped } = platform.database;
  const { workspaceId } = await unscoped.agent.findFirstOrThrow({ where: { id: spender.uuid } });
  const id = newId(clock.now());
  const endsAt = new Date(clock.now().getTime() + 3_600_000);
  await unscoped.breakerTrip.create({
    data: { workspaceId, id, agentId: spender.uuid, kind: 'rate', action: 'approve', evidence: {}, at: clock.now(), endsAt },
  });
  // The database tells the process, a moment later.
  const trial = transferBody(spender.wallet, spender.payee, spender.wallet.currency === 'JPY' ? '1' : '0.01');
  const asked = async () => (await test.post('/v1/transfers?dry_run=true', trial, { as: spender.token })).body.data.decision.checks;
  await vi.waitFor(async () => expect((await asked()).map(({ rule_id }: Json) => rule_id)).toContain(`breaker.${id}`), {
    interval: 5,
    timeout: 20_000,
  });
  return id;
}

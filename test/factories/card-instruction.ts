// Instructions to card networks, as tests need them.

import { randomBytes } from 'node:crypto';
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Client, Harness, Json } from '../harness.js';
import { someIntent, verifiedRef } from './bot-identity.js';
import { newAccount } from './payment.js';

/** Sends an instruction for an agent. */
export function instruct(client: Client, agent: TestAgent, body: Json, { network = 'visa', as }: { network?: string; as?: string } = {}) {
  return client.post(`/v1/cards/${network}/instructions`, { agent_id: agent.uuid, ...body }, as === undefined ? {} : { as });
}

/** An agent, and what it pays with. */
export async function newCardAgent({ test: client, clock }: Harness, given?: TestAgent) {
  const agent = given ?? (await enrol(client));
  const ref = (extra: Json = {}) => verifiedRef(client, agent, clock.now(), extra);
  /** Verifies a payment and authorizes it. */
  const authorize = async (
    payload: Json = {},
    { amount = someIntent.amount, currency = 'USD', merchant_id = someIntent.merchant_id, ...extra }: Json = {},
  ) => {
    const network_ref = await ref({ intent: { ...someIntent, amount, currency, merchant_id } });
    return instruct(client, agent, { payload: { network_ref, ...payload }, ...extra });
  };
  const follow = (type: 'cancel' | 'refund', { id }: Json, payload: Json = {}) =>
    instruct(client, agent, { type, payload: { instruction_id: id, ...payload } });
  const read = async ({ id }: Json) => (await client.get(`/v1/cards/instructions/${id}`)).body.data;
  return { agent, ref, authorize, follow, read };
}

/** What identifies the workspace of a client, and an agent of it. */
async function someAgent({ platform }: Harness, client: Client, of?: TestAgent) {
  const account = of?.account ?? (await newAccount(client));
  const agent = of?.agent ?? (await client.make('/v1/agents', { parent_account_id: account.id, name: 'Card agent' }));
  const { workspaceId } = await platform.database.unscoped.account.findFirstOrThrow({ where: { id: account.id } });
  return { workspaceId, accountId: account.id as string, agentId: agent.id.slice('agt_'.length) as string };
}

/** An authorization as it would stand in the workspace of a client: in production no network takes one. */
export async function storedInstruction(harness: Harness, client: Client, merchantRef = 'shop-4711', of?: TestAgent): Promise<Json> {
  const at = harness.clock.now();
  const id = newId(at);
  const who = await someAgent(harness, client, of);
  const said = { network: 'visa', type: 'authorize', status: 'approved', amount: 4_200n, currency: 'USD', merchantRef } as const;
  const from = { requestedByType: 'api_key', requestedById: id, lane: id, payload: {}, createdAt: at, updatedAt: at } as const;
  await harness.platform.database.unscoped.cardInstruction.create({ data: { ...who, ...said, ...from, id } });
  return { id: `ins_${id}` };
}

/** A payment that was verified for an agent of the workspace, as an authorization names it. */
export async function storedReference({ platform, clock }: Harness, agent: string): Promise<string> {
  const agentId = agent.replace(/^agt_/, '');
  const { workspaceId } = await platform.database.unscoped.agent.findFirstOrThrow({ where: { id: agentId } });
  const at = clock.now();
  const id = newId(at);
  const intent = { merchantRef: 'shop-4711', amount: 4_200n, currency: 'USD' };
  const until = { createdAt: at, expiresAt: new Date(at.getTime() + 900_000), keptUntil: new Date(at.getTime() + 900_000) };
  await platform.database.unscoped.cardVerification.create({
    data: { workspaceId, id, agentId, network: 'visa', nonceHash: randomBytes(32), ...intent, ...until },
  });
  return `nref_${id}`;
}

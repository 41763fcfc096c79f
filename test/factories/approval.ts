// Spends that wait for an approval, which need no policy: the runaway breaker has tripped for the agent that spends.
import { expect } from 'vitest';
import { createApiKey } from '../../src/contexts/identity/api-key.js';
import { tenantWorkspace } from '../../src/contexts/identity/tenant.js';
import { rulesTag } from '../../src/contexts/spending/pipeline/rules-tag.js';
import { systemCtx } from '../../src/platform/due/step.js';
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import { type Answer, type Client, type Harness, type Json, openWallet } from '../harness.js';
import { newAccount, transferBody } from './payment.js';

export interface Spender extends TestAgent {
  wallet: Json;
  payee: Json;
  /** Asks for a transfer as the agent. */
  ask(amount: string, extra?: object, headers?: Record<string, string>): Promise<Answer>;
  /** The same, which has to wait: the transfer and its approval. */
  wait(amount?: string, extra?: object): Promise<{ transfer: Json; approval: Json }>;
}

/** An agent with money each of whose spends has to be approved, and somebody to pay. */
export async function spender(
  harness: Harness,
  { funded = '1000.00', ...extra }: { funded?: string; kya_tier?: number } = {},
): Promise<Spender> {
  const agent = await enrol(harness.test, { wallet: { currency: 'USD' }, ...extra });
  const wallet = (await harness.test.get(`/v1/wallets/${agent.agent.default_wallet_id}`)).body.data;
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  const { wallet: payee } = await openWallet(harness.test, { name: 'Payee' });
  await trip(harness, agent.uuid);
  const ask = (amount: string, more: object = {}, headers: Record<string, string> = {}) =>
    harness.test.post('/v1/transfers', transferBody(wallet, payee, amount, more), { as: agent.token, headers });
  const wait = async (amount = '30.00', more: object = {}) => {
    const answer = await ask(amount, more);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    const approval = (await harness.test.get(`/v1/approvals/${answer.body.approval.id}`)).body.data;
    return { transfer: answer.body.data, approval };
  };
  return { ...agent, wallet, payee, ask, wait };
}

/** Lets the breaker trip for an agent: its spends need an approval for so many seconds. */
export async function trip(harness: Harness, agentId: string, seconds = 30 * 86_400): Promise<void> {
  const { database, cache } = harness.platform;
  const at = harness.clock.now();
  const { workspaceId } = await database.unscoped.agent.findFirstOrThrow({ where: { id: agentId } });
  const endsAt = new Date(at.getTime() + seconds * 1000);
  const tripped = { kind: 'rate', action: 'approve', evidence: {}, at, endsAt } as const;
  await database.unscoped.breakerTrip.create({ data: { workspaceId, id: newId(at), agentId, ...tripped } });
  // The database tells it too, in a moment.
  cache.drop(rulesTag(workspaceId));
}

/** An approval as a row alone: it needs no money, so it can be made in production too. */
export async function storedApproval(harness: Harness, client: Client): Promise<Json> {
  const { database } = harness.platform;
  const account = await newAccount(client);
  const { workspaceId } = await database.unscoped.account.findFirstOrThrow({ where: { id: account.id } });
  const at = harness.clock.now();
  const id = newId(at);
  await database.unscoped.approval.create({
    data: {
      workspaceId,
      id,
      subjectType: 'transfer',
      subjectId: newId(at),
      amount: 100n,
      currency: 'USD',
      context: { spent_today: '0.00', remaining_today: null, first_time_counterparty: true, similar_approved_30d: 0 },
      requestedByType: 'agent',
      requestedById: newId(at),
      requestedAt: at,
      expiresAt: new Date(at.getTime() + 3_600_000),
    },
  });
  return { id: `apr_${id}` };
}

/** A key of the sandbox as the command line makes it: it may decide what any other key asked for. */
export async function ownersKey({ platform, ...harness }: Harness, tenantId = harness.tenantId): Promise<string> {
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) throw new Error('the tenant has no sandbox');
  return (await createApiKey(systemCtx(platform, workspace, null), { name: 'Owner' })).key;
}

/** A JWT session of a key. */
export async function sessionOf(client: Client): Promise<string> {
  return (await client.make('/v1/auth/session', { api_key: client.key }, { as: null })).token;
}

/** What became of a transfer. */
export async function transferOf(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/transfers/${id}`)).body.data;
}

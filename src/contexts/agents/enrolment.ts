// Bringing an agent in: the agent, its token, and where asked for its key pair and its wallet, all or nothing (CONTRACT.md 5).
import type { Account, Agent, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { inactiveAccount } from '../accounts/account.js';
import { insertWallet } from '../accounts/wallet.js';
import { addEntry } from '../identity/directory.js';
import type { CreateAgentInput } from './agent.input.js';
import { agent, agentHash } from './agent.js';
import { insertKey, type NewKey, provisionedKey } from './key.js';
import { readSkills, replaceSkills } from './skill-input.js';
import { issueToken } from './token.js';

/** A new agent and its credentials. The token is null on a replay: nothing keeps it. */
export interface Enrolment {
  agent: Agent;
  token: string | null;
  authKey: NewKey | null;
}

/** Creates an agent. 404 when the account is not of this workspace, 409 when it is not active. */
export async function createAgent(ctx: Ctx, input: CreateAgentInput): Promise<Enrolment> {
  const skills = await readSkills(ctx, input.skills ?? []);
  return transact(
    ctx,
    async (tx) => {
      const created = await insertAgent(ctx, tx, input);
      if (skills.length > 0) await replaceSkills(ctx, tx, created.id, skills);
      const { token } = await issueToken(ctx, tx, created.id);
      const authKey = input.generateKeypair ? await insertKey(ctx, tx, created.id) : null;
      return { agent: created, token, authKey };
    },
    ({ agent, authKey }) => [agent.id, ...(authKey === null ? [] : [authKey.key.id])].join(' '),
  );
}

type NewAgent = Pick<CreateAgentInput, 'parentAccountId' | 'name' | 'description' | 'kyaTier' | 'metadata' | 'wallet'>;

/** Writes an agent without credentials, in the transaction of whoever needs one. `field` names the account in the input. */
export async function insertAgent(ctx: Ctx, tx: Tx, input: NewAgent, field = ['parentAccountId']): Promise<Agent> {
  const { id: parentAccountId } = await activeAccount(tx, input.parentAccountId, field);
  const at = ctx.clock.now();
  const created = await tx.agent.create({
    data: {
      id: newId(at),
      parentAccountId,
      name: input.name,
      description: input.description ?? null,
      kyaTier: input.kyaTier ?? 0,
      metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
      createdAt: at,
      updatedAt: at,
    },
  });
  await addEntry(ctx, tx, { kind: 'agent', id: created.id, hash: agentHash(created.id) });
  if (input.wallet) {
    const owner = { ownerType: 'agent', accountId: parentAccountId, agentId: created.id } as const;
    await insertWallet(ctx, tx, { ...owner, currency: input.wallet.currency });
  }
  return created;
}

async function activeAccount(tx: Tx, id: string, field: readonly string[]): Promise<Pick<Account, 'id' | 'status'>> {
  const account = await tx.account.findFirst({ where: { id }, select: { id: true, status: true } });
  if (account === null) throw new NotFound(...field);
  if (account.status !== 'active') throw inactiveAccount(account, 'agents');
  return account;
}

/** What an enrolment made, without its secrets. */
export async function enrolment(ctx: Ctx, reference: string): Promise<Enrolment> {
  const [agentId = '', keyId] = reference.split(' ');
  return { agent: await agent(ctx, agentId), token: null, authKey: keyId === undefined ? null : await provisionedKey(ctx, keyId) };
}

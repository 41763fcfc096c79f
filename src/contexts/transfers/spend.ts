// Who may spend from a wallet, and which limits the spend uses up. Every protocol's spend passes here on its way to the ledger,
// which then checks agent, wallet, limits and balance in one statement (ARCHITECTURE: docs/architecture.md "One spend pipeline").
import type { LimitUse } from '../../ledger/posting.js';
import type { ActingAgent, Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Purse } from '../accounts/purse.js';
import { actingAgent } from '../agents/agent.js';
import { kyaUses } from '../agents/kya-limit.js';
import { NotYourWallet } from './errors.js';

export interface SpendRequest {
  from: Purse;
  /** The agent that an API key acts for. */
  agentId: string | undefined;
  currency: string;
  /** Minor units. */
  amount: bigint;
  at: Date;
  /** False when the money stays in the wallet: nothing is spent then (Gap G-45). */
  external: boolean;
}

/** The agent that spends, if one does, and what the spend uses of its limits. */
export interface Spend {
  agentId: string | undefined;
  limits: LimitUse[];
}

/**
 * Finds the spending agent and its limits (Gap G-33). 404 for an agent_id of another workspace, 403 `forbidden` when the wallet is not the
 * agent's to spend from, 403 `kya_limit_exceeded` when one spend alone is too large.
 */
export async function spend(ctx: Ctx, { from, agentId, currency, amount, at, external }: SpendRequest): Promise<Spend> {
  const agent = await spendingAgent(ctx, from, agentId);
  if (agent === undefined) return { agentId: undefined, limits: [] };
  return { agentId: agent.id, limits: external ? await kyaUses(ctx, agent, currency, amount, at) : [] };
}

async function spendingAgent(ctx: Ctx, from: Purse, agentId: string | undefined): Promise<ActingAgent | undefined> {
  const own = ctx.actor.agent;
  if (own !== undefined) {
    if (agentId !== undefined && agentId !== own.id) throw new NotFound('agentId');
    if (from.agentId !== own.id) throw notYours(from);
    return own;
  }
  if (agentId === undefined) return undefined;
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) throw new NotFound('agentId');
  if (from.agentId !== agent.id && (from.agentId !== null || from.accountId !== agent.parentAccountId)) throw notYours(from);
  return agent;
}

function notYours({ walletId }: Purse): NotYourWallet {
  return new NotYourWallet('An agent spends from its own wallets only.', {
    details: {
      wallet_id: walletId,
      next_actions: [{ rel: 'own_wallets', actor: 'agent', method: 'GET', path: '/v1/wallets?owner_type=agent' }],
    },
  });
}

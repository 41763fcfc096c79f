// The one spend pipeline (CONTRACT.md 0 "Spend pipeline"). Everything that spends hands it a Spend and gets the authority for its
// posting: guards and uses of limits, which the ledger checks in one statement with the balance.
import type { Protocol } from '../../../generated/prisma/client.js';
import { type Guard, guardsOf } from '../../../ledger/posting.js';
import type { ActingAgent, Ctx } from '../../../platform/ctx.js';
import { declareError, NotFound } from '../../../platform/errors.js';
import type { WalletRef } from '../../accounts/wallet-ref.js';
import { actingAgent } from '../../agents/agent.js';
import { merchantRules, needsCounterparty } from '../policy/policy-rule.js';
import type { EnforcedCard } from './card-rule.js';
import { isKnownCounterparty, merchantsPaid } from './counterparty.js';
import { stillLifted } from './lifted-rule.js';
import type { EnforcedMandate } from './mandate-rule.js';
import type { Payer, RuleResults, SpendFacts } from './rule-result.js';
import { type Rulebook, rulebook, rulesFor } from './rulebook.js';
import { applyRules, type RulesInForce } from './rules-in-force.js';

/** 403: an agent spends from its own wallets only, and with its own cards. */
export class NotYourWallet extends declareError(403, 'forbidden') {}

/** Money that is to leave a wallet, or a card. */
export interface Spend {
  from: Payer;
  /** Where it goes; null: out of the platform. */
  to: WalletRef | null;
  /** The agent that an API key acts for. */
  agentId: string | undefined;
  protocol: Protocol;
  currency: string;
  /** Minor units, with everything that leaves the wallet: fees too. */
  amount: bigint;
  /** Workspace time, in whose windows the limits count. */
  at: Date;
  /** A payout that a settlement rule starts, which is no spend (CONTRACT.md 0 "What a spend is"). */
  isSettlement?: boolean | undefined;
  /** The merchant that the request names; else the one whose settlement wallet is paid. */
  merchantId?: string | undefined;
  /** The mandate that it is an execution of. */
  mandate?: EnforcedMandate | undefined;
  /** The vaulted card that pays, where it has limits. */
  card?: EnforcedCard | undefined;
  /** The trace that budgets of a trace count; that of the request by default. */
  traceId?: string | null | undefined;
  /** The connection whose budget counts; that of the actor by default. */
  connectionId?: string | null | undefined;
  /** Rules that an approval has lifted, as it keeps them. */
  lifted?: readonly string[] | undefined;
  /** The caller wants an approval where a policy or a budget refuses. */
  requestApproval?: boolean | undefined;
  /**
   * The request as it could be sent again, as the wire has it, for the actions that a refusal suggests. `amountMember`: which member of its
   * body is the amount; null: none.
   */
  request?: { path: string; body: () => Record<string, unknown>; amountMember?: string | null } | undefined;
}

/** What a posting needs to spend. */
export interface Authority {
  at: Date;
  /** The agent that spends, if one does. */
  agentId: string | undefined;
  guards: readonly Guard[];
  /** What the rules were asked; null when no money leaves its owner, which no rule binds. */
  facts: SpendFacts | null;
  rules: RulesInForce;
  ruleResults: RuleResults;
  /** The merchant that the request names. */
  merchantId?: string | undefined;
  request?: Spend['request'];
  requestApproval?: Spend['requestApproval'];
}

const nothing: RuleResults = { uses: [], results: [], rateIds: [] };

// Gap G-40: An agent spends from its own wallets; an API key that names `agent_id` also from its account's, within the agent's caps.
/**
 * Finds the agent that spends, the rules that bind it and what they say. 404 for an agent_id of another workspace, 403 `forbidden` when the
 * wallet is not the agent's to spend from.
 */
export async function authorizeSpend(ctx: Ctx, spend: Spend): Promise<Authority> {
  const agent = await spendingAgent(ctx, spend);
  const book = await rulebook(ctx);
  const { at, merchantId, request, requestApproval, mandate, card } = spend;
  const guards = [...guardsOf(ctx, agent?.id), workspaceGuard(ctx), ...mandateGuards(mandate)];
  const authority = { at, agentId: agent?.id, guards, merchantId, request, requestApproval };
  // Gap G-215: An execution counts even when its money stays with its owner.
  const staysOwn = mandate === undefined && !isSpend(spend);
  const none = { kya: [], policies: [], budgets: [], rates: book.rates };
  if (staysOwn && card === undefined) {
    return { ...authority, facts: null, rules: none, ruleResults: nothing };
  }
  const facts = spendFactsOf(ctx, book, spend, agent);
  // A card has its own limits for whatever is paid with it.
  if (staysOwn) facts.breakerTripId = null;
  const rules = { ...(staysOwn ? none : rulesFor(book, facts)), mandate, card };
  if (spend.lifted !== undefined) facts.lifted = stillLifted(spend.lifted, rules);
  const hasCardCategories = card !== undefined && card.allowedCategories.length > 0;
  const lists = merchantRules(rules.policies);
  if (mandate !== undefined || hasCardCategories || lists.length > 0) {
    Object.assign(facts, await merchantsPaid(ctx, spend.merchantId, facts, { lists, mandate }));
  }
  if (needsCounterparty(rules.policies)) facts.isKnownCounterparty = await isKnownCounterparty(ctx, facts);
  return { ...authority, facts, rules, ruleResults: applyRules(facts, rules) };
}

/** The kill switch of the whole workspace, asked inside every posting that spends. */
export function workspaceGuard({ workspace }: Pick<Ctx, 'workspace'>): Guard {
  return { kind: 'workspace', id: workspace.id };
}

function spendFactsOf(ctx: Ctx, book: Rulebook, spend: Spend, agent: ActingAgent | undefined): SpendFacts {
  const { at, amount, currency, protocol, from, to, mandate } = spend;
  const watched = agent === undefined ? undefined : book.watched.get(agent.id);
  return {
    at,
    amount,
    currency,
    protocol,
    payer: { walletId: from.walletId, accountId: from.accountId, agentId: from.agentId },
    payee: to === null ? null : { walletId: to.walletId, accountId: to.accountId, agentId: to.agentId },
    agent: agent === undefined ? null : { id: agent.id, kyaTier: agent.kyaTier },
    traceId: (spend.traceId === undefined ? ctx.traceId : spend.traceId) ?? null,
    mandateId: mandate?.id ?? null,
    connectionId: spend.connectionId ?? ctx.actor.connection?.id ?? null,
    breakerTripId: watched !== undefined && watched.endsAt > at ? watched.tripId : null,
    lifted: null,
  };
}

// Gap G-52: A spend is money that leaves its owner: no wrap, no move between wallets of one owner, no money to the account's own agent.
/**
 * True when money leaves its owner. It does not between wallets of one owner, nor when an account fills the wallet of its own agent
 * (CONTRACT.md 0 "What a spend is").
 */
export function isSpend({ from, to, isSettlement = false }: Pick<Spend, 'from' | 'to' | 'isSettlement'>): boolean {
  if (isSettlement) return false;
  if (to === null || from.accountId !== to.accountId) return true;
  return from.agentId !== null && from.agentId !== to.agentId;
}

/** The mandate has to be in force, in the version that was presented, at the moment of posting. */
function mandateGuards(mandate: EnforcedMandate | undefined): Guard[] {
  return mandate === undefined ? [] : [{ kind: 'mandate', id: mandate.versionId }];
}

async function spendingAgent(ctx: Ctx, { from, agentId, mandate }: Spend): Promise<ActingAgent | undefined> {
  const own = ctx.actor.agent;
  if (own !== undefined) {
    if (agentId !== undefined && agentId !== own.id) throw new NotFound('agentId');
    // A mandate lets an agent spend the money of its account.
    const isMandated = from.agentId === null && from.accountId === mandate?.accountId;
    if (from.agentId !== own.id && !isMandated) throw notYours(from);
    return own;
  }
  if (agentId === undefined) return undefined;
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) throw new NotFound('agentId');
  if (from.agentId !== agent.id && (from.agentId !== null || from.accountId !== agent.parentAccountId)) throw notYours(from);
  return agent;
}

function notYours({ walletId }: Payer): NotYourWallet {
  if (walletId === null) {
    const cards = { rel: 'own_cards', actor: 'agent', method: 'GET', path: '/v1/cards/vault' } as const;
    return new NotYourWallet('An agent can pay only with its own cards and those of its account.', { details: { next_actions: [cards] } });
  }
  return new NotYourWallet('An agent can spend from its own wallets only.', {
    details: {
      wallet_id: walletId,
      next_actions: [{ rel: 'own_wallets', actor: 'agent', method: 'GET', path: '/v1/wallets?owner_type=agent' }],
    },
  });
}

// Whether the rules let money go to a merchant that was paid before anybody named it: its limits have counted then, so the rules about
// merchants and categories are asked alone.

import type { Ctx } from '../../../platform/ctx.js';
import type { ApiError } from '../../../platform/errors.js';
import type { WalletRef } from '../../accounts/wallet-ref.js';
import { actingAgent } from '../../agents/agent.js';
import { merchantRules } from '../policy/policy-rule.js';
import { merchantsPaid } from './counterparty.js';
import { type Decision, decide } from './decision.js';
import { stillLifted } from './lifted-rule.js';
import type { Authority, Spend } from './pipeline.js';
import { refusalsOf } from './refusal.js';
import type { SpendFacts } from './rule-result.js';
import { rulebook, rulesFor } from './rulebook.js';
import { applyRules, type RulesInForce } from './rules-in-force.js';

/** Money that was paid, and the merchant that it turns out to be for. */
export interface PaidSpend extends Pick<Spend, 'protocol' | 'currency' | 'amount'> {
  /** Null: it came from outside of the platform, and no rule binds who has paid. */
  from: WalletRef | null;
  to: WalletRef;
  /** The agent that has spent. */
  agentId: string | null;
  merchantId: string;
  /** The approval that it was paid under. */
  approvalId: string | null;
}

/**
 * What the rules about merchants say, and the error of the first that refuses; null where none does. The money has moved, so nobody can be
 * asked any more: a rule that wants an approval refuses, unless the payment was made under one that has lifted it (see G-321).
 */
export async function judgeMerchant(ctx: Ctx, spend: PaidSpend): Promise<{ decision: Decision; refusal: ApiError | null }> {
  const { merchantId } = spend;
  const [book, facts] = [await rulebook(ctx), await merchantFactsOf(ctx, spend)];
  const rules = facts === null ? { kya: [], policies: [], budgets: [], rates: book.rates } : rulesFor(book, facts);
  const asker = { lists: merchantRules(rules.policies), mandate: undefined };
  if (facts !== null) Object.assign(facts, await merchantsPaid(ctx, merchantId, facts, asker));
  const said = facts === null ? [] : applyRules(facts, rules).results;
  const lifted = await liftedRules(ctx, spend, rules);
  const results = said
    .filter(({ code, ruleId }) => code === 'merchant_blocked' && !lifted.includes(ruleId))
    .map((result) => ({ ...result, outcome: 'fail' as const }));
  const ruleResults = { uses: [], results, rateIds: [] };
  const agentId = facts?.agent?.id;
  const authority: Authority = { at: ctx.clock.now(), agentId, guards: [], facts, rules, ruleResults, merchantId };
  const refusals = refusalsOf([], ctx, authority);
  const decision = decide(ctx, { ruleResults, refusals, requirements: [], before: () => 0n });
  return { decision, refusal: refusals[0]?.error ?? null };
}

async function liftedRules({ db }: Ctx, { approvalId }: PaidSpend, rules: RulesInForce): Promise<string[]> {
  if (approvalId === null) return [];
  const approval = await db.approval.findFirst({ where: { id: approvalId, status: 'approved' }, select: { lifted: true } });
  return approval === null ? [] : stillLifted(approval.lifted, rules);
}

async function merchantFactsOf(ctx: Ctx, { from, to, agentId, protocol, currency, amount }: PaidSpend): Promise<SpendFacts | null> {
  if (from === null) return null;
  const agent = agentId === null ? null : await actingAgent(ctx, agentId);
  const payee = { walletId: to.walletId, accountId: to.accountId, agentId: to.agentId };
  return {
    at: ctx.clock.now(),
    amount,
    currency,
    protocol,
    payer: { walletId: from.walletId, accountId: from.accountId, agentId: from.agentId },
    payee,
    agent: agent === null ? null : { id: agent.id, kyaTier: agent.kyaTier },
    traceId: null,
    mandateId: null,
    breakerTripId: null,
    lifted: null,
  };
}

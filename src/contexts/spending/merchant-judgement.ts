// Whether the rules let money go to a merchant that was paid before anybody named it: its limits have counted then, so the rules about
// merchants and categories are asked alone.

import type { Ctx } from '../../platform/ctx.js';
import type { ApiError } from '../../platform/errors.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { actingAgent } from '../agents/agent.js';
import { namedMerchant } from './counterparty.js';
import { type Decision, decide } from './decision.js';
import type { SpendFacts } from './evaluation.js';
import type { Authority, Spend } from './pipeline.js';
import { refusalsOf } from './refusal.js';
import { rulebook, rulesFor } from './rulebook.js';
import { evaluate } from './ruling.js';

/** Money that was paid, and the merchant that it turns out to be for. */
export interface PaidSpend extends Pick<Spend, 'protocol' | 'currency' | 'amount' | 'request'> {
  /** Null: it came from outside of the platform, and no rule binds who has paid. */
  from: WalletRef | null;
  to: WalletRef;
  /** The agent that has spent. */
  agentId: string | null;
  merchantId: string;
}

/** What the rules about merchants say, and the error of the first that refuses; null where none does. */
export async function judgeMerchant(ctx: Ctx, spend: PaidSpend): Promise<{ decision: Decision; refusal: ApiError | null }> {
  const { merchantId, request } = spend;
  const [book, facts] = [await rulebook(ctx), await factsOf(ctx, spend)];
  const rules = facts === null ? { kya: [], policies: [], budgets: [], rates: book.rates } : rulesFor(book, facts);
  const said = facts === null ? [] : evaluate(facts, rules).findings;
  const findings = said.filter(({ code, outcome }) => code === 'merchant_blocked' && outcome === 'fail');
  const evaluation = { uses: [], findings, rateIds: [] };
  const agentId = facts?.agent?.id;
  const authority: Authority = { at: ctx.clock.now(), agentId, guards: [], facts, rules, evaluation, merchantId, request };
  const refusals = refusalsOf([], ctx, authority);
  const decision = decide(ctx, { evaluation, refusals, wishes: [], before: () => 0n });
  return { decision, refusal: refusals[0]?.error ?? null };
}

async function factsOf(ctx: Ctx, { from, to, agentId, merchantId, protocol, currency, amount }: PaidSpend): Promise<SpendFacts | null> {
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
    merchant: await namedMerchant(ctx, merchantId),
    traceId: null,
    mandateId: null,
    breakerTripId: null,
    lifted: null,
  };
}

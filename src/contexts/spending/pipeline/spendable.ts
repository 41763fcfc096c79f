// By which protocols an agent could spend something now. It is a forecast for those who offer spends: the posting decides.
import { Protocol } from '../../../generated/prisma/enums.js';
import type { ActingAgent, Ctx, Workspace } from '../../../platform/ctx.js';
import { budgetUse } from '../budget/budget-use.js';
import { spending } from '../freeze/kill-switch.js';
import { kyaCounter } from '../policy/kya-limit.js';
import { type EnforcedRule, hasFigure } from '../policy/policy-rule.js';
import { windowOf } from './limit.js';
import { counterKey, readCounters } from './posting.js';
import { rulebook, rulesFor } from './rulebook.js';
import type { RulesInForce } from './rules-in-force.js';
import { rulesTag } from './rules-tag.js';

const protocols = Object.values(Protocol);

/** Wallets of an agent that are looked at, the oldest first. */
const mostWallets = 50;

/** The cache tags that are dropped when what `spendableBy()` says of an agent may have changed. */
export function spendableTags({ id }: Pick<Workspace, 'id'>, agentId: string): string[] {
  return [rulesTag(id), `spending:${id}`, `agent:${agentId}`, `agent_wallet:${agentId}`];
}

// Gap G-385: `spendable_by` lists the protocols by which the least amount would pass the agent's status, wallets, caps and rules.
/**
 * The protocols by which the agent could spend the least amount from one of its wallets. None while it, its account or the workspace is
 * frozen. Rules that depend on whom it would pay, on the hour or on a few seconds are left to the spend.
 */
export async function spendableBy(ctx: Ctx, { id: agentId, status, kyaTier, parentAccountId }: ActingAgent): Promise<Protocol[]> {
  if (status !== 'active') return [];
  const connectionId = ctx.actor.connection?.id ?? null;
  const [{ frozen }, account, wallets, book] = await Promise.all([
    spending(ctx),
    ctx.db.account.findFirst({ where: { id: parentAccountId }, select: { status: true } }),
    ctx.db.wallet.findMany({ where: { agentId, status: 'active' }, orderBy: { id: 'asc' }, take: mostWallets, select: { id: true } }),
    rulebook(ctx),
  ]);
  if (frozen || account?.status !== 'active') return [];
  const open = await Promise.all(
    wallets.map(async ({ id: walletId }) => {
      const payer = { walletId, accountId: parentAccountId, agentId };
      const rules = rulesFor(book, { payer, agent: { id: agentId, kyaTier }, traceId: null, mandateId: null, connectionId });
      return (await hasRoom(ctx, agentId, rules)) ? [rules] : [];
    }),
  );
  return protocols.filter((protocol) => open.flat().some(({ policies }) => policies.every(({ rules }) => rules.every(allows(protocol)))));
}

function allows(protocol: Protocol): (rule: EnforcedRule) => boolean {
  return (rule) => rule.kind !== 'protocols' || rule.action !== 'deny' || rule.allow.has(protocol);
}

/** A maximum, and the counter that has used it; none for the cap of a single spend. */
interface Cap {
  maximum: bigint;
  counted?: { counter: string; window: string };
}

/** True when no cap is used up and no budget is spent. */
async function hasRoom(ctx: Ctx, agentId: string, rules: RulesInForce): Promise<boolean> {
  const caps = [...kyaCapsOf(agentId, rules, ctx.clock.now()), ...policyCapsOf(rules, ctx.clock.now())];
  const used = await readCounters(
    ctx.db,
    caps.flatMap(({ counted }) => counted ?? []),
  );
  const usedOf = ({ counted }: Cap) => (counted === undefined ? 0n : (used.get(counterKey(counted)) ?? 0n));
  if (caps.some((cap) => usedOf(cap) >= cap.maximum)) return false;
  const budgets = await Promise.all(rules.budgets.map((budget) => budgetUse(ctx, budget)));
  return budgets.every(({ remaining }) => remaining > 0n);
}

function kyaCapsOf(agentId: string, { kya }: RulesInForce, at: Date): Cap[] {
  return kya.flatMap(({ currency, perTx, perDay, perMonth }) => {
    const counter = kyaCounter(agentId, currency);
    const cap = (maximum: bigint | null, counted?: Cap['counted']): Cap[] =>
      maximum === null ? [] : [{ maximum, ...(counted && { counted }) }];
    const per = (period: 'day' | 'month') => ({ counter, window: windowOf(period, at).name });
    return [...cap(perTx), ...cap(perDay, per('day')), ...cap(perMonth, per('month'))];
  });
}

/** A rule that asks for an approval lets spends through, and a velocity is over in moments. */
function policyCapsOf({ policies }: RulesInForce, at: Date): Cap[] {
  return policies
    .flatMap(({ rules }) => rules)
    .filter(hasFigure)
    .filter(({ action, kind }) => action === 'deny' && kind !== 'velocity')
    .map(({ per, counter, maximum }) => (per === 'tx' ? { maximum } : { maximum, counted: { counter, window: windowOf(per, at).name } }));
}

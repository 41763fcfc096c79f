// What somebody who decides about a spend should know of it, read when the approval is asked for (CONTRACT.md 6 "Approval").

import type { Prisma, TransferType } from '../../../generated/prisma/client.js';
import { spendCategories } from '../../../manifest/operation-category.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { parseId } from '../../../platform/schema/id.js';
import { firstIdAt } from '../../../platform/schema/page.js';
import { makerOfCredential } from '../../agents/credential-maker.js';
import { makersOf } from '../../identity/key-lineage.sql.js';
import { isKnownCounterparty, merchantsPaid } from '../pipeline/counterparty.js';
import { remainingOf } from '../pipeline/limit.js';
import type { Authority } from '../pipeline/pipeline.js';
import { counterKey, readCounters } from '../pipeline/posting.js';
import type { SpendFacts } from '../pipeline/rule-result.js';
import { isNoticed } from './notice-setting.js';

// Gap G-115: The context is read when the approval is asked for, and kept; what this spend reserves is not counted in it.
/** In names of the wire. Amounts are decimal strings of the approval's currency. */
export interface ApprovalContext {
  /** What the agent, or else the wallet or the cards of the account, has spent in this UTC day. */
  spent_today: string;
  /** The least that is left of a limit per day; null when none binds. */
  remaining_today: string | null;
  /** The payer's account has never paid the payee's. */
  first_time_counterparty: boolean;
  /** How many spends to this payee, of at least this amount, were approved in the last 30 days. */
  similar_approved_30d: number;
}

/** What an approval says of its spend beside what the spend says itself. */
export interface ApprovalBackground {
  merchantId: string | null;
  context: ApprovalContext;
  /** Those who may vote are told. */
  isNoticed: boolean;
  /** The person who let the program connect that asks. */
  behindMemberId: string | null;
  /** The members who made the credential of the agent that asks. */
  heldByIds: readonly string[];
}

/** They stay in the wallet. */
const within: TransferType[] = ['wrap', 'unwrap'];
/** Approvals that are looked through for similar ones. */
const mostApprovals = 1_000;
const monthSeconds = 30 * 86_400;

/** Reads the background of a spend that waits for an approval. */
export async function approvalBackground(ctx: Ctx, authority: Authority): Promise<ApprovalBackground> {
  const { facts, merchantId } = authority;
  if (facts === null) throw new Error('what is no spend needs no approval');
  const [{ merchant }, spent, remaining, isKnown, similar, noticed, behindMemberId, heldByIds] = await Promise.all([
    facts.merchant === undefined ? merchantsPaid(ctx, merchantId, facts) : facts,
    facts.agent === null ? spentByPayer(ctx, facts) : spentByAgent(ctx, facts, facts.agent.id),
    remainingToday(ctx, authority, facts),
    facts.isKnownCounterparty ?? isKnownCounterparty(ctx, facts),
    similarApproved(ctx, facts),
    isNoticed(ctx),
    memberBehind(ctx, facts.connectionId ?? null),
    holdersOf(ctx),
  ]);
  const context = {
    spent_today: formatMinor(spent, facts.currency),
    remaining_today: remaining === null ? null : formatMinor(remaining, facts.currency),
    first_time_counterparty: !isKnown,
    similar_approved_30d: similar,
  };
  return { merchantId: merchant?.id ?? null, context, isNoticed: noticed, behindMemberId, heldByIds };
}

/** The member who let the program of a connection connect. */
async function memberBehind({ db }: Ctx, connectionId: string | null): Promise<string | null> {
  if (connectionId === null) return null;
  const found = await db.connection.findFirst({ where: { id: connectionId }, select: { memberId: true } });
  return found?.memberId ?? null;
}

/** The members who made the credential of the agent that asks, or the API key that did: they have seen it, and may ask as the agent. */
async function holdersOf(ctx: Ctx): Promise<readonly string[]> {
  const maker = await makerOfCredential(ctx);
  const member = parseId('member', maker);
  if (member !== null) return [member];
  const key = parseId('apiKey', maker);
  return key === null ? [] : makersOf(ctx.db as unknown as Tx, ctx.workspace.id, key);
}

/** The first id that something of this UTC day can have. */
function firstIdOfDay(at: Date): string {
  return firstIdAt(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())));
}

async function spentByAgent({ db }: Ctx, { currency, at }: SpendFacts, agentId: string): Promise<bigint> {
  const { _sum: sum } = await db.operation.aggregate({
    where: {
      agentId,
      currency,
      success: true,
      category: { in: spendCategories },
      operation: { notIn: within.map((type) => `transfer.${type}`) },
      id: { gte: firstIdOfDay(at) },
    },
    _sum: { amount: true },
  });
  return sum.amount ?? 0n;
}

/** Operations name no wallet, so these are the transfers that were made in this day. */
async function spentByPayer({ db }: Ctx, { payer, currency, at }: SpendFacts): Promise<bigint> {
  const where: Prisma.TransferWhereInput = {
    fromWalletId: payer.walletId,
    fromAccountId: payer.accountId,
    currency,
    status: 'completed',
    type: { notIn: within },
    id: { gte: firstIdOfDay(at) },
    OR: [{ toAccountId: null }, { toAccountId: { not: payer.accountId } }],
  };
  const [{ _sum: atOnce }, { _sum: captured }] = await Promise.all([
    db.transfer.aggregate({ where: { ...where, holdId: null }, _sum: { amount: true } }),
    db.transfer.aggregate({ where: { ...where, holdId: { not: null } }, _sum: { capturedAmount: true } }),
  ]);
  return (atOnce.amount ?? 0n) + (captured.capturedAmount ?? 0n);
}

/** A limit in another currency counts by the rate of the day. */
async function remainingToday({ db }: Ctx, { ruleResults, rules }: Authority, { currency }: SpendFacts): Promise<bigint | null> {
  const daily = ruleResults.uses.filter(({ per, maximum, currency: counted }) => per === 'day' && maximum !== null && counted !== null);
  const counters = await readCounters(db, daily);
  const left = daily.flatMap((use) => {
    const rest = remainingOf({ max: use.maximum ?? 0n, used: counters.get(counterKey(use)) ?? 0n });
    const converted = rules.rates.convertUp(rest, use.currency ?? currency, currency);
    return converted === null ? [] : [converted.minor];
  });
  return left.reduce<bigint | null>((least, one) => (least === null || one < least ? one : least), null);
}

async function similarApproved({ db }: Ctx, { agent, payer, payee, currency, amount, at }: SpendFacts): Promise<number> {
  const who = agent === null ? { agentId: null, walletId: payer.walletId } : { agentId: agent.id };
  const approved = await db.approval.findMany({
    where: { ...who, status: 'approved', currency, amount: { gte: amount }, id: { gte: firstIdAt(addSeconds(at, -monthSeconds)) } },
    orderBy: { id: 'desc' },
    take: mostApprovals,
    select: { transferId: true },
  });
  const ids = approved.flatMap(({ transferId }) => transferId ?? []);
  if (ids.length === 0) return 0;
  return db.transfer.count({ where: { id: { in: ids }, fromAccountId: payer.accountId, toAccountId: payee?.accountId ?? null } });
}

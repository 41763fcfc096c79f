// A transfer tried and taken back (Gap G-40): the whole pipeline runs in a transaction that is rolled back (CONTRACT.md 0
// "Spend pipeline").
import { post } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { type CreateTransferInput, type Draft, draftTransfer, insertScheduled } from './transfer.js';

/** One step of the pipeline, in the order in which they are asked. */
export interface Check {
  layer: 'agent' | 'wallet' | 'kya' | 'balance';
  outcome: 'pass' | 'fail' | 'skipped';
  limit: Record<string, unknown> | null;
}

export interface Decision {
  outcome: 'allow' | 'deny';
  code: string | null;
  message: string | null;
  checks: Check[];
  evaluatedAt: Date;
}

export interface DryRun {
  decision: Decision;
  wouldPost: { account: string; direction: 'debit' | 'credit'; amount: string; currency: string }[];
  wouldEmit: string[];
}

/** The layer whose refusal carries the code. Errors of other codes are no decision: they are thrown as they are. */
const layerOf: Readonly<Record<string, Check['layer']>> = {
  agent_frozen: 'agent',
  agent_suspended: 'agent',
  wallet_frozen: 'wallet',
  kya_limit_exceeded: 'kya',
  insufficient_balance: 'balance',
};
const layers: readonly Check['layer'][] = ['agent', 'wallet', 'kya', 'balance'];

class TakenBack extends Error {}

/** What `createTransfer` would do. A refusal of the pipeline is a decision, a faulty request an error. */
export async function dryRunTransfer(ctx: Ctx, input: CreateTransferInput): Promise<DryRun> {
  let draft: Draft | undefined;
  try {
    draft = await draftTransfer(ctx, input);
    await tryPosting(ctx, draft);
    return { decision: decide(ctx, null), ...outcomeOf(draft) };
  } catch (error) {
    if (!(error instanceof ApiError) || layerOf[error.code] === undefined) throw error;
    return { decision: decide(ctx, error), wouldPost: [], wouldEmit: [] };
  }
}

async function tryPosting(ctx: Ctx, { posting, transfer }: Draft): Promise<void> {
  try {
    await ctx.db.$transaction(async (tx) => {
      if (posting === null) await insertScheduled(tx, transfer);
      else await post(tx, posting);
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
}

function decide(ctx: Ctx, refusal: ApiError | null): Decision {
  const at = refusal === null ? layers.length : layers.indexOf(layerOf[refusal.code] as Check['layer']);
  return {
    outcome: refusal === null ? 'allow' : 'deny',
    code: refusal?.code ?? null,
    message: refusal?.message ?? null,
    checks: layers.map((layer, i) => ({
      layer,
      outcome: i < at ? 'pass' : i === at ? 'fail' : 'skipped',
      limit: i === at ? (refusal?.details?.limit ?? null) : null,
    })),
    evaluatedAt: ctx.clock.now(),
  };
}

function outcomeOf({ posting, transfer }: Draft): Pick<DryRun, 'wouldPost' | 'wouldEmit'> {
  if (posting === null) return { wouldPost: [], wouldEmit: ['transfer.created'] };
  const names = new Map<string, string>();
  const held = transfer.holdId !== null;
  const [from, to] = posting.legs;
  if (from !== undefined) names.set(from.accountId, transfer.type === 'unwrap' ? 'wallet.wrapped' : 'wallet.available');
  if (to !== undefined) names.set(to.accountId, held ? 'wallet.held' : transfer.type === 'wrap' ? 'wallet.wrapped' : 'wallet.available');
  return {
    wouldPost: posting.legs.map(({ accountId, amount, currency }) => ({
      account: names.get(accountId) ?? 'wallet.available',
      direction: amount < 0n ? 'debit' : 'credit',
      amount: formatMinor(amount < 0n ? -amount : amount, currency),
      currency,
    })),
    wouldEmit: posting.events.map(({ type }) => type),
  };
}

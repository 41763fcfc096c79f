// A spend tried and rolled back: the whole pipeline runs, and its decision is answered (CONTRACT.md 0 "Spend pipeline").

import { isInternal } from '../../../events/definition.js';
import { accountKinds } from '../../../ledger/account.js';
import type { Posting } from '../../../ledger/posting.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { formatMinor } from '../../../platform/money.js';
import type { Decision } from './decision.js';
import { type Draft, type SpendForm, type TryOptions, tryOut } from './execution.js';
import { isDeciding } from './layer.js';
import type { Authority } from './pipeline.js';

export interface DryRun {
  decision: Decision;
  wouldPost: { account: string; direction: 'debit' | 'credit'; amount: string; currency: string }[];
  wouldEmit: string[];
}

/** What a spend would do. */
export async function dryRunSpend<T>(
  ctx: Ctx,
  authority: Authority,
  draftFor: (form: SpendForm) => Draft<T>,
  options: TryOptions,
): Promise<DryRun> {
  const { decision, draft, refusals } = await tryOut(ctx, authority, draftFor, options);
  const faulty = refusals.find(({ layer }) => !isDeciding(layer));
  if (faulty !== undefined) throw faulty.error;
  if (decision.outcome === 'deny') return { decision, wouldPost: [], wouldEmit: [] };
  // What the transaction has opened is seen there alone.
  const reader = options.in === undefined ? ctx : within(ctx, options.in);
  return { decision, ...(await outcomeOf(reader, draft.posting)) };
}

/** The entries that a posting would make, and the events. */
async function outcomeOf(ctx: Ctx, { legs, records }: Posting): Promise<Pick<DryRun, 'wouldPost' | 'wouldEmit'>> {
  const kinds = await accountKinds(
    ctx,
    legs.map(({ accountId }) => accountId),
  );
  const wouldPost = legs.map(({ accountId, amount, currency }) => ({
    account: kinds.get(accountId) ?? '',
    direction: amount < 0n ? ('debit' as const) : ('credit' as const),
    amount: formatMinor(amount < 0n ? -amount : amount, currency),
    currency,
  }));
  return { wouldPost, wouldEmit: (records.event ?? []).map((row) => String(row['type'])).filter((type) => !isInternal(type)) };
}

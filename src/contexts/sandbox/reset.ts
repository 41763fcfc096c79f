// Resetting a sandbox: what runs is ended, money goes back to where the sandbox made it, accounts close, agents are revoked, and settings are
// deleted, each by its own rule. History and API keys stay (CONTRACT.md 19).
import { unboundedAccount } from '../../ledger/account.js';
import { nameOf, nouns } from '../../manifest/noun.js';
import { resetStages } from '../../manifest/reset.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printSubject } from '../../platform/schema/id.js';
import { updateAccount } from '../accounts/account.js';
import { unfreezeWallet } from '../accounts/wallet.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { transferPosting, transferRow } from '../transfers/transfer.js';
import { moveWithinWallet } from '../transfers/transfer-request.js';
import { requireTestMode } from './clock.js';
import { inSteps, refuseUsedKey, storeKey } from './seed.js';

/** What a reset came to. */
export interface Reset {
  /** Nothing is left to be done by another one, now. */
  complete: boolean;
  /** How many things of each kind were ended, deleted or closed. */
  ended: Record<string, number>;
  /** What could not be ended yet, such as a payout on its way, and why. */
  open: { type: string; id: string; code: string }[];
}

const reason = 'The sandbox was reset.';
/** Things of one kind that one reset ends, at most. */
const mostOfKind = 1_000;
/** A request takes no new step after so long; the next one goes on. */
const mostMs = 12_000;
/** Things that could not be ended that are shown, at most. */
export const mostOpen = 100;

/** What is known of a reset while it runs. */
class Run {
  readonly reset: Reset = { complete: true, ended: {}, open: [] };
  readonly #until = performance.now() + mostMs;

  /** Ends each of the rows by its own rule. What refuses is noted, and left as it is. */
  async each<T extends { id: string }>(type: string, rows: readonly T[], end: (row: T) => Promise<unknown>): Promise<void> {
    if (rows.length >= mostOfKind) this.reset.complete = false;
    for (const row of rows) {
      if (performance.now() > this.#until) {
        this.reset.complete = false;
        return;
      }
      try {
        await end(row);
        this.reset.ended[type] = (this.reset.ended[type] ?? 0) + 1;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        this.reset.complete = false;
        if (this.reset.open.length < mostOpen) this.reset.open.push({ type, id: printSubject(type, row.id), code: error.code });
      }
    }
  }
}

// Gap G-371: A reset ends what it can within 12 s and 1,000 of a kind; the rest is in `open`, for the next reset.
/**
 * Empties the sandbox, step by step: what one request does not come to, the next one does. 403 `test_mode_only` in production. What cannot
 * be ended now, such as a payout on its way, is in `open`: advance the clock, and reset again.
 */
export async function resetSandbox(ctx: Ctx): Promise<Reset> {
  requireTestMode(ctx);
  await refuseUsedKey(ctx);
  const own = inSteps(ctx, 'resetSandbox');
  const run = new Run();
  await endEverything(own, run);
  await returnMoney(own, run);
  const accounts = await own.db.account.findMany({ where: { status: { not: 'closed' } }, take: mostOfKind, orderBy: { id: 'asc' } });
  await run.each('account', accounts, ({ id }) => updateAccount(own, { id, status: 'closed' }));
  await storeKey(ctx, run.reset.complete ? whole : partly);
  return run.reset;
}

/** Ends what nouns say that a reset ends: stage by stage, and within a stage what builds on others first. */
async function endEverything(ctx: Ctx, run: Run): Promise<void> {
  const steps = [...ctx.platform.extensions.of(nouns)]
    .reverse()
    .flatMap((noun) => (noun.reset ?? []).map((step) => ({ ...step, type: step.type ?? nameOf(noun) })));
  for (const stage of resetStages) {
    for (const { type, rows, end } of steps.filter((step) => step.stage === stage)) {
      await run.each(type, await rows(ctx, mostOfKind), (row) => end(ctx, row, reason));
    }
  }
}

/** What is kept with the key of a reset: whether it left anything. */
const whole = 'complete';
const partly = 'incomplete';

/** What a repeated key is answered: it did what it did. */
export async function wasReset(_: Ctx, reference: string): Promise<Reset> {
  return { complete: reference === whole, ended: {}, open: [] };
}

/** Brings the money of all wallets back to the account that sandbox money comes from. */
async function returnMoney(ctx: Ctx, run: Run): Promise<void> {
  const suspended = await ctx.db.account.findMany({ where: { status: 'suspended' }, take: mostOfKind, select: { id: true } });
  await run.each('suspended_account', suspended, ({ id }) => updateAccount(ctx, { id, status: 'active' }));
  const frozen = await ctx.db.wallet.findMany({ where: { status: 'frozen' }, take: mostOfKind, select: { id: true } });
  await run.each('frozen_wallet', frozen, ({ id }) => unfreezeWallet(ctx, id));
  const filled = await ctx.db.ledgerAccount.findMany({
    where: { kind: { in: ['wallet.available', 'wallet.wrapped'] }, balance: { gt: 0 } },
    orderBy: [{ kind: 'desc' }, { id: 'asc' }],
    take: mostOfKind,
    select: { ownerId: true, kind: true, balance: true, currency: true },
  });
  const purses = [...new Set(filled.map(({ ownerId }) => ownerId))].map((id) => ({ id }));
  await run.each('wallet', purses, async ({ id }) => {
    const wrapped = filled.find(({ ownerId, kind }) => ownerId === id && kind === 'wallet.wrapped');
    if (wrapped !== undefined) await moveWithinWallet(ctx, { id, type: 'unwrap', amount: formatMinor(wrapped.balance, wrapped.currency) });
    const available = await ctx.db.ledgerAccount.findFirst({ where: { ownerId: id, kind: 'wallet.available' }, select: { balance: true } });
    if (available !== null && available.balance > 0n) await withdrawToWorld(ctx, id, available.balance);
  });
}

/** The reverse of funding a wallet. */
async function withdrawToWorld(ctx: Ctx, walletId: string, amount: bigint): Promise<void> {
  const from = await walletRef(ctx, walletId);
  if (from === null) throw new Error(`wallet ${walletId} has no ledger accounts`);
  const to = { ledgerAccountId: await unboundedAccount(ctx, 'world', from.currency) };
  const { currency } = from;
  const value = { type: 'internal', protocol: 'internal', from, to, amount, currency, at: ctx.clock.now(), description: 'Reset' } as const;
  const transfer = transferRow(ctx, value);
  const rules = await rulebook(ctx);
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits: [], guards: [], rules }), { key: transfer.id });
}

// What an execution does: its action, and the note of what became of it, in one transaction under the lock of its row. Whatever dies when,
// it is done once or not at all, and then again (CONTRACT.md 12).
import type { SettlementExecution, SettlementRule } from '../../generated/prisma/client.js';
import { balances } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { ApiError } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { formatMinor, minorOfCents } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { InsufficientBalance } from '../spending/errors.js';
import { RailUnavailable } from '../transfers/rail.js';
import { type Action, type ActionConfig, actionOf } from './action.js';
import { emit } from './events.js';
import { executionLifecycle } from './execution.js';
import { type Made, planHold, planMovement, planSettlement } from './movement.js';
import { Rollback } from './rollback.js';

/** Executions of a wallet that came first and are carried out before one, at most: the next ones have steps of their own. */
const mostBefore = 100;
/** A balance that falls while it is being settled is read again, so often. */
const mostAttempts = 3;

/** The due step of an execution. Those of its wallet that fired before, or come first by priority, go before it. */
export async function stepExecution(ctx: Ctx, id: string): Promise<void> {
  const own = await ctx.db.settlementExecution.findFirst({ where: { id, status: 'pending' } });
  if (own === null) return;
  const { walletId, firedAt, priority } = own;
  const waiting = await ctx.db.settlementExecution.findMany({
    where: { walletId, status: 'pending', firedAt: { lte: firedAt } },
    orderBy: [{ firedAt: 'asc' }, { priority: 'asc' }, { id: 'asc' }],
    take: mostBefore,
  });
  const isBefore = (other: SettlementExecution) =>
    other.firedAt < firedAt || other.priority < priority || (other.priority === priority && other.id < id);
  for (const execution of [...waiting.filter((other) => other.id !== id && isBefore(other)), own]) await executeFiring(ctx, execution);
}

// Gap G-208: `skipped` means that nothing was left to settle; a fixed amount is paid whole or not at all.
/** What became of an execution. */
type Outcome =
  | { status: 'completed'; transferId: string | null; payoutId: string | null }
  | { status: 'skipped' | 'failed'; errorCode: string; errorMessage: string };

async function executeFiring(ctx: Ctx, execution: SettlementExecution): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act(ctx, execution);
    } catch (error) {
      if (error instanceof InsufficientBalance && attempt < mostAttempts) continue;
      const outcome = refusalOf(error);
      return transact(
        ctx,
        (tx) => note(ctx, tx, execution.id, async () => outcome),
        () => execution.id,
      );
    }
  }
}

/** What is told of a failure. One that another try may not meet is thrown: the row is taken again. */
function refusalOf(error: unknown): Outcome {
  const isFinal = error instanceof ApiError && (error.status < 500 || error instanceof RailUnavailable);
  if (!isFinal && !(error instanceof Rollback)) throw error;
  const { code, message } = error as ApiError | Rollback;
  return { status: error instanceof Rollback ? error.status : 'failed', errorCode: code, errorMessage: message };
}

/** Plans outside of the transaction, which is then short, and carries the plan out in it. */
async function act(ctx: Ctx, execution: SettlementExecution): Promise<void> {
  const rule = await ruleOf(ctx, execution);
  const make = await planOf(ctx, execution, rule);
  let made: Made | undefined;
  await transact(
    ctx,
    (tx) =>
      note(ctx, tx, execution.id, async () => {
        made = await make(tx);
        return { status: 'completed', transferId: made.transfer?.id ?? null, payoutId: made.payoutId ?? null };
      }),
    () => execution.id,
  );
  for (const [table, at] of made?.due ?? []) ringAt(ctx, table, at);
}

/** Notes an outcome under the lock of the row, unless another process has. */
async function note(ctx: Ctx, tx: Tx, id: string, work: () => Promise<Outcome>): Promise<void> {
  const { status } = await lockRow<SettlementExecution>(tx.settlementExecution, id);
  if (executionLifecycle.steps[status].length === 0) return;
  const outcome = await work();
  await tx.settlementExecution.update({ where: rowKey(ctx, id), data: { ...outcome, dueAt: null, leaseUntil: null } });
}

/** The rule as it is now; null for the schedule of the config. */
async function ruleOf(ctx: Ctx, { ruleId }: SettlementExecution): Promise<SettlementRule | null> {
  if (ruleId === null) return null;
  const rule = await ctx.db.settlementRule.findFirstOrThrow({ where: { id: ruleId } });
  if (rule.deletedAt !== null) throw new Rollback('skipped', 'rule_deleted', 'The rule was deleted after it had fired.');
  if (!rule.enabled) throw new Rollback('skipped', 'rule_disabled', 'The rule was disabled after it had fired.');
  return rule;
}

type Make = (tx: Tx) => Promise<Made>;

/** What the schedule of the config does. */
const bySchedule: Action = { type: 'settle_to_bank', config: {} };

async function planOf(ctx: Ctx, execution: SettlementExecution, rule: SettlementRule | null): Promise<Make> {
  const from = await walletRef(ctx, execution.walletId);
  if (from === null) throw new Error(`execution ${execution.id} has no wallet`);
  const available = (await balances(ctx, [from.walletId])).get(from.walletId)?.available ?? 0n;
  const action = rule === null ? bySchedule : actionOf(rule);
  const head = { executionId: execution.id, from, description: rule?.name ?? 'Automatic settlement' };
  switch (action.type) {
    case 'settle_to_bank':
      return planSettlement(ctx, head, {
        ref: action.config.destination?.ref,
        rail: action.config.rail,
        amountAfter: (fee) => all(available, action.config.retainReserveCents, from.currency, fee),
      });
    case 'settle_to_account':
    case 'settle_to_wallet': {
      const to =
        action.type === 'settle_to_account'
          ? { toAccountId: action.config.destinationAccountId }
          : { toWalletId: action.config.destinationWalletId };
      return planMovement(ctx, head, { ...to, amount: formatMinor(amountOf(action.config, available, from), from.currency) });
    }
    case 'hold':
      return planHold(ctx, head, {
        amount: minorOf(action.config.amountCents, from.currency),
        releaseAfterSeconds: action.config.releaseAfterSeconds,
      });
    case 'notify':
      return (tx) => notify(ctx, tx, { execution, rule: rule as SettlementRule, from, available, message: action.config.message });
  }
}

/** All that is there but for the reserve and the fee. Skipped when nothing is. */
function all(available: bigint, reserveCents: number | undefined, currency: string, fee = 0n): bigint {
  const amount = available - minorOf(reserveCents ?? 0, currency) - fee;
  if (amount > 0n) return amount;
  const print = (minor: bigint) => `${formatMinor(minor, currency)} ${currency}`;
  const kept = [
    ...(reserveCents ? [`the reserve of ${print(minorOf(reserveCents, currency))}`] : []),
    ...(fee > 0n ? [`the fee of ${print(fee)}`] : []),
  ];
  throw new Rollback(
    'skipped',
    'nothing_to_settle',
    `Of ${print(available)}${kept.length === 0 ? '' : `, less ${kept.join(' and ')},`} nothing is left to settle.`,
  );
}

/** A fixed amount is paid whole or not at all: what would touch the reserve is skipped. */
function amountOf(config: ActionConfig<'settle_to_account' | 'settle_to_wallet'>, available: bigint, { currency }: WalletRef): bigint {
  const most = all(available, config.retainReserveCents, currency);
  if (config.amount !== 'fixed') return most;
  const fixed = minorOf(config.amountCents ?? 0, currency);
  if (fixed <= most) return fixed;
  const message = `Of the fixed ${formatMinor(fixed, currency)} ${currency} only ${formatMinor(most, currency)} can be settled.`;
  throw new Rollback('failed', 'insufficient_balance', message);
}

function minorOf(cents: number, currency: string): bigint {
  const minor = minorOfCents(cents, currency);
  if (minor === null) throw new Error(`${cents} cents are no amount of ${currency}`);
  return minor;
}

interface Notice {
  execution: SettlementExecution;
  rule: SettlementRule;
  from: WalletRef;
  available: bigint;
  message: string | undefined;
}

async function notify(ctx: Ctx, tx: Tx, { execution, rule, from, available, message }: Notice): Promise<Made> {
  const data = {
    rule_id: printId('settlementRule', rule.id),
    execution_id: printId('settlementExecution', execution.id),
    name: rule.name,
    trigger: execution.trigger,
    message: message ?? null,
    wallet_id: printId('wallet', from.walletId),
    available: formatMinor(available, from.currency),
    currency: from.currency,
  };
  await emit(ctx, tx, 'settlement_rule.notified', data, { objectId: rule.id });
  return {};
}

// Budgets: what may be spent in a scope and period, each within the one above it (CONTRACT.md 6). A spend is counted by those that bind
// it and by all above them (rulebook.ts, budget-rule.ts).
import type { Budget } from '../../../generated/prisma/client.js';
import { noteOutcome } from '../../../platform/audit.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { rowKey } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import type { RateBook } from '../../rates/rate.js';
import { BudgetInUse, BudgetOfConnection, TooManyBudgets } from '../errors.js';
import { rulebook } from '../pipeline/rulebook.js';
import { dropRulebook } from '../pipeline/rules-tag.js';
import type { CreateBudgetInput, UpdateBudgetInput } from './budget.input.js';
import { checkChildren, checkParent } from './budget-path.js';
import { resolveBudgetScope, scopeIdOf } from './budget-scope.js';

/** Budgets of a workspace, deleted ones not counted. */
export const mostBudgets = 1_000;
/** Children that a refusal names. */
const mostNamed = 20;

/**
 * Makes a budget. 400 with the field for what cannot be one, 404 when its scope or its parent names nothing here, 409 for one more
 * than a workspace has.
 */
export async function createBudget(ctx: Ctx, input: CreateBudgetInput): Promise<Budget> {
  const at = ctx.clock.now();
  const amount = parseMinor(input.amount, input.currency, ['amount']);
  checkExpiry(input.expiresAt, at);
  return changeBudgets(ctx, async (tx, rates) => {
    const { type: scopeType } = input.scope;
    const scopeId = await resolveBudgetScope(tx, input.scope);
    const parentId = input.parentId ?? null;
    const money = { amount, currency: input.currency };
    if (parentId !== null) await checkParent(tx, rates, money, parentId);
    const { name, period, timezone, expiresAt, alertsAt } = input;
    return insertBudget(ctx, tx, { ...money, name, scopeType, scopeId, parentId, period, timezone, expiresAt, alertsAt });
  });
}

/** What a budget is made of; the amount in minor units. */
export type NewBudget = Pick<Budget, 'name' | 'scopeType' | 'scopeId' | 'amount' | 'currency' | 'period'> &
  Pick<CreateBudgetInput, 'timezone' | 'expiresAt' | 'alertsAt'> & { parentId?: string | null };

/**
 * Writes a budget in the transaction of whoever makes one, who has the lock of `lockBudgets` and drops the rulebook after the commit. 409 for
 * one more than a workspace has.
 */
export async function insertBudget(
  ctx: Ctx,
  tx: Tx,
  { parentId = null, timezone, expiresAt, alertsAt, ...facts }: NewBudget,
): Promise<Budget> {
  const at = ctx.clock.now();
  const count = await tx.budget.count({ where: { deletedAt: null } });
  if (count >= mostBudgets) throw new TooManyBudgets(mostBudgets, count);
  const rule = { timezone: timezone ?? 'UTC', expiresAt: expiresAt ?? null, alertsAt: inOrder(alertsAt) };
  const made = await tx.budget.create({ data: { id: newId(at), ...facts, parentId, ...rule, createdAt: at, updatedAt: at } });
  await keepVersion(tx, made);
  return toldOutcome(tx, made);
}

/** All budgets of a workspace have one lock, its row. */
export async function lockBudgets({ workspace: { id } }: Pick<Ctx, 'workspace'>, tx: Tx): Promise<void> {
  await tx.workspace.updateMany({ where: { id }, data: { id } });
}

// Gap G-106: Name, amount, end and alerts of a budget may change; a real change makes a version, and what was counted stays.
/**
 * Changes a budget, which binds from the next spend on, for what its window has counted so far. Every change makes a version. 400 for an
 * amount beyond that of its parent, or below that of a child.
 */
export async function updateBudget(ctx: Ctx, input: UpdateBudgetInput & { id: string }): Promise<Budget> {
  const at = ctx.clock.now();
  checkExpiry(input.expiresAt, at);
  return changeBudgets(ctx, async (tx, rates) => {
    const before = await findBudget(tx, input.id);
    const amount = input.amount == null ? before.amount : parseMinor(input.amount, before.currency, ['amount']);
    const after = {
      ...before,
      name: input.name ?? before.name,
      amount,
      expiresAt: input.expiresAt === undefined ? before.expiresAt : input.expiresAt,
      alertsAt: input.alertsAt === undefined ? before.alertsAt : inOrder(input.alertsAt),
    };
    if (isSame(before, after)) return before;
    if (after.expiresAt !== null) await refusePurse(tx, before);
    if (amount !== before.amount) {
      if (before.parentId !== null) await checkParent(tx, rates, after, before.parentId);
      await checkChildren(tx, rates, after);
    }
    const { name, expiresAt, alertsAt } = after;
    const version = before.version + 1;
    const changed = await tx.budget.update({
      where: rowKey(ctx, before.id),
      data: { name, amount, expiresAt, alertsAt, version, updatedAt: at },
    });
    await keepVersion(tx, changed);
    return toldOutcome(tx, changed);
  });
}

/** Ends a budget: it binds no spend any more. 409 `state_conflict` while it has children, and for that of an active connection. */
export function deleteBudget(ctx: Ctx, id: string): Promise<Budget> {
  return endBudget(ctx, id, refusePurse);
}

/** Ends a budget with its sandbox, whoever resets it. */
export async function endBudget(ctx: Ctx, id: string, check: (tx: Tx, budget: Budget) => Promise<void> = async () => {}): Promise<Budget> {
  const at = ctx.clock.now();
  return changeBudgets(ctx, async (tx) => {
    await check(tx, await findBudget(tx, id));
    const children = await tx.budget.findMany({
      where: { parentId: id, deletedAt: null },
      orderBy: { id: 'asc' },
      take: mostNamed,
      select: { id: true },
    });
    if (children.length > 0) throw new BudgetInUse(children.map((child) => child.id));
    return toldOutcome(tx, await tx.budget.update({ where: rowKey(ctx, id), data: { deletedAt: at, updatedAt: at } }));
  });
}

/**
 * The transaction of a change. All budgets of a workspace have one lock, its row: two changes at once could together let a child
 * outgrow its parent.
 */
async function changeBudgets(ctx: Ctx, work: (tx: Tx, rates: RateBook) => Promise<Budget>): Promise<Budget> {
  // Before the lock is asked for: those who wait for it hold the connections that reading needs.
  const { rates } = await rulebook(ctx);
  const changed = await transact(ctx, async (tx) => {
    await lockBudgets(ctx, tx);
    return work(tx, rates);
  });
  dropRulebook(ctx);
  return changed;
}

/** 409 for the budget without which a program that is connected would spend without any. */
async function refusePurse(tx: Tx, { id, scopeType, scopeId }: Budget): Promise<void> {
  if (scopeType !== 'connection' || scopeId === null) return;
  const found = await tx.connection.findFirst({ where: { id: scopeId, budgetId: id, status: 'active' }, select: { id: true } });
  if (found !== null) throw new BudgetOfConnection(found.id);
}

async function findBudget(tx: Tx, id: string): Promise<Budget> {
  const found = await tx.budget.findFirst({ where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Keeps what a budget allows now: decisions name the version that they applied. */
async function keepVersion(tx: Tx, { id, version, amount, expiresAt, alertsAt, updatedAt }: Budget): Promise<void> {
  await tx.budgetVersion.create({ data: { budgetId: id, version, amount, expiresAt, alertsAt, createdAt: updatedAt } });
}

/** Tells what a budget allows in its version, but for its name, in the leaf of the change. */
function toldOutcome(tx: Tx, row: Budget): Budget {
  const { amount, currency, expiresAt, period, scopeId, scopeType, timezone, version } = row;
  noteOutcome(tx, {
    amount: formatMinor(amount, currency),
    currency,
    deleted: row.deletedAt !== null,
    expires_at: expiresAt?.toISOString() ?? null,
    id: printId('budget', row.id),
    parent_id: row.parentId && printId('budget', row.parentId),
    period,
    scope: { id: scopeId, type: scopeType },
    timezone,
    version,
  });
  return row;
}

function isSame(before: Budget, { name, amount, expiresAt, alertsAt }: Budget): boolean {
  const sameEnd = before.expiresAt?.getTime() === expiresAt?.getTime();
  return before.name === name && before.amount === amount && sameEnd && before.alertsAt.join() === alertsAt.join();
}

function inOrder(fractions: readonly string[] | null | undefined): string[] {
  return [...(fractions ?? [])].sort((a, b) => Number(a) - Number(b));
}

function checkExpiry(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt == null || expiresAt > now) return;
  throw new ValidationFailed([{ path: ['expiresAt'], message: 'must be in the future', rule: 'future' }]);
}

/** The budget, or 404. `query` is the caller's selection. */
export async function budget(ctx: Ctx, id: string, query: object = {}): Promise<Budget> {
  const found = await ctx.db.budget.findFirst({ ...query, where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Budgets, newest first. 400 for a `scopeId` that can be none. */
export const budgets = listOf('budget', { where: { deletedAt: null } }, { scopeId: (id: string) => ({ scopeId: scopeIdOf(id) }) });

// The tree of budgets: which ones there are, how deep it is, and that none allows more than the one above it (CONTRACT.md 6). The parent of
// a budget is fixed, so a path ends and never comes back to where it began.
import type { Budget } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type FieldIssue, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { printId } from '../../../platform/schema/id.js';
import type { RateBook } from '../../rates/rate.js';
import type { EnforcedBudget } from './budget-rule.js';

// Gap G-105: At most five budgets on a path; a child's amount is compared in the parent's currency by the rate of the moment.
/** Budgets on one path, at most: a spend has to use each of them. */
export const mostLevels = 5;

type Sum = Pick<Budget, 'amount' | 'currency'>;

/** Every budget of the workspace that was not deleted, parents and children. */
export function enforcedBudgets({ db }: Pick<Ctx, 'db'>): Promise<EnforcedBudget[]> {
  return db.budget.findMany({ where: { deletedAt: null }, orderBy: { id: 'asc' } });
}

/** 404 unless `parentId` is a budget; 400 when it is too deep for a child, or allows less than `child`. */
export async function checkParent(tx: Tx, rates: RateBook, child: Sum, parentId: string): Promise<void> {
  const [parent, ...above] = await pathFrom(tx, parentId);
  if (parent === undefined) throw new NotFound('parentId');
  if (above.length + 2 > mostLevels) {
    refuse({ path: ['parentId'], message: `is ${mostLevels} deep already: budgets form at most ${mostLevels} levels`, rule: 'depth' });
  }
  checkFits(rates, child, parent, `is more than the parent ${nameOf(parent)}`);
}

/** 400 when a child allows more than its parent would. */
export async function checkChildren(tx: Tx, rates: RateBook, parent: Sum & Pick<Budget, 'id'>): Promise<void> {
  const children = await tx.budget.findMany({ where: { parentId: parent.id, deletedAt: null }, orderBy: { id: 'asc' } });
  for (const child of children) checkFits(rates, child, parent, `is less than the child ${nameOf(child)}`);
}

/** A budget and those above it. */
async function pathFrom(tx: Tx, id: string): Promise<Budget[]> {
  const path: Budget[] = [];
  for (let next: string | null = id; next !== null && path.length < mostLevels; ) {
    const found: Budget | null = await tx.budget.findFirst({ where: { id: next, deletedAt: null } });
    if (found === null) break;
    path.push(found);
    next = found.parentId;
  }
  return path;
}

function checkFits(rates: RateBook, child: Sum, parent: Sum, message: string): void {
  const converted = rates.convertUp(child.amount, child.currency, parent.currency);
  if (converted === null) {
    const missing = `has no rate from ${child.currency} to ${parent.currency}: a child and its parent must be comparable`;
    refuse({ path: ['amount'], message: missing, rule: 'no_rate' });
  }
  if (converted.minor > parent.amount) refuse({ path: ['amount'], message, rule: 'parent' });
}

function nameOf({ id, amount, currency }: Budget): string {
  return `${printId('budget', id)} has: ${formatMinor(amount, currency)} ${currency}`;
}

function refuse(issue: FieldIssue): never {
  throw new ValidationFailed([issue]);
}

// Bank accounts: where payouts may go. The details are encrypted, and no answer shows more than their end (CONTRACT.md 12).
import type { BankAccount, BankRail } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, StateConflict, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { wrongStatus } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { accountLifecycle } from '../../accounts/account.js';
import { UnsupportedRail } from '../../transfers/rail.js';
import type { CreateBankAccountInput, UpdateBankAccountInput } from './bank-account.input.js';
import { last4Of, readDetails } from './bank-details.js';

/** The rails that end at a bank account. */
export const bankRails: readonly BankRail[] = ['ach', 'wire', 'pix', 'spei', 'sepa'];

/** Registers a bank account; the first one of an account is its default. 422 for another rail, 400 for wrong check digits. */
export function createBankAccount(ctx: Ctx, input: CreateBankAccountInput): Promise<BankAccount> {
  const rail = bankRails.find((name) => name === input.rail);
  if (rail === undefined) throw new UnsupportedRail(input.rail, 'any bank account', bankRails);
  const details = readDetails(rail, input.details);
  return transact(ctx, async (tx) => {
    const account = await lockRow(tx.account, input.accountId, { field: 'accountId' });
    if (account.status === 'closed') {
      throw wrongStatus(accountLifecycle, account.id, account.status, ['active'], 'A closed account cannot have bank accounts.');
    }
    const isFirst = (await tx.bankAccount.findFirst({ where: { accountId: account.id, deletedAt: null }, select: { id: true } })) === null;
    const isDefault = isFirst || input.isDefault === true;
    if (isDefault) await endDefault(tx, account.id);
    const at = ctx.clock.now();
    const id = newId(at);
    return tx.bankAccount.create({
      data: {
        id,
        accountId: account.id,
        rail,
        holderName: input.holderName,
        sealedDetails: ctx.platform.vault.seal(JSON.stringify(details), id),
        last4: last4Of(rail, details),
        isDefault,
        createdAt: at,
        updatedAt: at,
      },
    });
  });
}

/** Changes the name of its holder, or makes it the default in place of another. */
export function updateBankAccount(ctx: Ctx, { id, holderName, isDefault }: UpdateBankAccountInput & { id: string }): Promise<BankAccount> {
  return transact(ctx, async (tx) => {
    const before = await lockWithAccount(tx, id);
    if (isDefault === false && before.isDefault) {
      throw new ValidationFailed([{ path: ['isDefault'], message: 'ends when another bank account of the account is made the default' }]);
    }
    if (isDefault === true) await endDefault(tx, before.accountId);
    return tx.bankAccount.update({
      where: rowKey(ctx, id),
      data: { ...(holderName != null && { holderName }), ...(isDefault === true && { isDefault }), updatedAt: ctx.clock.now() },
    });
  });
}

/** Most payouts that a refusal names. */
const mostNamed = 20;

// Gap G-157: Deleting a bank account is 409 while a payout is on its way to it; the oldest one left becomes the default.
/**
 * Removes a bank account, and its details for good; the oldest one that is left is then the default. 409 while a payout is on its way to
 * it.
 */
export function deleteBankAccount(ctx: Ctx, id: string): Promise<BankAccount> {
  return transact(ctx, async (tx) => {
    const before = await lockWithAccount(tx, id);
    const open = await tx.payout.findMany({
      where: { bankAccountId: id, status: { in: ['pending', 'confirmed'] } },
      orderBy: { id: 'asc' },
      take: mostNamed,
      select: { id: true },
    });
    if (open.length > 0) throw inUse(open.map((payout) => printId('payout', payout.id)));
    const at = ctx.clock.now();
    const deleted = await tx.bankAccount.update({
      where: rowKey(ctx, id),
      data: { deletedAt: at, updatedAt: at, sealedDetails: null, isDefault: false },
    });
    if (before.isDefault) await appointDefault(ctx, tx, before.accountId);
    return deleted;
  });
}

function inUse(payoutIds: readonly string[]): StateConflict {
  return new StateConflict('Payouts to this bank account are in progress. Cancel them, or wait until they finish.', 'active', [], {
    open: payoutIds.map((payoutId) => ({ type: 'payout', id: payoutId })),
    next_actions: payoutIds.map((payoutId) => ({ rel: 'payout', actor: 'any', method: 'GET', path: `/v1/payouts/${payoutId}` })),
  });
}

/** The bank account under its lock, and before it that of its account, which says which one is the default. */
async function lockWithAccount(tx: Tx, id: string): Promise<BankAccount> {
  const found = await tx.bankAccount.findFirst({ where: { id, deletedAt: null }, select: { accountId: true } });
  if (found === null) throw new NotFound();
  await lockRow(tx.account, found.accountId);
  return lockRow(tx.bankAccount, id, { where: { deletedAt: null } });
}

async function endDefault(tx: Tx, accountId: string): Promise<void> {
  await tx.bankAccount.updateMany({ where: { accountId, isDefault: true }, data: { isDefault: false } });
}

async function appointDefault(ctx: Ctx, tx: Tx, accountId: string): Promise<void> {
  const next = await tx.bankAccount.findFirst({ where: { accountId, deletedAt: null }, orderBy: { id: 'asc' }, select: { id: true } });
  if (next !== null) await tx.bankAccount.update({ where: rowKey(ctx, next.id), data: { isDefault: true } });
}

/** The bank account, or 404. */
export async function bankAccount(ctx: Ctx, id: string, query: object = {}): Promise<BankAccount> {
  const found = await ctx.db.bankAccount.findFirst({ ...query, where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Bank accounts, newest first. */
export const bankAccounts = listOf('bankAccount', { where: { deletedAt: null } });

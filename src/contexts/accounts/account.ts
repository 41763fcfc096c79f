// Accounts: the people and businesses that own purses (CONTRACT.md 1).
import type { Account, AccountStatus, AccountType, Prisma } from '../../generated/prisma/client.js';
import { haveMoney, setWalletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/database.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { emit } from '../../platform/events.js';
import { transact } from '../../platform/idempotency.js';
import { newId, printId } from '../../platform/ids.js';
import { checkStep, type Lifecycle } from '../../platform/lifecycle.js';
import type { Currency } from '../../platform/money.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/page.js';

/** A suspended account's wallets take money and do not spend; a closed one's do neither, and it stays closed (Gap G-25). */
export const accountLifecycle: Lifecycle<AccountStatus> = {
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

export interface CreateAccountInput {
  type: AccountType;
  name: string;
  email?: string | null | undefined;
  country?: string | null | undefined;
  customerReference?: string | null | undefined;
  defaultCurrency?: Currency | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Opens an account. Emits account.created. */
export function createAccount(ctx: Ctx, input: CreateAccountInput): Promise<Account> {
  return transact(ctx, async (tx) => {
    const at = ctx.clock.now();
    const account = await tx.account.create({
      data: {
        id: newId(at),
        type: input.type,
        name: input.name,
        email: input.email ?? null,
        country: input.country ?? null,
        customerReference: input.customerReference ?? null,
        defaultCurrency: input.defaultCurrency ?? null,
        metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
        createdAt: at,
        updatedAt: at,
      },
    });
    await emit(ctx, tx, 'account.created', eventData(account), { objectId: account.id });
    return account;
  });
}

export interface UpdateAccountInput {
  id: string;
  name?: string | null | undefined;
  email?: string | null | undefined;
  status?: AccountStatus | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/**
 * Changes an account. A status change reaches the account's wallets in the same transaction. Emits account.updated when (Gap G-26)
 * something changed. 409 `state_conflict` for a status that cannot follow, and for closing an account that has money.
 */
export function updateAccount(ctx: Ctx, input: UpdateAccountInput): Promise<Account> {
  return transact(ctx, async (tx) => {
    const before = await lockAccount(tx, input.id);
    const data: Prisma.AccountUpdateInput = {
      ...(input.name != null && input.name !== before.name && { name: input.name }),
      ...(input.email !== undefined && input.email !== before.email && { email: input.email }),
      ...(input.status != null && input.status !== before.status && { status: input.status }),
      ...(input.metadata != null && { metadata: input.metadata as Prisma.InputJsonObject }),
    };
    const changed = Object.keys(data);
    if (changed.length === 0) return before;
    if (data.status !== undefined) await changeStatus(tx, before, input.status as AccountStatus);
    const account = await tx.account.update({ where: { id: before.id }, data: { ...data, updatedAt: ctx.clock.now() } });
    await emit(ctx, tx, 'account.updated', { ...eventData(account), changed_fields: changed }, { objectId: account.id });
    return account;
  });
}

async function changeStatus(tx: Tx, account: Account, status: AccountStatus): Promise<void> {
  checkStep(accountLifecycle, 'account', account.status, status);
  const wallets = await tx.wallet.findMany({ where: { accountId: account.id }, select: { id: true, status: true } });
  const ids = wallets.filter((wallet) => status !== 'active' || wallet.status === 'active').map(({ id }) => id);
  await setWalletAccounts(tx, ids, status === 'active' ? 'open' : status === 'closed' ? 'closed' : 'blocked');
  // What a closed wallet still held could never leave it: not even a hold could be released into it.
  if (status === 'closed' && (await haveMoney(tx, ids))) {
    throw new StateConflict(
      'The account still has money, available, held or wrapped. Move it away to close the account.',
      account.status,
      [],
    );
  }
}

async function lockAccount(tx: Tx, id: string): Promise<Account> {
  // An update that changes nothing takes the row's lock, so that two changes of one account follow each other.
  const { count } = await tx.account.updateMany({ where: { id }, data: { id } });
  if (count === 0) throw new NotFound();
  return tx.account.findFirstOrThrow({ where: { id } });
}

/** What an actor sees: an agent the account that it acts for (Gap G-24), everyone else the workspace's. */
function visible({ actor }: Ctx): Prisma.AccountWhereInput {
  return actor.agent === undefined ? {} : { id: actor.agent.parentAccountId };
}

/** The account, or 404. `query` is the caller's selection. */
export async function account(ctx: Ctx, id: string, query: object = {}): Promise<Account> {
  const found = await ctx.db.account.findFirst({ ...query, where: { AND: [{ id }, visible(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

export interface AccountFilter extends PageInput {
  type?: AccountType | null | undefined;
  status?: AccountStatus | null | undefined;
  customerReference?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Accounts, newest first. */
export function accounts(ctx: Ctx, filter: AccountFilter, query: object = {}): Promise<Page<Account>> {
  const conditions: Prisma.AccountWhereInput[] = [visible(ctx), createdBetween(filter.since, filter.until)];
  if (filter.type) conditions.push({ type: filter.type });
  if (filter.status) conditions.push({ status: filter.status });
  if (filter.customerReference) conditions.push({ customerReference: filter.customerReference });
  return listPage(ctx.db.account, { AND: conditions }, filter, query);
}

function eventData({ id, type, status, name }: Account) {
  return { account_id: printId('account', id), type, status, name };
}

// Accounts: the people and businesses that own wallets (CONTRACT.md 1).

import type { Account, AccountStatus, Prisma } from '../../generated/prisma/client.js';
import { setWalletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import { AlreadyExists, NotFound, type StateConflict } from '../../platform/errors.js';
import { stopRunning } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { requireScope } from '../../platform/schema/audience.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import type { Scope } from '../../platform/scope.js';
import { snakeCase } from '../../platform/snake-case.js';
import { Visibility } from '../../platform/visibility.js';
import type { CreateAccountInput, UpdateAccountInput } from './account.input.js';
import { closeWallets } from './closing.js';
import { emit } from './events.js';

/** Gap G-30: A suspended account's wallets receive and do not spend, a closed one's do neither; closed is final. */
export const accountLifecycle: Lifecycle<AccountStatus> = {
  noun: 'account',
  path: '/v1/accounts/{id}',
  steps: { active: ['suspended', 'closed'], suspended: ['active', 'closed'], closed: [] },
  requests: (['active', 'suspended', 'closed'] as const).map((status) => ({
    to: status,
    rel: status === 'active' ? 'activate' : status === 'suspended' ? 'suspend' : 'close',
    actor: 'api_key',
    method: 'PATCH',
    body: { status },
  })),
};

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

// Gap G-31: In a PATCH an absent member stays, null clears, and `metadata` is replaced; account.updated needs a real change.
// Gap G-430: A customer reference is set once; another, or null, is 409 `already_exists`.
/**
 * Changes an account. A status change reaches the account's wallets in the same transaction. Emits account.updated when something changed.
 * 409 `state_conflict` for a status that cannot follow, and for closing an account whose wallets, or those of its agents, hold money or
 * have something open. Portal tokens with a new customer reference see the account from then on. 409 `already_exists` for another one.
 */
export function updateAccount(ctx: Ctx, input: UpdateAccountInput & { id: string }): Promise<Account> {
  return transact(ctx, async (tx) => {
    const before = await lockRow(tx.account, input.id);
    refuseOtherCustomer(before, input);
    const data: Prisma.AccountUpdateInput = {
      ...(input.name != null && input.name !== before.name && { name: input.name }),
      ...(input.email !== undefined && input.email !== before.email && { email: input.email }),
      ...(input.status != null && input.status !== before.status && { status: input.status }),
      ...(input.customerReference != null && before.customerReference === null && { customerReference: input.customerReference }),
      ...(input.metadata != null && { metadata: input.metadata as Prisma.InputJsonObject }),
    };
    const changed = Object.keys(data).map(snakeCase);
    if (changed.length === 0) return before;
    if (data.status !== undefined) requireScope(ctx.actor, scopeOfStatus[input.status as AccountStatus]);
    if (data.status !== undefined) await changeStatus(ctx, tx, before, input.status as AccountStatus);
    const account = await tx.account.update({ where: rowKey(ctx, before.id), data: { ...data, updatedAt: ctx.clock.now() } });
    await emit(ctx, tx, 'account.updated', { ...eventData(account), changed_fields: changed }, { objectId: account.id });
    return account;
  });
}

/** What a new status asks for beside `accounts:write`: suspending is a freeze, and lifting one is a matter of policies. */
const scopeOfStatus = { active: 'policies:write', suspended: 'freeze:write', closed: 'accounts:write' } as const satisfies Record<
  AccountStatus,
  Scope
>;

/** 409 for another customer reference than the account has: what its first customer has seen stays that customer's. */
function refuseOtherCustomer({ customerReference: has }: Account, { customerReference: asked }: UpdateAccountInput): void {
  if (asked === undefined || has === null || asked === has) return;
  throw new AlreadyExists('The account has a customer reference: it is set once, and not changed or taken away.', {
    details: { reason: 'customer_reference_set', customer_reference: has, terminal: true },
  });
}

async function changeStatus(ctx: Ctx, tx: Tx, account: Account, status: AccountStatus): Promise<void> {
  checkStep(accountLifecycle, account.id, account.status, status);
  if (status === 'suspended') await stopRunning(ctx, tx, { kind: 'account', id: account.id, reason: 'account_suspended' });
  const wallets = await tx.wallet.findMany({
    where: { accountId: account.id, status: { not: 'closed' } },
    select: { id: true, status: true },
  });
  const ids = wallets.filter((wallet) => status !== 'active' || wallet.status === 'active').map(({ id }) => id);
  if (status !== 'closed') return setWalletAccounts(tx, ids, status === 'active' ? 'open' : 'blocked');
  await closeWallets(ctx, tx, ids, { noun: 'account', status: account.status, balance: `/v1/accounts/${account.id}/balances` });
}

/** The 409 for what only an active account gets: `what` names it. */
export function inactiveAccount({ id, status }: Pick<Account, 'id' | 'status'>, what: string): StateConflict {
  return wrongStatus(accountLifecycle, id, status, ['active'], `The account is ${status}; only an active one gets ${what}.`);
}

// Gap G-38: An agent reads the contact data of the account that it acts for, and of no other.
/** An agent sees the account that it acts for (see G-29). */
export const visibleAccounts = new Visibility<Prisma.AccountWhereInput>({
  scope: 'accounts:read',
  agent: ({ parentAccountId }) => ({ id: parentAccountId }),
});

/** The account, or 404. `query` is the caller's selection. */
export async function account(ctx: Ctx, id: string, query: object = {}): Promise<Account> {
  const found = await ctx.db.account.findFirst({ ...query, where: { AND: [{ id }, visibleAccounts.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Accounts, newest first. */
export const accounts = listOf('account', { visible: visibleAccounts });

function eventData({ id, type, status, name }: Account) {
  return { account_id: printId('account', id), type, status, name };
}

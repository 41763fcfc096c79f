// Wallets: each holds money in one currency and is owned by an account or by one of its agents (CONTRACT.md 1).
import type { Account, Prisma, Wallet, WalletOwnerType, WalletStatus } from '../../generated/prisma/client.js';
import { openWalletAccounts, setLowThreshold, setWalletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { stopRunning } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle } from '../../platform/lifecycle.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { inactiveAccount } from './account.js';
import { closeWallets } from './closing.js';
import type { CreateWalletInput, UpdateWalletInput } from './wallet.input.js';

/** Gap G-32: A wallet is active, frozen (it still receives) or closed for good; only an active account gets new wallets. */
export const walletLifecycle: Lifecycle<WalletStatus> = {
  noun: 'wallet',
  path: '/v1/wallets/{id}',
  steps: { active: ['frozen', 'closed'], frozen: ['active', 'closed'], closed: [] },
  requests: [
    { to: 'active', rel: 'unfreeze', actor: 'api_key', method: 'POST', path: '/unfreeze' },
    { to: 'frozen', rel: 'freeze', actor: 'api_key', method: 'POST', path: '/freeze' },
    { to: 'closed', rel: 'close', actor: 'api_key', method: 'POST', path: '/close' },
  ],
};

/** Opens a wallet. 404 when the owner is not of this workspace; 409 when its account is not active. */
export function createWallet(ctx: Ctx, input: CreateWalletInput): Promise<Wallet> {
  const lowBalanceThreshold =
    input.lowBalanceThreshold == null ? null : parseMinor(input.lowBalanceThreshold, input.currency, ['lowBalanceThreshold']);
  return transact(ctx, async (tx) => {
    const owner = await ownerOf(tx, input);
    return insertWallet(ctx, tx, { ...input, ...owner, lowBalanceThreshold });
  });
}

async function ownerOf(tx: Tx, { ownerType, ownerId }: CreateWalletInput): Promise<{ accountId: string; agentId: string | null }> {
  if (ownerType === 'account') return { accountId: ownerId, agentId: null };
  const agent = await tx.agent.findFirst({ where: { id: ownerId }, select: { parentAccountId: true } });
  if (agent === null) throw new NotFound('ownerId');
  return { accountId: agent.parentAccountId, agentId: ownerId };
}

export interface NewWallet {
  ownerType: WalletOwnerType;
  accountId: string;
  agentId: string | null;
  currency: Currency;
  name?: string | null | undefined;
  /** Minor units. */
  lowBalanceThreshold?: bigint | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Writes a wallet and opens its ledger accounts, in the transaction of whoever needs one. */
export async function insertWallet(ctx: Ctx, tx: Tx, input: NewWallet): Promise<Wallet> {
  // A status that changed meanwhile would not reach the ledger accounts of the new wallet: so under the account's lock.
  const account = await lockRow(tx.account, input.accountId, { field: 'ownerId' });
  if (account.status !== 'active') throw inactiveAccount(account, 'wallets');
  const at = ctx.clock.now();
  const wallet = await tx.wallet.create({
    data: {
      id: newId(at),
      ownerType: input.ownerType,
      accountId: input.accountId,
      agentId: input.agentId,
      currency: input.currency,
      name: input.name ?? null,
      lowBalanceThreshold: input.lowBalanceThreshold ?? null,
      metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
      createdAt: at,
      updatedAt: at,
    },
  });
  await openWalletAccounts(ctx, tx, wallet.id, wallet.currency, wallet.lowBalanceThreshold);
  return wallet;
}

/** Changes a wallet's name, threshold or metadata. A null threshold disarms account.balance.low. */
export function updateWallet(ctx: Ctx, input: UpdateWalletInput & { id: string }): Promise<Wallet> {
  return transact(ctx, async (tx) => {
    const before = await lockRow(tx.wallet, input.id);
    const threshold =
      input.lowBalanceThreshold == null
        ? input.lowBalanceThreshold
        : parseMinor(input.lowBalanceThreshold, before.currency, ['lowBalanceThreshold']);
    if (threshold !== undefined) await setLowThreshold(tx, before.id, threshold);
    return tx.wallet.update({
      where: rowKey(ctx, before.id),
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(threshold !== undefined && { lowBalanceThreshold: threshold }),
        ...(input.metadata != null && { metadata: input.metadata as Prisma.InputJsonObject }),
        updatedAt: ctx.clock.now(),
      },
    });
  });
}

/** Stops a wallet's spending; it still takes money. 409 unless it is active. */
export function freezeWallet(ctx: Ctx, id: string, reason: string | null): Promise<Wallet> {
  return turn(ctx, id, 'frozen', { frozenAt: ctx.clock.now(), frozenReason: reason });
}

/** Lets a frozen wallet spend again, as far as its account may. */
export function unfreezeWallet(ctx: Ctx, id: string): Promise<Wallet> {
  return turn(ctx, id, 'active', { frozenAt: null, frozenReason: null });
}

/** Closes an empty wallet for good. 409 `state_conflict` while it has money, or something is open on it: `details.open`. */
export function closeWallet(ctx: Ctx, id: string): Promise<Wallet> {
  return transact(ctx, async (tx) => {
    const { wallet } = await lockWithAccount(tx, id);
    checkStep(walletLifecycle, id, wallet.status, 'closed');
    await closeWallets(ctx, tx, [id], { noun: 'wallet', status: wallet.status, balance: `/v1/wallets/${id}/balance` });
    return tx.wallet.findFirstOrThrow({ where: { id } });
  });
}

function turn(ctx: Ctx, id: string, status: 'active' | 'frozen', data: Prisma.WalletUpdateInput): Promise<Wallet> {
  return transact(ctx, async (tx) => {
    const { wallet, account } = await lockWithAccount(tx, id);
    checkStep(walletLifecycle, id, wallet.status, status);
    if (status === 'frozen') await stopRunning(ctx, tx, { kind: 'wallet', id, reason: 'wallet_frozen' });
    await setWalletAccounts(tx, [id], status === 'active' && account.status === 'active' ? 'open' : 'blocked');
    return tx.wallet.update({ where: rowKey(ctx, id), data: { ...data, status, updatedAt: ctx.clock.now() } });
  });
}

/** The wallet and its account under their locks: the account's first, so that its status is still true when the wallet changes. */
async function lockWithAccount(tx: Tx, id: string): Promise<{ wallet: Wallet; account: Account }> {
  const found = await tx.wallet.findFirst({ where: { id }, select: { accountId: true } });
  if (found === null) throw new NotFound();
  const account = await lockRow(tx.account, found.accountId);
  return { account, wallet: await lockRow(tx.wallet, id) };
}

// Gap G-29: An agent sees itself, its account, its own wallets and its account's own ones; anything else is 404, null or left out.
/** An agent sees its own wallets and those that its account owns itself, not those of the account's other agents. */
export const visibleWallets = new Visibility<Prisma.WalletWhereInput>({
  scope: 'wallets:read',
  agent: ({ id, parentAccountId }) => ({ OR: [{ agentId: id }, { accountId: parentAccountId, ownerType: 'account' }] }),
});

/** The wallet, or 404. */
export async function wallet(ctx: Ctx, id: string, query: object = {}): Promise<Wallet> {
  const found = await ctx.db.wallet.findFirst({ ...query, where: { AND: [{ id }, visibleWallets.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The wallet that a request is about, which it need not be allowed to read; or 404. */
export async function namedWallet(ctx: Ctx, id: string): Promise<Wallet> {
  const found = await ctx.db.wallet.findFirst({ where: { AND: [{ id }, visibleWallets.reach(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Wallets, newest first. `ownerId` is an account (its own wallets) or an agent. */
export const wallets = listOf('wallet', { visible: visibleWallets }, { ownerId: (id: string, ctx) => ownedBy(ctx, id) });

/** One condition and not two, so that the wallets are read in order by one index. */
async function ownedBy({ db }: Ctx, ownerId: string): Promise<Prisma.WalletWhereInput> {
  const agent = await db.agent.findFirst({ where: { id: ownerId }, select: { id: true } });
  return agent === null ? { accountId: ownerId, ownerType: 'account' } : { agentId: ownerId };
}

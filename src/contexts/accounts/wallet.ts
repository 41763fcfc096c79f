// Wallets: purses in one currency, owned by an account or by one of its agents (CONTRACT.md 1).
import type { Prisma, Wallet, WalletOwnerType, WalletStatus } from '../../generated/prisma/client.js';
import { openWalletAccounts, setLowThreshold, setWalletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/database.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId } from '../../platform/ids.js';
import { conflict, type Lifecycle } from '../../platform/lifecycle.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/page.js';

/** A frozen wallet takes money and does not spend (Gap G-27). */
export const walletLifecycle: Lifecycle<WalletStatus> = { active: ['frozen'], frozen: ['active'], closed: [] };

export interface CreateWalletInput {
  ownerType: WalletOwnerType;
  ownerId: string;
  currency: Currency;
  name?: string | null | undefined;
  lowBalanceThreshold?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

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
  // Takes the account's lock: a status that changes meanwhile would not reach the ledger accounts of the new wallet.
  const [account] = await tx.account.updateManyAndReturn({
    where: { id: input.accountId },
    data: { id: input.accountId },
    select: { status: true },
  });
  if (account === undefined) throw new NotFound('ownerId');
  if (account.status !== 'active')
    throw new StateConflict(`The account is ${account.status}; only an active one gets wallets.`, account.status, ['active']);
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

export interface UpdateWalletInput {
  id: string;
  name?: string | null | undefined;
  lowBalanceThreshold?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Changes a wallet's name, threshold or metadata. A null threshold disarms account.balance.low. */
export function updateWallet(ctx: Ctx, input: UpdateWalletInput): Promise<Wallet> {
  return transact(ctx, async (tx) => {
    const before = await lockWallet(tx, input.id);
    const threshold =
      input.lowBalanceThreshold == null
        ? input.lowBalanceThreshold
        : parseMinor(input.lowBalanceThreshold, before.currency, ['lowBalanceThreshold']);
    if (threshold !== undefined) await setLowThreshold(tx, before.id, threshold);
    return tx.wallet.update({
      where: { id: before.id },
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

function turn(ctx: Ctx, id: string, status: WalletStatus, data: Prisma.WalletUpdateInput): Promise<Wallet> {
  return transact(ctx, async (tx) => {
    const before = await lockWallet(tx, id);
    if (!walletLifecycle[before.status].includes(status)) throw conflict(walletLifecycle, 'wallet', before.status, status);
    const account = await tx.account.findFirstOrThrow({ where: { id: before.accountId }, select: { status: true } });
    if (account.status !== 'closed')
      await setWalletAccounts(tx, [id], status === 'active' && account.status === 'active' ? 'open' : 'blocked');
    return tx.wallet.update({ where: { id }, data: { ...data, status, updatedAt: ctx.clock.now() } });
  });
}

async function lockWallet(tx: Tx, id: string): Promise<Wallet> {
  const { count } = await tx.wallet.updateMany({ where: { id }, data: { id } });
  if (count === 0) throw new NotFound();
  return tx.wallet.findFirstOrThrow({ where: { id } });
}

/** What an actor sees: an agent its own wallets and those of its account (Gap G-24), everyone else the workspace's. */
function visible({ actor }: Ctx): Prisma.WalletWhereInput {
  if (actor.agent === undefined) return {};
  return { OR: [{ agentId: actor.agent.id }, { accountId: actor.agent.parentAccountId, ownerType: 'account' }] };
}

/** The wallet, or 404. */
export async function wallet(ctx: Ctx, id: string, query: object = {}): Promise<Wallet> {
  const found = await ctx.db.wallet.findFirst({ ...query, where: { AND: [{ id }, visible(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

export interface WalletFilter extends PageInput {
  ownerType?: WalletOwnerType | null | undefined;
  ownerId?: string | null | undefined;
  currency?: string | null | undefined;
  status?: WalletStatus | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Wallets, newest first. `ownerId` is an account (its own wallets) or an agent. */
export function wallets(ctx: Ctx, filter: WalletFilter, query: object = {}): Promise<Page<Wallet>> {
  const { ownerId } = filter;
  const conditions: Prisma.WalletWhereInput[] = [visible(ctx), createdBetween(filter.since, filter.until)];
  if (filter.ownerType) conditions.push({ ownerType: filter.ownerType });
  if (ownerId) conditions.push({ OR: [{ agentId: ownerId }, { accountId: ownerId, ownerType: 'account' }] });
  if (filter.currency) conditions.push({ currency: filter.currency });
  if (filter.status) conditions.push({ status: filter.status });
  return listPage(ctx.db.wallet, { AND: conditions }, filter, query);
}

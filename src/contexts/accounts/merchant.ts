// Merchants: who sells, in which category, and where their money goes (CONTRACT.md 1).

import type { Merchant, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { visibleAccounts } from './account.js';
import type { CreateMerchantInput, UpdateMerchantInput } from './merchant.input.js';
import { checkOffer, hasOffer } from './offer.js';
import { listPublic } from './public-catalog.js';
import { enterHosts } from './shop.js';
import { holdMerchant } from './shop.sql.js';
import { refuseOwnHosts, refuseUnprovedHosts } from './shop-host.js';
import { defaultWalletRef, type WalletRef, walletRef } from './wallet-ref.js';

/** What whoever has a merchant should know of it. */
export interface MerchantWarning {
  code: string;
  message: string;
}

/** What keeps a merchant from being paid: it has no wallet, or no prices. `wallets`: those of its account that are not closed. */
export function warningsOf(
  row: Pick<Merchant, 'metadata' | 'acceptsBuyerPrices' | 'accountId'> & { account: { wallets: readonly unknown[] } },
): MerchantWarning[] {
  return [...(row.account.wallets.length === 0 ? [noWalletWarning(row.accountId)] : []), ...offerWarnings(row)];
}

function noWalletWarning(accountId: string): MerchantWarning {
  return {
    code: 'no_wallet',
    message:
      `The account of this merchant has no wallet, so nobody can pay it. Open one in each currency that it sells in: POST /v1/wallets ` +
      `{"owner_type": "account", "owner_id": "${accountId}", "currency": "USDC"}.`,
  };
}

// Gap G-405: A merchant without an offer has `warnings` wherever its account is seen.
/** Checkouts need prices: a merchant without an offer takes those of buyers, or sells nothing. */
function offerWarnings(row: Pick<Merchant, 'metadata' | 'acceptsBuyerPrices'>): MerchantWarning[] {
  if (hasOffer(row)) return [];
  const message = row.acceptsBuyerPrices
    ? 'This merchant has no offer: under /v1 buyers name the prices, and the wires of ACP and UCP sell nothing. Add metadata.offer, or set accepts_buyer_prices to false.'
    : 'This merchant has no offer and takes no prices from buyers: nothing can be bought from it. Add metadata.offer.';
  return [{ code: 'no_offer', message }];
}

/**
 * Registers a merchant. 404 when the account or the wallet is not of this workspace, or the wallet not the account's; 400 for an offer in
 * its metadata that is none, and for hosts of ours; 403 for hosts in production, 409 for those of another merchant.
 */
export function createMerchant(ctx: Ctx, input: CreateMerchantInput): Promise<Merchant> {
  checkOffer(input.metadata);
  const shopHosts = input.shopHosts ?? [];
  refuseOwnHosts(ctx, shopHosts);
  return transact(ctx, async (tx) => {
    const account = await tx.account.findFirst({ where: { id: input.accountId }, select: { id: true } });
    if (account === null) throw new NotFound('accountId');
    if (input.settlementWalletId) await checkSettlementWallet(tx, input.settlementWalletId, input.accountId);
    const at = ctx.clock.now();
    const id = newId(at);
    refuseUnprovedHosts(ctx, { held: [], wanted: shopHosts });
    await enterHosts(ctx, tx, id, { held: [], wanted: shopHosts });
    const made = await tx.merchant.create({
      data: {
        id,
        name: input.name,
        category: input.category,
        accountId: input.accountId,
        settlementWalletId: input.settlementWalletId ?? null,
        url: input.url ?? null,
        metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
        acceptsBuyerPrices: input.acceptsBuyerPrices ?? true,
        shopHosts,
        createdAt: at,
        updatedAt: at,
      },
    });
    await listPublic(ctx, tx, made);
    return made;
  });
}

/** Changes a merchant. Metadata and hosts replace what was there; refusals are those of `createMerchant`. */
export async function updateMerchant(ctx: Ctx, input: UpdateMerchantInput & { id: string }): Promise<Merchant> {
  checkOffer(input.metadata);
  const { id, shopHosts: wanted } = input;
  if (wanted != null) refuseOwnHosts(ctx, wanted);
  const changed = await transact(ctx, async (tx) => {
    const before = await holdMerchant(tx, ctx.workspace.id, id);
    if (before === undefined) throw new NotFound();
    if (input.settlementWalletId) await checkSettlementWallet(tx, input.settlementWalletId, before.accountId);
    if (wanted != null) {
      refuseUnprovedHosts(ctx, { held: before.shopHosts, wanted });
      await enterHosts(ctx, tx, id, { held: before.shopHosts, wanted });
    }
    const after = await tx.merchant.update({
      where: rowKey(ctx, id),
      data: {
        ...(wanted != null && { shopHosts: [...wanted] }),
        ...(input.name != null && { name: input.name }),
        ...(input.category != null && { category: input.category }),
        ...(input.settlementWalletId !== undefined && { settlementWalletId: input.settlementWalletId }),
        ...(input.url !== undefined && { url: input.url }),
        ...(input.status != null && { status: input.status }),
        ...(input.acceptsBuyerPrices != null && { acceptsBuyerPrices: input.acceptsBuyerPrices }),
        ...(input.metadata != null && { metadata: input.metadata as Prisma.InputJsonObject }),
        updatedAt: ctx.clock.now(),
      },
    });
    await listPublic(ctx, tx, after);
    return after;
  });
  ctx.platform.cache.drop(`merchant:${id}`);
  return changed;
}

/**
 * Changes the hosts of a merchant by the word of who runs the platform, in either environment. `change` gets the hosts that it has.
 * Refusals are those of `createMerchant`, but for 403.
 */
export async function changeShopHosts(ctx: Ctx, id: string, change: (held: readonly string[]) => readonly string[]): Promise<Merchant> {
  return transact(ctx, async (tx) => {
    const before = await holdMerchant(tx, ctx.workspace.id, id);
    if (before === undefined) throw new NotFound();
    const wanted = [...change(before.shopHosts)];
    refuseOwnHosts(ctx, wanted);
    await enterHosts(ctx, tx, id, { held: before.shopHosts, wanted });
    return tx.merchant.update({ where: rowKey(ctx, id), data: { shopHosts: wanted, updatedAt: ctx.clock.now() } });
  });
}

/** What spends ask of a merchant. */
export type CachedMerchant = Pick<Merchant, 'id' | 'name' | 'category' | 'status' | 'accountId' | 'settlementWalletId'>;

/** A merchant of this workspace, kept in the process until it changes; null for none. */
export function cachedMerchant({ platform, workspace, db }: Ctx, id: string): Promise<CachedMerchant | null> {
  const select = { id: true, name: true, category: true, status: true, accountId: true, settlementWalletId: true };
  return platform.cache.get(`merchant:${workspace.id}:${id}`, async () => ({
    value: await db.merchant.findFirst({ where: { id }, select }),
    tags: [`merchant:${id}`],
  }));
}

async function checkSettlementWallet(tx: Tx, walletId: string, accountId: string): Promise<void> {
  const wallet = await tx.wallet.findFirst({ where: { id: walletId, accountId }, select: { id: true } });
  if (wallet === null) throw new NotFound('settlementWalletId');
}

// Gap G-37: Every actor of the workspace sees the public side of all merchants.
export const visibleMerchants = new Visibility<Prisma.MerchantWhereInput>({ scope: 'accounts:read', agent: () => ({}) });

// Gap G-39: `created_at` and `updated_at` are public; a list by `account_id` is empty for those who may not read that account.
/** True for those who may read the merchant's account: they alone see its private side. */
export function canSeeMerchant(ctx: Ctx, { accountId }: Pick<Merchant, 'accountId'>): boolean {
  return visibleAccounts.sees(ctx, { id: accountId });
}

/** The merchant, or 404. */
export async function merchant(ctx: Ctx, id: string, query: object = {}): Promise<Merchant> {
  const found = await ctx.db.merchant.findFirst({ ...query, where: { AND: [{ id }, visibleMerchants.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The wallet that a merchant is paid to: its settlement wallet, else its account's oldest in the currency; null without one. */
export async function payeeOfMerchant(
  ctx: Ctx,
  { accountId, settlementWalletId }: Pick<Merchant, 'accountId' | 'settlementWalletId'>,
  currency: string,
): Promise<WalletRef | null> {
  const settlement = settlementWalletId === null ? null : await walletRef(ctx, settlementWalletId);
  return settlement?.currency === currency ? settlement : defaultWalletRef(ctx, accountId, currency);
}

/** What a buyer is told of a merchant that has no wallet in a currency: only its owner can help. */
export const noWalletWords = (currency: string): string =>
  `has no wallet in ${currency}: its owner opens one with POST /v1/wallets, or sells in another currency`;

/** Merchants, newest first. Of an account that the actor may not read, `accountId` finds none: whose they are is private. */
export const merchants = listOf(
  'merchant',
  { visible: visibleMerchants },
  { accountId: (accountId: string, ctx) => ({ accountId, account: visibleAccounts.where(ctx) }) },
);

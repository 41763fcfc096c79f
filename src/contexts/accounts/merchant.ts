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
import { defaultWalletRef, type WalletRef, walletRef } from './wallet-ref.js';

/** What whoever has a merchant should know of it. */
export interface MerchantWarning {
  code: string;
  message: string;
}

/** Checkouts need prices: a merchant without an offer takes those of buyers, or sells nothing (Gap G-405). */
export function warningsOf(row: Pick<Merchant, 'metadata' | 'acceptsBuyerPrices'>): MerchantWarning[] {
  if (hasOffer(row)) return [];
  const message = row.acceptsBuyerPrices
    ? 'This merchant has no offer: under /v1 buyers name the prices, and the wires of ACP and UCP sell nothing. Add metadata.offer, or set accepts_buyer_prices to false.'
    : 'This merchant has no offer and takes no prices from buyers: nothing can be bought from it. Add metadata.offer.';
  return [{ code: 'no_offer', message }];
}

/**
 * Registers a merchant. 404 when the account or the wallet is not of this workspace, or the wallet not the account's; 400 for an offer in
 * its metadata that is none.
 */
export function createMerchant(ctx: Ctx, input: CreateMerchantInput): Promise<Merchant> {
  checkOffer(input.metadata);
  return transact(ctx, async (tx) => {
    const account = await tx.account.findFirst({ where: { id: input.accountId }, select: { id: true } });
    if (account === null) throw new NotFound('accountId');
    if (input.settlementWalletId) await checkSettlementWallet(tx, input.settlementWalletId, input.accountId);
    const at = ctx.clock.now();
    return tx.merchant.create({
      data: {
        id: newId(at),
        name: input.name,
        category: input.category,
        accountId: input.accountId,
        settlementWalletId: input.settlementWalletId ?? null,
        url: input.url ?? null,
        metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
        acceptsBuyerPrices: input.acceptsBuyerPrices ?? true,
        createdAt: at,
        updatedAt: at,
      },
    });
  });
}

/** Changes a merchant. Metadata replaces what was there; 400 for an offer in it that is none. */
export async function updateMerchant(ctx: Ctx, input: UpdateMerchantInput & { id: string }): Promise<Merchant> {
  checkOffer(input.metadata);
  const changed = await transact(ctx, async (tx) => {
    const before = await tx.merchant.findFirst({ where: { id: input.id }, select: { accountId: true } });
    if (before === null) throw new NotFound();
    if (input.settlementWalletId) await checkSettlementWallet(tx, input.settlementWalletId, before.accountId);
    return tx.merchant.update({
      where: rowKey(ctx, input.id),
      data: {
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
  });
  ctx.platform.cache.drop(`merchant:${input.id}`);
  return changed;
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

/** Every actor of the workspace that sees anything sees the public side of all merchants: they are whom agents pay (Gap G-37). */
export const visibleMerchants = new Visibility<Prisma.MerchantWhereInput>({ agent: () => ({}) });

/** True for those who may read the merchant's account: they alone see its private side (Gap G-39). */
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

/** Merchants, newest first. Of an account that the actor may not read, `accountId` finds none: whose they are is private. */
export const merchants = listOf(
  'merchant',
  { visible: visibleMerchants },
  { accountId: (accountId: string, ctx) => ({ accountId, account: visibleAccounts.where(ctx) }) },
);

// Registering, changing and removing endpoints (CONTRACT.md 9).
import type { Prisma, X402Endpoint, X402Scheme } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { defaultWalletRef, type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { addEntry } from '../../identity/directory.js';
import { chainOf, servedChains } from '../chain/chain.js';
import { depositFor } from '../chain/deposit.js';
import { ledgerNetwork } from '../chain/network.js';
import { UnsupportedNetwork } from '../errors.js';
import { emit } from '../events.js';
import type { CreateX402EndpointInput, UpdateX402EndpointInput } from './endpoint.input.js';
import { endpointHash } from './endpoint.js';
import { readDiscounts } from './price.js';

/**
 * Registers an endpoint. 404 for an account that is none of this workspace or a wallet that is none of its, 422 `currency_mismatch` for a
 * wallet in another currency, 422 `unsupported_network`, 400 for an unknown network and what does not fit together.
 */
export async function createEndpoint(ctx: Ctx, input: CreateX402EndpointInput): Promise<X402Endpoint> {
  const { accountId, name, method, description, metadata, path, url } = input;
  const currency = input.currency ?? 'USDC';
  const scheme = input.scheme ?? 'exact';
  if (path == null && url == null) throw new ValidationFailed([{ path: ['path'], message: 'or url is required', rule: 'required' }]);
  const network = networkFor(ctx, { network: input.network, scheme, currency });
  const basePrice = parseMinor(input.basePrice, currency, ['basePrice']);
  const volumeDiscounts = readDiscounts(input.volumeDiscounts ?? []);
  const receiver = await receiverOf(ctx, { accountId, currency, walletId: input.receiverWalletId });
  if (chainOf(ctx, network) !== undefined) await depositFor(ctx, network, receiver.walletId);
  return transact(ctx, async (tx) => {
    const at = ctx.clock.now();
    const made = await tx.x402Endpoint.create({
      data: {
        id: newId(at),
        accountId,
        receiverWalletId: receiver.walletId,
        name,
        path: path ?? null,
        url: url ?? null,
        method,
        basePrice,
        currency,
        scheme,
        network,
        description: description ?? null,
        volumeDiscounts: volumeDiscounts as unknown as Prisma.InputJsonArray,
        discoverable: input.discoverable ?? false,
        metadata: (metadata ?? {}) as Prisma.InputJsonObject,
        createdAt: at,
        updatedAt: at,
      },
    });
    await addEntry(ctx, tx, { kind: 'x402_endpoint', id: made.id, hash: endpointHash(made.id) });
    await emit(ctx, tx, 'x402.endpoint.created', createdData(made), { at, objectId: made.id });
    return made;
  });
}

function createdData({ id, accountId, name, path, method, basePrice, currency, network, status }: X402Endpoint) {
  return {
    endpoint_id: printId('x402Endpoint', id),
    account_id: printId('account', accountId),
    name,
    path,
    method,
    base_price: formatMinor(basePrice, currency),
    currency,
    network,
    status,
  };
}

/** True in production for the name of a chain that the operator might configure. */
function isChainName({ workspace }: Ctx, network: string): boolean {
  return workspace.environment === 'live' && /^eip155:[1-9]\d{0,15}$/.test(network);
}

/** 400 with the networks that there are in the environment. */
function unknownNetwork(known: readonly string[]): ValidationFailed {
  return new ValidationFailed([{ path: ['network'], message: `must be one of ${known.join(', ')}`, rule: 'enum' }]);
}

/** The network that is asked for, else the ledger's. A chain carries its token alone, in whole authorizations. */
function networkFor(ctx: Ctx, asked: { network?: string | null | undefined; scheme: X402Scheme; currency: string }): string {
  const { network, scheme, currency } = asked;
  const own = ledgerNetwork(ctx);
  if (network == null || network === own) return own;
  const chain = chainOf(ctx, network)?.own;
  if (chain === undefined && isChainName(ctx, network)) throw new UnsupportedNetwork(network);
  if (chain === undefined) throw unknownNetwork([own, ...servedChains(ctx).map((served) => served.own.network)]);
  if (currency !== chain.currency)
    throw new ValidationFailed([{ path: ['currency'], message: `is ${chain.currency} on ${network}`, rule: 'network' }]);
  if (scheme !== 'exact')
    throw new ValidationFailed([{ path: ['scheme'], message: 'is exact on a chain: upto is for the ledger network', rule: 'network' }]);
  return chain.network;
}

/** The wallet that is named, else the account's oldest in the currency. A wallet of the account, or of one of its agents. */
async function receiverOf(
  ctx: Ctx,
  { accountId, currency, walletId }: { accountId: string; currency: string; walletId: string | null | undefined },
): Promise<WalletRef> {
  const account = await ctx.db.account.findFirst({ where: { id: accountId }, select: { id: true } });
  if (account === null) throw new NotFound('accountId');
  if (walletId == null) {
    const found = await defaultWalletRef(ctx, accountId, currency);
    if (found !== null) return found;
    throw new ValidationFailed([{ path: ['accountId'], message: `has no wallet in ${currency}`, rule: 'currency' }]);
  }
  const found = await walletRef(ctx, walletId);
  if (found?.accountId !== accountId) throw new NotFound('receiverWalletId');
  if (found.currency !== currency) throw new CurrencyMismatch(found.walletId, found.currency, currency);
  return found;
}

/** Changes an endpoint; its account and its currency stay. What was offered before is offered no more. Errors as of createEndpoint(). */
export async function updateEndpoint(ctx: Ctx, input: UpdateX402EndpointInput & { id: string }): Promise<X402Endpoint> {
  const { id, name, path, url, method, description, metadata, status, volumeDiscounts, receiverWalletId } = input;
  const known = await ctx.db.x402Endpoint.findFirst({ where: { id, deletedAt: null } });
  if (known === null) throw new NotFound();
  const { accountId, currency } = known;
  const scheme = input.scheme ?? known.scheme;
  const network = networkFor(ctx, { network: input.network ?? known.network, scheme, currency });
  const receiver = receiverWalletId == null ? null : await receiverOf(ctx, { accountId, currency, walletId: receiverWalletId });
  if (chainOf(ctx, network) !== undefined) await depositFor(ctx, network, receiver?.walletId ?? known.receiverWalletId);
  const changed = await transact(ctx, async (tx) => {
    const before = await lockRow(tx.x402Endpoint, id, { where: { deletedAt: null } });
    const place = { path: path === undefined ? before.path : path, url: url === undefined ? before.url : url };
    if (place.path === null && place.url === null)
      throw new ValidationFailed([{ path: ['path'], message: 'or url is required', rule: 'required' }]);
    return tx.x402Endpoint.update({
      where: rowKey(ctx, id),
      data: {
        ...place,
        scheme,
        network,
        ...(name != null && { name }),
        ...(method != null && { method }),
        ...(receiver !== null && { receiverWalletId: receiver.walletId }),
        ...(input.basePrice != null && { basePrice: parseMinor(input.basePrice, currency, ['basePrice']) }),
        ...(description !== undefined && { description }),
        ...(volumeDiscounts != null && { volumeDiscounts: readDiscounts(volumeDiscounts) as unknown as Prisma.InputJsonArray }),
        ...(input.discoverable != null && { discoverable: input.discoverable }),
        ...(status != null && { status }),
        ...(metadata != null && { metadata: metadata as Prisma.InputJsonObject }),
        updatedAt: ctx.clock.now(),
      },
    });
  });
  ctx.platform.cache.drop(`x402_endpoint:${id}`);
  return changed;
}

// Gap G-297: Payments of a deleted endpoint stay; the endpoint is 404 from then on.
/** Removes an endpoint: it is paid no more, and its payments stay. 404 for one that is gone. */
export async function deleteEndpoint(ctx: Ctx, id: string): Promise<X402Endpoint> {
  const deleted = await transact(ctx, async (tx) => {
    await lockRow(tx.x402Endpoint, id, { where: { deletedAt: null } });
    const at = ctx.clock.now();
    return tx.x402Endpoint.update({ where: rowKey(ctx, id), data: { deletedAt: at, updatedAt: at } });
  });
  ctx.platform.cache.drop(`x402_endpoint:${id}`);
  return deleted;
}

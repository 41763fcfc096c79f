// Whom MPP pays: the wallet that a request names, or that of the service whose address it gives (CONTRACT.md 0 "Small decisions").
import type { Merchant, X402Endpoint } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { noWalletWords, payeeOfMerchant } from '../accounts/merchant.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { endpointOfDoor, endpointsAt, payableEndpoint } from '../x402/endpoint/endpoint.js';
import { receiverOf } from '../x402/payment/ledger-payment.js';
import type { PayMppInput } from './payment.input.js';

/** Whom a request pays. */
export interface Payee {
  to: WalletRef;
  /** The merchant of that account whose address it is. */
  merchantId: string | undefined;
}

// Gap G-307: The payee is `payee_wallet_id`, else the endpoint with this address, else the active merchant with this `url`.
/**
 * The wallet that is paid: `payeeWalletId` where it is given, else that of the endpoint whose address is `serviceUrl`, else that of the
 * merchant whose it is. 400 for an address that is nobody's, or several ones', 404 for a wallet that is none, 409 for an endpoint that
 * takes no payments.
 */
export async function mppPayeeOf(
  ctx: Ctx,
  { serviceUrl, payeeWalletId }: Pick<PayMppInput, 'serviceUrl' | 'payeeWalletId'>,
  currency: string,
): Promise<Payee> {
  if (payeeWalletId != null) {
    const found = await walletRef(ctx, payeeWalletId);
    if (found === null) throw new NotFound('payeeWalletId');
    return { to: found, merchantId: await merchantAt(ctx, serviceUrl, found) };
  }
  const endpoints = await endpointsFor(ctx, serviceUrl);
  if (endpoints.length > 0) {
    const to = await receiverOf(ctx, await theOnly(ctx, endpoints));
    return { to, merchantId: await merchantAt(ctx, serviceUrl, to) };
  }
  const [merchant, another] = await ctx.db.merchant.findMany({ where: { url: serviceUrl, status: 'active' }, take: 2 });
  if (another !== undefined) throw severalAt();
  const to = merchant === undefined ? null : await payeeOfMerchant(ctx, merchant, currency);
  if (merchant === undefined || to === null) throw nobodyAt(merchant, currency);
  return { to, merchantId: merchant.id };
}

/**
 * The merchant whose address is given, where it is paid into the very wallet. Into a wallet that a merchant settles in that one is paid,
 * and into another one of an account any of its merchants, whatever address is given: the pipeline finds them (see G-422).
 */
export async function merchantAt(ctx: Ctx, url: string, { accountId, walletId, currency }: WalletRef): Promise<string | undefined> {
  const { db } = ctx;
  const select = { id: true, accountId: true, settlementWalletId: true };
  const found = await db.merchant.findFirst({ where: { url, accountId }, orderBy: { id: 'asc' }, select });
  if (found === null || (await payeeOfMerchant(ctx, found, currency))?.walletId !== walletId) return undefined;
  const settling = await db.merchant.findFirst({ where: { settlementWalletId: walletId }, select: { id: true } });
  return settling === null ? found.id : undefined;
}

/** The endpoint, where all of them are paid into one wallet: one that takes payments, if any does. 409 where none does. */
function theOnly(ctx: Ctx, endpoints: readonly X402Endpoint[]): Promise<X402Endpoint> {
  const active = endpoints.filter(({ status }) => status === 'active');
  if (new Set(active.map(({ receiverWalletId }) => receiverWalletId)).size > 1) throw severalAt();
  return payableEndpoint(ctx, (active[0] ?? endpoints[0])?.id ?? '', 'serviceUrl');
}

function severalAt(): ValidationFailed {
  return new ValidationFailed([
    { path: ['payeeWalletId'], message: 'is required: services of several payees have this service_url', rule: 'required' },
  ]);
}

function nobodyAt(merchant: Merchant | undefined, currency: string): ValidationFailed {
  const why = merchant === undefined ? 'no endpoint and no merchant has this service_url' : `the merchant ${noWalletWords(currency)}`;
  return new ValidationFailed([{ path: ['payeeWalletId'], message: `is required: ${why}`, rule: 'required' }]);
}

/** The endpoints at an address: registered with it, or the one whose paid door it is. */
async function endpointsFor(ctx: Ctx, serviceUrl: string): Promise<X402Endpoint[]> {
  const id = endpointOfDoor(ctx, serviceUrl);
  const found = id === null ? null : await ctx.db.x402Endpoint.findFirst({ where: { id, deletedAt: null } });
  return found === null ? endpointsAt(ctx, serviceUrl) : [found];
}

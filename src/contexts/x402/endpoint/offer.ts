// What an endpoint can be paid with: the requirements that a 402 offers, and that a payment must have accepted (CONTRACT.md 9). They follow
// from the endpoint alone, so what a payment claims to accept can be compared with what is really offered.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ApiError } from '../../../platform/errors.js';
import { printId } from '../../../platform/schema/id.js';
import { type Chain, chainOf } from '../chain/chain.js';
import { depositFor, depositOf } from '../chain/deposit.js';
import { type ChainNetwork, ledgerNetwork } from '../chain/network.js';
import { priceFor } from './price.js';

/** PaymentRequirements of version 2. */
export interface PaymentOption {
  scheme: 'exact' | 'upto';
  network: string;
  /** Minor units, which are the base units of the token. */
  amount: string;
  /** The currency on the ledger network, the contract of the token on a chain. */
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** Seconds in which a payment on the ledger is to be made. */
const timeoutSeconds = 60;

/**
 * The offers to a payer, the endpoint's own network first, the ledger's always. Somebody unknown is offered the base price. A chain that
 * nobody serves, or that takes no payments now, is not offered.
 */
export async function offersOf(ctx: Ctx, endpoint: X402Endpoint, payer: string | null = null): Promise<PaymentOption[]> {
  const { amount } = await priceFor(ctx, endpoint, payer);
  const ledger = ledgerOffer(ctx, endpoint, amount);
  const chain = chainOf(ctx, endpoint.network);
  if (chain === undefined || !(await isTaking(ctx, chain))) return [ledger];
  return [chainOffer(chain.own, await depositFor(ctx, chain.own.network, endpoint.receiverWalletId), amount), ledger];
}

async function isTaking(ctx: Ctx, chain: Chain): Promise<boolean> {
  try {
    await chain.admit(ctx);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The chain on which an endpoint is offered beside the ledger; undefined where it names none, or one that nobody serves. */
export function offeredChain(
  where: Pick<Ctx, 'platform' | 'workspace'>,
  { network }: Pick<X402Endpoint, 'network'>,
): ChainNetwork | undefined {
  return chainOf(where, network)?.own;
}

function ledgerOffer(ctx: Ctx, { id, scheme, currency, receiverWalletId }: X402Endpoint, amount: bigint): PaymentOption {
  return {
    scheme,
    network: ledgerNetwork(ctx),
    amount: amount.toString(),
    asset: currency,
    payTo: receiverWalletId,
    maxTimeoutSeconds: timeoutSeconds,
    extra: { endpoint_id: printId('x402Endpoint', id), currency },
  };
}

/** The requirements of a payment to an address of a chain. */
export function chainOffer(
  { network, token, timeoutSeconds: maxTimeoutSeconds }: ChainNetwork,
  payTo: string,
  amount: bigint,
): PaymentOption {
  const { address, name, version } = token;
  const extra = { name, version };
  return { scheme: 'exact', network, amount: amount.toString(), asset: address, payTo, maxTimeoutSeconds, extra };
}

type Accepted = Pick<PaymentOption, 'scheme' | 'network' | 'amount' | 'asset' | 'payTo'>;

/** True when what a payment accepted is this offer, in all that money hangs on. Addresses may be spelled in any capitals. */
export function isOffer(accepted: Accepted, offer: PaymentOption): boolean {
  const same = (a: string, b: string) => a === b || (/^0x/i.test(b) && a.toLowerCase() === b.toLowerCase());
  return (
    accepted.scheme === offer.scheme &&
    accepted.network === offer.network &&
    accepted.amount === offer.amount &&
    same(accepted.asset, offer.asset) &&
    same(accepted.payTo, offer.payTo)
  );
}

/** Whom an endpoint has paid on its own network: its wallet, or the wallet's address. */
export async function payToOf(ctx: Ctx, { network, receiverWalletId }: X402Endpoint): Promise<string> {
  if (network === ledgerNetwork(ctx)) return receiverWalletId;
  return (await depositOf(ctx, network, receiverWalletId)) ?? receiverWalletId;
}

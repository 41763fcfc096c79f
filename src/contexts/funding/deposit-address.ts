// Deposit addresses (CONTRACT.md 27 "Deposits"): where money reaches a wallet over a network without being asked for.
import type { Wallet } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, Forbidden, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { WalletFrozen } from '../accounts/errors.js';
import { namedWallet, wallet } from '../accounts/wallet.js';
import { serves } from '../rails/admission.js';
import { configuredRail } from '../rails/configured-rails.js';
import { isOperator } from '../rails/operator.js';
import { knownRails, RailUnavailable } from '../transfers/rail.js';
import { type DepositRail, depositRails } from './deposit-rail.js';

/** A deposit address, as the faces show it. */
export interface DepositAddress extends Pick<DepositRail, 'network' | 'chainId' | 'token' | 'minimum' | 'confirmations'> {
  address: string;
  rail: string;
  currency: string;
}

/** An address that was asked for, and whether it was before. */
export interface AskedDepositAddress {
  depositAddress: DepositAddress;
  isRepeated: boolean;
}

/**
 * The address of a wallet on a rail, always the same. 404, 403 for an agent whose wallet it is not and for a closed wallet, 400 for an unknown
 * rail, 422 `currency_mismatch`, 503 where the rail takes no deposits of the workspace.
 */
export async function askDepositAddress(ctx: Ctx, { id, rail: name }: { id: string; rail: string }): Promise<AskedDepositAddress> {
  const row = await namedWallet(ctx, id);
  checkOwn(ctx, row);
  if (row.status === 'closed') throw new WalletFrozen(row.id, 'closed');
  const rail = await depositRail(ctx, name, row);
  const { address, isNew } = await rail.addressOf(ctx, row.id);
  const asked = { depositAddress: shown(rail, name, row.currency, address), isRepeated: !isNew };
  return transact(
    ctx,
    async () => asked,
    () => `${row.id}:${name}`,
  );
}

/** The address of a repeated request. */
export async function askedDepositAddress(ctx: Ctx, reference: string): Promise<AskedDepositAddress> {
  const [id = '', name] = reference.split(':');
  const found = (await knownAddresses(ctx, await namedWallet(ctx, id))).find(({ rail }) => rail === name);
  if (found === undefined) throw new NotFound();
  return { depositAddress: found, isRepeated: false };
}

/** The addresses of a wallet that were asked for, by rail. 404, 403 for an agent whose wallet it is not. */
export async function walletDepositAddresses(ctx: Ctx, id: string): Promise<DepositAddress[]> {
  const row = await wallet(ctx, id);
  checkOwn(ctx, row);
  return knownAddresses(ctx, row);
}

async function knownAddresses(ctx: Ctx, { id, currency }: Wallet): Promise<DepositAddress[]> {
  const found: DepositAddress[] = [];
  for (const name of Object.keys(knownRails(ctx)).sort()) {
    const rail = railNow(ctx, name);
    const address = await rail?.knownAddressOf(ctx, id);
    if (rail !== undefined && address != null) found.push(shown(rail, name, currency, address));
  }
  return found;
}

/** Whoever knows an address sees on the chain what reached it: an agent is told of its own wallets alone. */
function checkOwn({ actor }: Ctx, { agentId }: Wallet): void {
  if (actor.agent !== undefined && actor.agent.id !== agentId)
    throw new Forbidden('An agent asks for deposit addresses of its own wallets alone.');
}

function railNow(ctx: Ctx, name: string): DepositRail | undefined {
  return ctx.platform.extensions.of(depositRails).of(ctx.workspace, name);
}

// Gap G-851: A deposit address is given while its rail is off, draining or unhealthy: what reaches it is credited all the same.
async function depositRail(ctx: Ctx, name: string, { id, currency }: Wallet): Promise<DepositRail> {
  const known = knownRails(ctx);
  const carried = Object.hasOwn(known, name) ? known[name] : undefined;
  if (carried === undefined) throw new ValidationFailed([{ path: ['rail'], message: 'is no rail: see GET /v1/rails', rule: 'enum' }]);
  if (carried !== currency) throw new CurrencyMismatch(id, currency, carried);
  const rail = railNow(ctx, name);
  if (rail === undefined) throw new RailUnavailable(name, 'not_configured', await isOperator(ctx));
  const configured = configuredRail(ctx, name);
  const isRefused = ctx.workspace.environment === 'live' && configured !== undefined && !serves(configured, ctx.workspace.id);
  if (isRefused) throw new RailUnavailable(name, 'not_for_workspace', await isOperator(ctx));
  return rail;
}

function shown(
  { network, chainId, token, minimum, confirmations }: DepositRail,
  rail: string,
  currency: string,
  address: string,
): DepositAddress {
  return { address, rail, currency, network, chainId, token, minimum, confirmations };
}

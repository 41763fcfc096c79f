// Sweeping: what has reached the addresses of wallets goes to the treasury, by authorizations of their own keys, which relayers carry as they
// carry payouts. No gas is ever sent to such an address. The ledger is not told: the money was booked when it came.
import { randomBytes } from 'node:crypto';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { newId } from '../../platform/schema/id.js';
import { depart } from '../rails/departure.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { authorizationOf } from './carriable.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import { hexOf } from './evm.js';
import { paymentOf, signPayment } from './payment.sql.js';
import {
  forgetLapsed,
  insertSweep,
  markSwept,
  prolongSweep,
  sweepable,
  type UnsignedSweep,
  unsignedSweeps,
  type WalletAddress,
} from './sweep.sql.js';
import { balanceCall, readUint } from './token.js';
import type { View } from './watch.js';

/** How often the addresses are looked at. */
const everyMs = 60_000;
/** Addresses that one look sweeps at most, so that payouts do not wait for the relayers. */
const mostAtOnce = 32;

/** The next look at each chain, by the clock of the platform. */
const nextLook = new WeakMap<EvmChain, number>();

/** What one look at a chain needs. */
interface Sweeping {
  platform: Platform;
  chain: EvmChain;
  deep: Block;
}

/**
 * Once a minute, sweeps the addresses at which enough lies at a deep block. Nothing leaves where the rail is off. A sweep that fails is tried
 * again later, and keeps no payout from being carried.
 */
export async function sweepChain(platform: Platform, chain: EvmChain, { deep }: Pick<View, 'deep'>): Promise<void> {
  const now = platform.clock.now().getTime();
  if (chain.depositAddress === null || deep === null || now < (nextLook.get(chain) ?? 0)) return;
  nextLook.set(chain, now + everyMs);
  await sweepAll({ platform, chain, deep }).catch((error: unknown) =>
    platform.log.error({ err: error, rail: chain.rail }, 'the addresses of wallets could not be swept'),
  );
}

async function sweepAll(sweeping: Sweeping): Promise<void> {
  const { platform, chain } = sweeping;
  const { pool } = platform.database;
  await forgetLapsed(pool, chain.chainId);
  for (const one of await unsignedSweeps(pool, chain.chainId)) if (!(await orGoOn(sweeping, one, signAgain(sweeping, one)))) return;
  const found = await sweepable(pool, chain.chainId, { above: chain.setting.sweep_above, most: mostAtOnce });
  for (const one of found) if (!(await orGoOn(sweeping, one, sweep(sweeping, one)))) return;
}

/** One that cannot be swept, such as an address of an older seed, keeps no other from it: whoever likes can pay to its address. */
async function orGoOn(
  { platform, chain }: Sweeping,
  { walletId: wallet }: { walletId: string },
  trying: Promise<boolean>,
): Promise<boolean> {
  return trying.catch((error: unknown) => {
    platform.log.error({ err: error, rail: chain.rail, wallet }, 'the address of a wallet could not be swept');
    return true;
  });
}

/** False where nothing may leave now. */
async function sweep({ platform, chain, deep }: Sweeping, one: WalletAddress): Promise<boolean> {
  const { chainId, rail, setting } = chain;
  const value = await moneyAt({ platform, chain, deep }, one.address);
  if (value === null) return true;
  if (value < setting.sweep_above) {
    // Somebody has taken it away, or it was swept before the database was put back.
    await markSwept(platform.database.pool, chainId, one.address, deep.number);
    return true;
  }
  const { treasury } = await chain.signers(platform);
  // It takes a second the first time, which is not one of those that sending may take.
  await chain.walletKeys();
  const at = platform.clock.now();
  const id = newId(at);
  const written = { ...one, id, rail, chainId, treasury: treasury.address, nonce: hexOf(randomBytes(32)), value, at };
  const gone = await depart(
    platform,
    { rail, what: `sweep of ${one.address}` },
    async (tx) => {
      if (!(await insertSweep(tx, { ...written, validBefore: endOf(chain, at) }))) return null;
      await markSwept(tx, chainId, one.address, deep.number);
      return { value: null, facts: [] };
    },
    (_, signal) => sign({ platform, chain }, { ...one, id }, signal),
  );
  return mayGoOn(gone);
}

/** Signs what was written and not signed. False where nothing may leave now. */
async function signAgain({ platform, chain }: Sweeping, one: UnsignedSweep): Promise<boolean> {
  const validBefore = endOf(chain, platform.clock.now());
  const gone = await depart(
    platform,
    { rail: chain.rail, what: `sweep ${one.id}` },
    async (tx) => ((await prolongSweep(tx, one, validBefore)) ? { value: null, facts: [] } : null),
    (_, signal) => sign({ platform, chain }, one, signal),
  );
  return mayGoOn(gone);
}

function mayGoOn(gone: { sent: unknown } | { stays: string }): boolean {
  return 'sent' in gone || gone.stays === 'nothing' || gone.stays === 'late';
}

async function sign({ platform, chain }: Omit<Sweeping, 'deep'>, one: UnsignedSweep, signal: AbortSignal): Promise<void> {
  const { pool } = platform.database;
  const key = (await chain.walletKeys())(one.walletId);
  const payment = await paymentOf(pool, one);
  if (payment === null || payment.state !== 'open' || signal.aborted) return;
  await signPayment(pool, payment, await key.signAuthorization(chain.domain, authorizationOf(payment)));
}

/** Whole seconds, as they are signed. */
function endOf({ setting }: EvmChain, at: Date): Date {
  const end = addSeconds(at, setting.payout_seconds).getTime();
  return new Date(end - (end % 1_000));
}

/** What an address has at a deep block; null where nobody knows. */
async function moneyAt({ platform, chain, deep }: Sweeping, address: ChainAddress): Promise<bigint | null> {
  const nodes = await chain.nodes(platform);
  const asked = await nodes.call(deep, { to: chain.token, data: balanceCall(address) });
  return asked.state === 'known' && 'data' in asked.value ? readUint(asked.value.data) : null;
}

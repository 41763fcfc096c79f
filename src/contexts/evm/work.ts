// The loop of each chain: one process at a time reads it, and where it has the keys and the memory lets relayers send.
import { randomUUID } from 'node:crypto';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { takeFence } from '../../platform/fence.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { stopRail } from '../rails/switch-record.js';
import type { EvmChain } from './chain.js';
import { hasWaiting } from './payer-payment.sql.js';
import { noteTreasury } from './proof.sql.js';
import { ForeignTransaction, relay } from './relayer.js';
import { sweepChain } from './sweep.js';
import { DeepReorg, look } from './watch.js';
import { takeWatch } from './watch.sql.js';

const everyMs = 1_000;
/** While somebody waits for a payment to be in a block, which nobody does for longer than some seconds. */
const busyMs = 200;
const waitedSeconds = 10;
/** A process that another one is ahead of looks again after this time. */
const elsewhereMs = 5_000;

/** This process, as a chain knows who reads it. */
const holder = randomUUID();

/** The next look of this process, by its own count of milliseconds. */
const nextLook = new WeakMap<Platform, number>();

/** A round follows at once: somebody waits for a payment. */
export function hurry(platform: Platform): void {
  nextLook.delete(platform);
  platform.due.ring('evm');
}

/** Reads every chain, and lets its relayers send. Returns in how many milliseconds there is more. */
export async function tendChains(platform: Platform, chains: readonly EvmChain[]): Promise<number> {
  const restMs = (nextLook.get(platform) ?? 0) - performance.now();
  if (restMs > 0) return restMs;
  const mine = await Promise.all(
    chains.map((chain) =>
      tendChain(platform, chain).catch((error: unknown) => {
        platform.log.error({ err: error, rail: chain.rail }, 'this process does not work on a chain');
        return false;
      }),
    ),
  );
  const waitMs = mine.includes(true) ? await restOf(platform, chains) : elsewhereMs;
  nextLook.set(platform, performance.now() + waitMs);
  return waitMs;
}

/** How long to wait for the next round. */
async function restOf({ database, clock }: Platform, chains: readonly EvmChain[]): Promise<number> {
  const since = addSeconds(clock.now(), -waitedSeconds);
  const waiting = await Promise.all(chains.map(({ chainId }) => hasWaiting(database.pool, chainId, since)));
  return waiting.includes(true) ? busyMs : everyMs;
}

/** One round of a chain. False where another process reads it. Throws one sentence where its keys do not open. */
export async function tendChain(platform: Platform, chain: EvmChain): Promise<boolean> {
  // One whose keys do not open keeps no other from the chain.
  const { treasury, relayers } = await chain.signers(platform);
  const maySend = await hasMemory(platform);
  const { pool } = platform.database;
  if (!(await takeWatch(pool, chain.chainId, holder, maySend))) return false;
  try {
    const view = await look(platform, chain, treasury.address);
    if (view?.isNew !== false) await noteTreasury(pool, chain.chainId, treasury.address, platform.clock.now());
    if (view !== null && maySend) {
      await sweepChain(platform, chain, view);
      for (const key of relayers) await relay(platform, chain, key, view);
    }
  } catch (error) {
    const reason = error instanceof ForeignTransaction ? 'foreign_transaction' : error instanceof DeepReorg ? 'deep_reorg' : null;
    if (reason !== null) await stopRail(platform, chain.rail, reason);
    platform.log.error({ err: error, rail: chain.rail }, 'a round over a chain failed');
  }
  return true;
}

/** Whether this process has the memory without which nothing leaves. */
function hasMemory({ database, config }: Platform): Promise<boolean> {
  return inTransaction(database.pool, async (tx) => (await takeFence(tx, config)).memory !== null);
}

// Rails that have an address for each wallet, where money reaches it without being asked for. A context that watches such a network connects
// them; the sandbox has one that is simulated.
import { connections } from '../../platform/connection.js';
import type { Ctx } from '../../platform/ctx.js';

/** A rail that takes deposits. */
export interface DepositRail {
  /** The network, as CAIP-2 names it. */
  network: string;
  chainId: bigint;
  /** The contract of the token, as people are shown it. */
  token: string;
  /** What is less is not credited, minor units. */
  minimum: bigint;
  /** How deep a block must lie that money is credited by: a number of blocks, or as the chain marks it. */
  confirmations: number | 'safe' | 'finalized';
  /** The address of a wallet, as people are shown it, and whether nobody had asked for it before. */
  addressOf(ctx: Ctx, walletId: string): Promise<{ address: string; isNew: boolean }>;
  /** The address of a wallet that was asked for before; else null. */
  knownAddressOf(ctx: Ctx, walletId: string): Promise<string | null>;
}

/** The rails that take deposits, by their names. */
export const depositRails = connections<DepositRail>('rails that take deposits');

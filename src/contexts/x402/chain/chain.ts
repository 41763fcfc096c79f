// A chain, as its provider serves it: what the token contract says, and the addresses of wallets on it (CONTRACT.md 9). Who runs the
// platform connects one for each network; in the sandbox there is one that lives in PostgreSQL.
import { connections } from '../../../platform/connection.js';
import type { Ctx } from '../../../platform/ctx.js';
import { DependencyUnavailable } from '../../../platform/errors.js';
import type { Bytes32, ChainAddress } from './address.js';
import type { TransferAuthorization } from './transfer-authorization.js';

/**
 * What came of an authorization that was handed in: the transaction that carried it out, or why the contract refuses it. A chain that
 * throws, or does not answer in time, has said nothing: authorizationState() is asked.
 */
export type ChainAnswer = { state: 'done'; txHash: string } | { state: 'refused'; reason: 'insufficient_funds' | 'nonce_used' };

/** An authorization that the chain has executed: its owner may have signed several with one nonce, of which one is executed. */
export interface ExecutedAuthorization {
  txHash: string;
  to: ChainAddress;
  value: bigint;
}

/** The methods of the token contract that payments need; amounts in base units. */
export interface Chain {
  network: string;
  balanceOf(ctx: Ctx, address: ChainAddress): Promise<bigint>;
  /** The transaction that used a nonce, and what it moved; null while it is unused. */
  authorizationState(ctx: Ctx, from: ChainAddress, nonce: Bytes32): Promise<ExecutedAuthorization | null>;
  /** Carries out an authorization whose signature was verified, once. */
  transferWithAuthorization(ctx: Ctx, authorization: TransferAuthorization, signature: string): Promise<ChainAnswer>;
  /** The address of a wallet, always the same: what reaches it is the wallet's. */
  depositAddress(ctx: Ctx, walletId: string): Promise<ChainAddress>;
}

/** The chains that somebody serves, by their networks. */
export const chains = connections<Chain>('chains');

/** The answer of a chain to a read that nothing depends on yet. 503 for one that fails. */
export async function chainAnswer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new DependencyUnavailable('The chain', error);
  }
}

/** The chain of a network in the environment of the workspace, if somebody serves it. */
export function chainOf({ platform, workspace }: Pick<Ctx, 'platform' | 'workspace'>, network: string): Chain | undefined {
  return platform.extensions.of(chains).of(workspace, network);
}

// A chain, as its provider serves it: what the token contract says, and the addresses of wallets on it (CONTRACT.md 9). Who runs the
// platform connects one for each network; in the sandbox there is one that lives in PostgreSQL.
import { connections } from '../../../platform/connection.js';
import type { Ctx } from '../../../platform/ctx.js';
import { DependencyUnavailable } from '../../../platform/errors.js';
import type { ChainAddress } from './address.js';
import type { ChainNetwork } from './network.js';
import type { TransferAuthorization } from './transfer-authorization.js';

/** Why a chain does not carry an authorization out, in the words of x402 where it has one. `reorged`: it did, and the block is in the chain no more. */
export type ChainRefusal =
  | 'insufficient_funds'
  | 'invalid_transaction_state'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_payload_signature'
  | 'invalid_payment_requirements'
  | 'transaction_simulation_failed'
  | 'payer_refused'
  | 'reorged';

/**
 * What came of an authorization that was handed in. `settled`: a transaction in a block has carried it out, and the money is credited when that
 * block is deep. `done`: the money has come. `pending`: nothing is decided; the transaction is one that may carry it out, if there is one.
 */
export type ChainAnswer =
  | { state: 'pending'; txHash: string | null }
  | { state: 'settled' | 'done'; txHash: string }
  | { state: 'refused'; reason: ChainRefusal };

/** An authorization whose signature was verified, and the payment that it is for. */
export interface ChainOrder {
  paymentId: string;
  authorization: TransferAuthorization;
  signature: string;
}

/** What payments need of a chain; amounts in base units of its token. */
export interface Chain {
  own: ChainNetwork;
  /** Throws 503 where it takes no payments now. */
  admit(ctx: Ctx): Promise<void>;
  /** Why it would not carry an authorization out now, whose signature was verified; null where it would. */
  faultOf(ctx: Ctx, authorization: TransferAuthorization, signature: string): Promise<ChainRefusal | null>;
  /**
   * Hands an authorization in, once, and says what came of it; asked again, what has come of it since. One that throws, or does not answer in
   * time, has said nothing.
   */
  settle(ctx: Ctx, order: ChainOrder): Promise<ChainAnswer>;
  /** How many blocks confirm the transaction of a payment; null where it is in none, or blocks do not count. */
  confirmations(ctx: Ctx, paymentId: string): Promise<number | null>;
  /** The address of a wallet, always the same: what reaches it is the wallet's. */
  depositAddress(ctx: Ctx, walletId: string): Promise<ChainAddress>;
}

/** The chains that somebody serves, by their networks. */
export const chains = connections<Chain>('chains');

type Where = Pick<Ctx, 'platform' | 'workspace'>;

/** The answer of a chain to a read that nothing depends on yet. 503 for one that fails. */
export async function chainAnswer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new DependencyUnavailable('The chain', error);
  }
}

/** The chains that are served in the environment of the workspace. */
export function servedChains({ platform, workspace }: Where): Chain[] {
  return platform.extensions.of(chains).in(workspace);
}

/** The chain of a name, in either version of the protocol, if somebody serves it in the environment of the workspace. */
export function chainOf({ platform, workspace }: Where, name: string): Chain | undefined {
  const connected = platform.extensions.of(chains);
  return connected.of(workspace, name) ?? connected.in(workspace).find(({ own }) => own.nameV1 === name);
}

/** True for a network whose chain may take longer than a request. */
export function decidesLater(where: Where, { network }: { network: string }): boolean {
  return chainOf(where, network)?.own.decidesLater === true;
}

// The networks of x402: the ledger of the platform, and chains whose token is known (CONTRACT.md 9). Both are named as CAIP-2 names them.
import type { Ctx } from '../../../platform/ctx.js';
import type { ChainAddress } from './address.js';

/** A chain, and the token on it that payments are made in. */
export interface ChainNetwork {
  network: `eip155:${number}`;
  /** What version 1 of the protocol calls it. */
  nameV1: string;
  chainId: bigint;
  currency: 'USDC';
  token: { address: ChainAddress; name: string; version: string };
  /** The rail in whose clearing account money from the chain arrives. */
  rail: string;
  /** Seconds for which a payer is asked to sign. */
  timeoutSeconds: number;
  /** True where the chain may take longer than a request: the same payload may be sent again, to hear what came of it. */
  decidesLater: boolean;
}

/** The chain of the sandbox. */
export const simulatedNetwork: ChainNetwork = {
  network: 'eip155:84532',
  nameV1: 'base-sepolia',
  chainId: 84_532n,
  currency: 'USDC',
  token: { address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', name: 'USDC', version: '2' },
  rail: 'usdc-base',
  timeoutSeconds: 60,
  decidesLater: false,
};

/** The network for money inside of the platform. */
export function ledgerNetwork({ workspace }: Pick<Ctx, 'workspace'>): string {
  return `ledger:${workspace.environment}`;
}

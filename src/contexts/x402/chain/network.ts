// The networks of x402: the ledger of the platform, and chains whose token is known (CONTRACT.md 9). Both are named as CAIP-2 names them.
import type { Ctx, Environment } from '../../../platform/ctx.js';
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
}

const chains: Readonly<Record<Environment, ChainNetwork>> = {
  test: {
    network: 'eip155:84532',
    nameV1: 'base-sepolia',
    chainId: 84_532n,
    currency: 'USDC',
    token: { address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', name: 'USDC', version: '2' },
    rail: 'usdc-base',
  },
  live: {
    network: 'eip155:8453',
    nameV1: 'base',
    chainId: 8_453n,
    currency: 'USDC',
    token: { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', name: 'USD Coin', version: '2' },
    rail: 'usdc-base',
  },
};

type Where = Pick<Ctx, 'workspace'>;

/** The network for money inside of the platform. */
export function ledgerNetwork({ workspace }: Where): string {
  return `ledger:${workspace.environment}`;
}

/** The chain of a name, in either version of the protocol, in the environment of the workspace. */
export function chainNetwork({ workspace }: Where, name: string): ChainNetwork | undefined {
  const chain = chains[workspace.environment];
  return name === chain.network || name === chain.nameV1 ? chain : undefined;
}

/** The chain of the environment. */
export function ownChain({ workspace }: Where): ChainNetwork {
  return chains[workspace.environment];
}

// Deposit addresses of the sandbox: those of the simulated chain.
import type { Connection } from '../../platform/connection.js';
import { checksummed } from '../x402/chain/address.js';
import { depositFor, depositOf } from '../x402/chain/deposit.js';
import { simulatedNetwork } from '../x402/chain/network.js';
import type { DepositRail } from './deposit-rail.js';

const { network, chainId, token, rail } = simulatedNetwork;

// Gap G-850: The sandbox has deposit addresses on the simulated chain for `usdc-base`; what is minted to one is no deposit.
/** The rail of the simulated chain. Its blocks are as deep as they ever are when they are made. */
export const simulatedDeposits: readonly Connection<DepositRail>[] = [
  {
    environment: 'test',
    name: rail,
    provider: {
      network,
      chainId,
      token: checksummed(token.address),
      minimum: 0n,
      confirmations: 1,
      addressOf: async (ctx, walletId) => {
        const isNew = (await depositOf(ctx, network, walletId)) === null;
        return { address: checksummed(await depositFor(ctx, network, walletId)), isNew };
      },
      knownAddressOf: async (ctx, walletId) => {
        const address = await depositOf(ctx, network, walletId);
        return address === null ? null : checksummed(address);
      },
    },
  },
];

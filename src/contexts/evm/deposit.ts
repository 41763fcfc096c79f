// A chain as a rail that takes deposits: each wallet has an address on it.
import type { Ctx } from '../../platform/ctx.js';
import type { DepositRail } from '../funding/deposit-rail.js';
import { checksummed } from '../x402/chain/address.js';
import { addressFor } from './address.js';
import { isKnown } from './address.sql.js';
import type { EvmChain } from './chain.js';

/** What a chain is to whoever asks for deposit addresses; null where the file says nothing of deposits. */
export function depositRailOf(chain: EvmChain): DepositRail | null {
  const { chainId, network, setting, token, depositAddress } = chain;
  if (depositAddress === null) return null;
  return {
    network,
    chainId,
    token: checksummed(token),
    minimum: setting.deposit_minimum,
    confirmations: chain.credit,
    addressOf: async ({ platform, workspace, clock }: Ctx, walletId) => {
      const { address, isNew } = await addressFor(platform, chain, { workspaceId: workspace.id, walletId }, clock.now());
      return { address: checksummed(address), isNew };
    },
    knownAddressOf: async ({ platform }: Ctx, walletId) => {
      const address = depositAddress(walletId);
      return (await isKnown(platform.database.pool, chainId, address)) ? checksummed(address) : null;
    },
  };
}

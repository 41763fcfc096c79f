// The address of a wallet on a chain: where deposits and x402 payments reach it. It follows from the wallet's id and the xpub of the file, so it
// is the same after every restore. It is kept, so that what reaches it is looked for.
import type { Platform } from '../../platform/ctx.js';
import { DependencyUnavailable } from '../../platform/errors.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { noteAsked } from './address.sql.js';
import type { EvmChain } from './chain.js';

// Gap G-857: Until the chain was read for the first time there are no deposit addresses (503): what reaches one then would not be seen.
/** The address of a wallet, and whether nobody had asked for it before. 503 before the chain was read for the first time. */
export async function addressFor(
  { database }: Pick<Platform, 'database'>,
  { chainId, rail, depositAddress }: Pick<EvmChain, 'chainId' | 'rail' | 'depositAddress'>,
  { workspaceId, walletId }: { workspaceId: string; walletId: string },
  at: Date,
): Promise<{ address: ChainAddress; isNew: boolean }> {
  if (depositAddress === null) throw new Error(`the file of rails says nothing of deposits over ${rail}`);
  const address = depositAddress(walletId);
  const isNew = await noteAsked(database.pool, { chainId, address, workspaceId, walletId, at });
  if (isNew === null) throw new DependencyUnavailable('The chain');
  return { address, isNew };
}

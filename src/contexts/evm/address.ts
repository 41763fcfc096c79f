// The address of a wallet on a chain: where deposits and x402 payments reach it. It follows from the wallet's id and the xpub of the file, so it
// is the same after every restore. It is kept, so that what reaches it is looked for.
import type { Platform } from '../../platform/ctx.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { noteAsked } from './address.sql.js';
import type { EvmChain } from './chain.js';

/** The address of a wallet, and whether nobody had asked for it before. Throws where the file says nothing of deposits on the chain. */
export async function addressFor(
  { database }: Pick<Platform, 'database'>,
  { chainId, rail, depositAddress }: Pick<EvmChain, 'chainId' | 'rail' | 'depositAddress'>,
  { workspaceId, walletId }: { workspaceId: string; walletId: string },
  at: Date,
): Promise<{ address: ChainAddress; isNew: boolean }> {
  if (depositAddress === null) throw new Error(`the file of rails says nothing of deposits over ${rail}`);
  const address = depositAddress(walletId);
  return { address, isNew: await noteAsked(database.pool, { chainId, address, workspaceId, walletId, at }) };
}

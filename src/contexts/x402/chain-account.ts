// The faucet of the simulated chain (CONTRACT.md 9): tokens for an address of the sandbox, and what it has.
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, TestModeOnly } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { parseMinor } from '../../platform/money.js';
import { type Address, parseAddress } from './address.js';
import { creditBalance } from './chain.sql.js';
import { ownChain } from './network.js';

export interface ChainAccount {
  address: string;
  /** Base units of the token. */
  balance: bigint;
  currency: string;
}

/** What an address has; nothing for one that was never heard of. 403 `test_mode_only`, 404 for what is no address. */
export async function chainAccount(ctx: Ctx, text: string): Promise<ChainAccount> {
  refuseLive(ctx);
  const address = parseAddress(text);
  if (address === null) throw new NotFound();
  const { network, currency } = ownChain(ctx);
  const row = await ctx.db.chainBalance.findFirst({ where: { network, address } });
  return { address, balance: row?.balance ?? 0n, currency };
}

/** Mints tokens for an address. 403 `test_mode_only`. */
export async function fundChainAccount(ctx: Ctx, input: { address: string; amount: string }): Promise<ChainAccount> {
  refuseLive(ctx);
  const { network, currency } = ownChain(ctx);
  const amount = parseMinor(input.amount, currency, ['amount']);
  const address = input.address.toLowerCase() as Address;
  const mint = async (tx: Parameters<typeof creditBalance>[1]) => ({
    address,
    currency,
    balance: await creditBalance(ctx, tx, network, address, amount),
  });
  return transact(ctx, mint, () => address);
}

function refuseLive({ workspace }: Ctx): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Only the sandbox has a simulated chain.');
}

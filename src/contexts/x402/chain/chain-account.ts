// The faucet of the simulated chain (CONTRACT.md 9): tokens for an address of the sandbox, and what it has.
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, TestModeOnly, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { type ChainAddress, parseAddress } from './address.js';
import { creditBalance } from './chain.sql.js';
import { simulatedNetwork } from './network.js';

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
  const { network, currency } = simulatedNetwork;
  const row = await ctx.db.chainBalance.findFirst({ where: { network, address } });
  return { address, balance: row?.balance ?? 0n, currency };
}

// Gap G-395: The faucet gives an address as much as a wallet can hold; more is 400.
/** What the faucet ever makes of a balance, base units: as much as a wallet can hold. */
const mostMinted = 9n * 10n ** 17n;

/** Mints tokens for an address. 403 `test_mode_only`, 400 for more than an address is ever given. */
export async function fundChainAccount(ctx: Ctx, input: { address: string; amount: string }): Promise<ChainAccount> {
  refuseLive(ctx);
  const { network, currency } = simulatedNetwork;
  const amount = parseMinor(input.amount, currency, ['amount']);
  const address = input.address.toLowerCase() as ChainAddress;
  const mint = async (tx: Parameters<typeof creditBalance>[1]) => {
    const balance = await creditBalance(ctx, tx, network, address, amount);
    if (balance <= mostMinted) return { address, currency, balance };
    const message = `would make more than the ${formatMinor(mostMinted, currency)} that an address is ever given`;
    throw new ValidationFailed([{ path: ['amount'], message, rule: 'max' }]);
  };
  return transact(ctx, mint, () => address);
}

function refuseLive({ workspace }: Ctx): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Only the sandbox has a simulated chain.');
}

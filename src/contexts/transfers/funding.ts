// Money into a sandbox wallet from `world` (CONTRACT.md 1 and 19).
import type { Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { guardsOf } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, TestModeOnly } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import type { FundWalletInput } from './transfer.input.js';
import { transferPosting, transferRow } from './transfer.js';

// Gap G-51: Sandbox funding is a transfer of type `internal` without a payer, from the workspace's `world` account.
/** Mints test money into a wallet. 403 `test_mode_only` in production, 422 `currency_mismatch`. */
export async function fundWallet(ctx: Ctx, input: FundWalletInput & { id: string }): Promise<Transfer> {
  if (ctx.workspace.environment !== 'test') throw new TestModeOnly('Wallets can be funded directly in the sandbox only.');
  const to = await walletRef(ctx, input.id);
  if (to === null) throw new NotFound();
  const currency = (input.currency ?? to.currency) as Currency;
  if (currency !== to.currency) throw new CurrencyMismatch(to.walletId, to.currency, currency);
  const value = {
    type: 'internal',
    protocol: 'internal',
    from: { ledgerAccountId: await unboundedAccount(ctx, 'world', currency) },
    to,
    amount: parseMinor(input.amount, currency, ['amount']),
    currency,
    at: ctx.clock.now(),
  } as const;
  const transfer = transferRow(ctx, value);
  const rules = await rulebook(ctx);
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits: [], guards: guardsOf(ctx), rules }), { key: transfer.id });
  return transfer;
}

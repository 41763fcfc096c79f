// Money into a sandbox wallet from `world` (Gap G-44) (CONTRACT.md 1 and 19).
import type { Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { postGrouped } from '../../ledger/group-commit.js';
import { move, posting, spenderOf } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, TestModeOnly } from '../../platform/errors.js';
import { event } from '../../platform/events.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import { purse } from '../accounts/purse.js';
import { transferData, transferSides } from './events.js';
import { newTransfer } from './transfer.js';

export interface FundWalletInput {
  id: string;
  amount: string;
  currency?: Currency | null | undefined;
}

/** Mints test money into a wallet. 403 `test_mode_only` in production, 422 `currency_mismatch`. */
export async function fundWallet(ctx: Ctx, input: FundWalletInput): Promise<Transfer> {
  if (ctx.workspace.environment !== 'test') throw new TestModeOnly('Wallets are funded by hand in the sandbox only.');
  const to = await purse(ctx, input.id);
  if (to === null) throw new NotFound();
  const currency = (input.currency ?? to.currency) as Currency;
  if (currency !== to.currency) throw new CurrencyMismatch(`The wallet holds ${to.currency}, not ${currency}.`);
  const amount = parseMinor(input.amount, currency, ['amount']);
  const at = ctx.clock.now();
  const transfer = newTransfer(
    ctx,
    { type: 'internal', amount: input.amount, currency },
    { from: null, to, amount, at, later: false, agentId: undefined },
  );
  const data = transferData(transfer);
  const about = { objectId: transfer.id };
  const value = posting(ctx, {
    at,
    transferId: transfer.id,
    transfer,
    legs: move(currency, amount, await unboundedAccount(ctx, 'world', currency), to.ledger.available),
    spender: spenderOf(ctx.actor),
    events: [
      event(at, 'transfer.created', data, about),
      event(at, 'transfer.completed', data, { ...about, sides: transferSides(transfer, null, to) }),
    ],
  });
  const claim = ctx.idempotency;
  await postGrouped(ctx.platform.database, claim === undefined ? value : { ...value, claim: { key: claim, reference: transfer.id } });
  return transfer;
}

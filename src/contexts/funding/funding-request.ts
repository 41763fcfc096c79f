// Funding as it is asked for. What a rail brings is stored with its transfer and nothing is credited yet; what the sandbox makes is
// credited at once (CONTRACT.md 12).
import type { FundingTransaction, Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { guardsOf, type Posting, posting } from '../../ledger/posting.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import { newId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { collectionFee, type Rail } from '../settlement/rail/rail.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import type { CreateFundingTransactionInput } from './funding.input.js';
import { fundingRow, pendingTransfer } from './funding-row.js';
import { railToFund } from './provider.js';

/** The most that a rail is asked to bring at once, minor units: what arrives has to fit into its wallet. */
const most = 10n ** 15n;

/** Everything that is known before the ledger is asked. */
interface Plan {
  id: string;
  input: CreateFundingTransactionInput;
  to: WalletRef;
  /** Null: the sandbox. */
  rail: Rail | null;
  fee: bigint;
  value: NewTransfer;
}

/** Brings money in. 404, 422 `currency_mismatch` and `unsupported_rail`, 403 for a closed wallet, 503 without a provider. */
export async function createFundingTransaction(ctx: Ctx, input: CreateFundingTransactionInput): Promise<FundingTransaction> {
  const plan = await planFunding(ctx, input);
  const made = await transact(
    ctx,
    async (tx) => {
      const { transfer, money } = await draft(within(ctx, tx), plan);
      const { workspaceId: _, ...row } = rowOfPlan(ctx, plan, transfer);
      const funding = await tx.fundingTransaction.create({ data: row });
      await postSpend(ctx, money, { in: tx });
      return funding;
    },
    ({ id }) => id,
  );
  if (made.dueAt !== null) ringAt(ctx, 'funding_transaction', made.dueAt);
  return made;
}

async function planFunding(ctx: Ctx, input: CreateFundingTransactionInput): Promise<Plan> {
  const { walletId, currency, type, sourceRef } = input;
  const amount = parseMinor(input.amount, currency, ['amount']);
  if (type === 'card' && sourceRef != null) checkNoCardNumber(sourceRef);
  const to = await walletRef(ctx, walletId);
  if (to === null) throw new NotFound('walletId');
  if (to.currency !== currency) throw new CurrencyMismatch(to.walletId, to.currency, currency);
  const rail = await railToFund(ctx, input);
  const fee = rail === null ? 0n : collectionFee(rail, amount);
  if (rail !== null) checkAmount(amount, fee, currency);
  const id = newId(ctx.clock.now());
  const source = await unboundedAccount(ctx, rail === null ? 'world' : `rail.clearing:${rail.name}`, currency);
  const subject = { type: 'funding_transaction', id };
  const parties = { from: { ledgerAccountId: source }, to };
  const value = { type: 'internal', protocol: 'internal', ...parties, amount, currency, at: ctx.clock.now(), subject } as const;
  return { id, input, to, rail, fee, value };
}

// Gap G-168: `source_ref` is the provider's name for the source, 128 characters at most; what looks like a card number is 400.
/** 400 for what looks like the number of a card: it is the provider's to keep. */
function checkNoCardNumber(sourceRef: string): void {
  if (!/^(?:\d[ -]?){12,19}$/.test(sourceRef)) return;
  throw new ValidationFailed([
    { path: ['sourceRef'], message: 'is the number of a card: send the token of the provider', rule: 'card_number' },
  ]);
}

function checkAmount(amount: bigint, fee: bigint, currency: string): void {
  const [least, largest] = [formatMinor(fee, currency), formatMinor(most, currency)];
  if (amount <= fee) throw new ValidationFailed([{ path: ['amount'], message: `is not more than the fee of ${least}`, rule: 'min' }]);
  if (amount > most) throw new ValidationFailed([{ path: ['amount'], message: `is more than ${largest}`, rule: 'max' }]);
}

/** The transfer and what is posted with it: the money of the sandbox, or the transfer alone until its rail has settled. */
async function draft(ctx: Ctx, { rail, fee, value, to }: Plan): Promise<{ transfer: Transfer; money: Posting }> {
  const made = transferRow(ctx, value);
  const guards = guardsOf(ctx);
  if (rail === null) {
    const rules = await rulebook(ctx);
    return { transfer: made, money: transferPosting(ctx, made, value, { limits: [], guards, rules }) };
  }
  const { transfer, records } = pendingTransfer(ctx, made, fee);
  const payee = { kind: 'payee', id: to.walletId } as const;
  return {
    transfer,
    money: posting(ctx, { at: value.at, transferId: transfer.id, legs: [], guards: [...guards, payee], records }),
  };
}

function rowOfPlan(ctx: Ctx, { id, input, to, rail, fee }: Plan, transfer: Transfer): FundingTransaction {
  const { provider, type, sourceRef = null } = input;
  const row = fundingRow(ctx, { id, provider, type, sourceRef, rail: rail?.name ?? 'sandbox', to, fee }, transfer);
  return rail === null ? { ...row, status: 'completed', completedAt: row.createdAt } : { ...row, dueAt: row.createdAt };
}

// A spend that nobody makes: what the whole pipeline would say of it, with what is used and left of every limit (CONTRACT.md 6).
import { move, posting } from '../../../ledger/posting.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, NotFound } from '../../../platform/errors.js';
import { type Currency, parseMinor } from '../../../platform/money.js';
import { newId } from '../../../platform/schema/id.js';
import { agentWalletRef, defaultWalletRef, type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { actingAgent } from '../../agents/agent.js';
import type { Decision } from '../pipeline/decision.js';
import { type Draft, type SpendForm, tryOut } from '../pipeline/execution.js';
import { isDeciding } from '../pipeline/layer.js';
import { type Authority, authorizeSpend } from '../pipeline/pipeline.js';
import type { EvaluateSpendInput } from './policy-evaluation.input.js';

/** A spend that is only asked about. */
interface Question {
  from: WalletRef;
  to: WalletRef | null;
  amount: bigint;
  currency: Currency;
}

/** What would be decided now. Changes nothing. A refusal by a layer of the pipeline is a decision, a faulty request an error. */
export async function evaluateSpend(ctx: Ctx, input: EvaluateSpendInput): Promise<Decision> {
  const { currency, protocol } = input;
  const amount = parseMinor(input.amount, currency, ['amount']);
  const from = await payingWallet(ctx, input);
  const to = await paidWallet(ctx, input);
  const [agentId, merchantId] = [input.agentId, input.merchantId ?? undefined];
  const authority = await authorizeSpend(ctx, { from, to, agentId, protocol, currency, amount, at: ctx.clock.now(), merchantId });
  const question = { from, to, amount, currency };
  const { decision, refusals } = await tryOut(ctx, authority, (form) => draftOf(ctx, authority, question, form));
  const faulty = refusals.find(({ layer }) => !isDeciding(layer));
  if (faulty !== undefined) throw faulty.error;
  return decision;
}

/**
 * A posting that asks what that of a spend would ask. The money only changes its pocket within the wallet, because the way to the payee
 * is for the protocol to say; it is rolled back in any event.
 */
function draftOf(ctx: Ctx, { at, guards }: Authority, { from, to, amount, currency }: Question, form: SpendForm): Draft<null> {
  const id = newId(at);
  const payee = to === null ? [] : [{ kind: 'payee', id: to.walletId } as const];
  const legs = move(currency, amount, from.ledger.available, from.ledger.held);
  return {
    value: null,
    posting: posting(ctx, { id, at, transferId: null, legs, limits: form.limits, guards: [...guards, ...payee] }),
    // Tried as a transfer would be: what it is about has to be something that can be approved.
    request: { subject: { subjectType: 'transfer', subjectId: id }, transferId: id, description: null, execution: {} },
  };
}

// Gap G-103: Without `wallet_id` the payer is the agent's oldest wallet that is not closed, an active one first, else its account's.
/** The wallet that is named, else the agent's oldest in the currency, else its account's. */
async function payingWallet(ctx: Ctx, { agentId, walletId, currency }: EvaluateSpendInput): Promise<WalletRef> {
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) throw new NotFound('agentId');
  if (walletId == null) {
    const found = (await agentWalletRef(ctx, agentId, currency)) ?? (await defaultWalletRef(ctx, agent.parentAccountId, currency));
    if (found === null) throw new NotFound('walletId');
    return found;
  }
  const named = await walletRef(ctx, walletId);
  if (named === null) throw new NotFound('walletId');
  if (named.currency !== currency) throw new CurrencyMismatch(named.walletId, named.currency, currency);
  return named;
}

/** The wallet that is named, else the one where the named merchant's money goes; null for what is outside, or not known. */
async function paidWallet(ctx: Ctx, { toWalletId, merchantId }: EvaluateSpendInput): Promise<WalletRef | null> {
  const merchant =
    merchantId == null ? null : await ctx.db.merchant.findFirst({ where: { id: merchantId }, select: { settlementWalletId: true } });
  if (merchantId != null && merchant === null) throw new NotFound('merchantId');
  const id = toWalletId ?? merchant?.settlementWalletId;
  if (id == null) return null;
  const found = await walletRef(ctx, id);
  if (found === null) throw new NotFound('toWalletId');
  return found;
}

// What buyers ask for: the price of a call, and to pay it from a wallet of the platform (CONTRACT.md 9).
import type { X402Endpoint, X402Quote } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { declareError, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { newId, parseId, printId } from '../../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import type { Decision } from '../../spending/pipeline/decision.js';
import type { DryRun } from '../../spending/pipeline/dry-run.js';
import { tryOut } from '../../spending/pipeline/execution.js';
import { checkPresentation, presentedMandate } from '../../spending/pipeline/mandate.js';
import { checkMandateAgent } from '../../spending/pipeline/mandate-rule.js';
import { ledgerNetwork } from '../chain/network.js';
import { endpoint, payableEndpoint } from '../endpoint/endpoint.js';
import { isOffer, offersOf, type PaymentOption } from '../endpoint/offer.js';
import { priceFor } from '../endpoint/price.js';
import { PaymentInvalid, UnsupportedNetwork } from '../errors.js';
import { acceptsIn } from '../wire/wire.js';
import {
  draftLedgerPayment,
  dryRunLedgerPayment,
  type LedgerPaymentOrder,
  type MadePayment,
  payOnLedger,
  planLedgerPayment,
} from './ledger-payment.js';
import type { PayX402Input, QuoteX402PaymentInput } from './payment.input.js';

/** Gap G-299: `payment_request_id` holds a price for a minute, for one payment and for the wallet that it was asked for. */
const quoteSeconds = 60;

/** 409: the price was promised for a minute. */
export class PaymentRequestExpired extends declareError(409, 'quote_expired') {
  constructor({ endpointId, walletId }: X402Quote) {
    const body = { endpoint_id: printId('x402Endpoint', endpointId), ...(walletId !== null && { from_wallet_id: walletId }) };
    super('The payment request has expired. Ask for a new one.', {
      details: { next_actions: [{ rel: 'quote', actor: 'any', method: 'POST', path: '/v1/x402/quote', body }] },
    });
  }
}

/** The price of a call, promised to a payer for a minute. */
export interface PaymentQuote {
  id: string;
  endpoint: X402Endpoint;
  amount: bigint;
  discount: bigint;
  expiresAt: Date;
  /** Whether the wallet has the money, and what its rules say; null where no wallet was named. */
  affordable: boolean | null;
  decision: Decision | null;
}

/** Asks what a call costs, and whether a wallet may and can pay it. 404, 409 for an endpoint that takes no payments. */
export async function quotePayment(ctx: Ctx, input: QuoteX402PaymentInput): Promise<PaymentQuote> {
  const demanded = await endpointOf(ctx, input);
  const from = input.fromWalletId == null ? null : await walletFor(ctx, input.fromWalletId);
  const { amount, discount } = await priceFor(ctx, demanded, from?.walletId ?? null);
  const judged = from === null ? null : await judge(ctx, { endpoint: demanded, from, amount });
  const at = ctx.clock.now();
  const row = await transact(ctx, (tx) =>
    tx.x402Quote.create({
      data: {
        id: newId(at),
        endpointId: demanded.id,
        walletId: from?.walletId ?? null,
        amount,
        createdAt: at,
        expiresAt: addSeconds(at, quoteSeconds),
      },
    }),
  );
  return quoteOf(row, demanded, discount, judged);
}

type Judgement = Pick<PaymentQuote, 'affordable' | 'decision'>;

function quoteOf(row: X402Quote, of: X402Endpoint, discount: bigint, judged: Judgement | null): PaymentQuote {
  const { id, amount, expiresAt } = row;
  return { id, endpoint: of, amount, discount, expiresAt, affordable: judged?.affordable ?? null, decision: judged?.decision ?? null };
}

/** A quote again, for a keyed request that is repeated; what the wallet's rules say is as of now. */
export async function quoteAgain(ctx: Ctx, id: string): Promise<PaymentQuote> {
  const row = await ctx.db.x402Quote.findFirst({ where: { id } });
  if (row === null) throw new NotFound();
  const of = await endpoint(ctx, row.endpointId);
  const from = row.walletId === null ? null : await walletRef(ctx, row.walletId);
  const judged = from === null ? null : await judge(ctx, { endpoint: of, from, amount: row.amount });
  return quoteOf(row, of, of.basePrice - row.amount, judged);
}

async function judge(ctx: Ctx, order: LedgerPaymentOrder): Promise<Judgement> {
  const plan = await planLedgerPayment(ctx, order);
  const { decision, refusals } = await tryOut(ctx, plan.authority, (form) => draftLedgerPayment(ctx, plan, form));
  return { affordable: refusals.every(({ layer }) => layer !== 'balance'), decision };
}

/** Pays for a call. 422 `payment_invalid` for a price above `maxAmount`, or one that is not offered; refusals of the pipeline. */
export async function pay(ctx: Ctx, input: PayX402Input): Promise<MadePayment> {
  return payOnLedger(ctx, await orderOf(ctx, input));
}

/** What pay() would do. */
export async function dryRunPay(ctx: Ctx, input: PayX402Input): Promise<DryRun> {
  return dryRunLedgerPayment(ctx, await orderOf(ctx, input));
}

async function orderOf(ctx: Ctx, input: PayX402Input): Promise<LedgerPaymentOrder> {
  checkPresentation(input);
  const from = await walletFor(ctx, input.fromWalletId);
  const { agentId, description, requestApproval } = input;
  const demanded = await demandOf(ctx, input, from);
  const mandate = await presentedMandate(ctx, input);
  if (mandate !== undefined) checkMandateAgent(mandate, agentId);
  return {
    ...demanded,
    from,
    amount: withinMaximum(demanded, input.maxAmount),
    agentId: agentId ?? undefined,
    mandate,
    description,
    requestApproval: requestApproval === true,
    request: { path: '/v1/x402/pay', body: () => ctx.platform.printInput('PayX402Input', input), amountMember: 'max_amount' },
  };
}

type Demanded = Pick<LedgerPaymentOrder, 'endpoint' | 'amount' | 'nonce' | 'identifier'>;

/** The endpoint, its price for the wallet, and the payment request that is used up, where there is one: by whichever wallet. */
async function demandOf(ctx: Ctx, input: PayX402Input, from: WalletRef): Promise<Demanded> {
  if (input.paymentRequestId != null) {
    const row = await ctx.db.x402Quote.findFirst({ where: { id: input.paymentRequestId } });
    if (row === null) throw new NotFound('paymentRequestId');
    if (row.expiresAt <= ctx.clock.now()) throw new PaymentRequestExpired(row);
    if (row.walletId !== null && row.walletId !== from.walletId)
      throw new ValidationFailed([{ path: ['fromWalletId'], message: 'is not the wallet that the price was promised to', rule: 'wallet' }]);
    const identifier = { kind: 'x402_nonce', key: `quote ${row.id}` } as const;
    return { endpoint: await payableEndpoint(ctx, row.endpointId, 'paymentRequestId'), amount: row.amount, nonce: row.id, identifier };
  }
  const of = await endpointOf(ctx, input);
  const { amount } = await priceFor(ctx, of, from.walletId);
  return { endpoint: of, amount };
}

/** 422 for a price above the maximum that the buyer has set; an `upto` payment authorizes that maximum at most. */
function withinMaximum({ endpoint: { scheme, currency }, amount }: Demanded, maxAmount: string | null | undefined): bigint {
  if (maxAmount == null) return amount;
  const most = parseMinor(maxAmount, currency, ['maxAmount']);
  if (amount <= most) return amount;
  if (scheme === 'upto') return most;
  throw new PaymentInvalid('max_amount_exceeded', `The call costs ${formatMinor(amount, currency)} ${currency}, more than max_amount.`, {
    price: formatMinor(amount, currency),
    terminal: true,
  });
}

/** The endpoint that is to be paid: named, or found in what its 402 said, which must be what it offers. */
async function endpointOf(
  ctx: Ctx,
  { endpointId, paymentRequired }: Pick<PayX402Input, 'endpointId' | 'paymentRequired'>,
): Promise<X402Endpoint> {
  if (endpointId != null) return payableEndpoint(ctx, endpointId, 'endpointId');
  const accepts = acceptsIn(paymentRequired ?? {});
  const wanted = accepts.find(({ network }) => network === ledgerNetwork(ctx));
  if (wanted === undefined) throw new UnsupportedNetwork(accepts[0]?.network ?? 'none');
  const id = parseId('x402Endpoint', wanted.extra['endpoint_id']);
  if (id === null) throw new NotFound('paymentRequired');
  const found = await payableEndpoint(ctx, id, 'paymentRequired');
  if (!(await offersOf(ctx, found)).some((offer) => isOffer(wanted as PaymentOption, offer))) {
    throw new PaymentInvalid('invalid_payment_requirements', 'The endpoint does not offer this: ask it for its 402 again.', {
      next_actions: [
        { rel: 'challenge', actor: 'any', method: 'GET', path: `/v1/x402/endpoints/${printId('x402Endpoint', id)}/challenge` },
      ],
    });
  }
  return found;
}

async function walletFor(ctx: Ctx, walletId: string): Promise<WalletRef> {
  const found = await walletRef(ctx, walletId);
  if (found === null) throw new NotFound('fromWalletId');
  return found;
}

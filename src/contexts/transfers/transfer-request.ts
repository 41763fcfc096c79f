// What callers ask for: a transfer between wallets of the platform, or within one, now, held, or at a set time (CONTRACT.md 2).
import { writeEvents } from '../../events/event.js';
import type { CaptureBy, Quote, Transfer } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { isUniqueViolation } from '../../platform/postgres/failure.js';
import { newId, printId } from '../../platform/schema/id.js';
import { defaultWalletRef, type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { type Draft, executeSpend, type SpendForm } from '../spending/pipeline/execution.js';
import { presentedMandate } from '../spending/pipeline/mandate.js';
import { checkMandateAgent, checkMandateCurrency, type EnforcedMandate } from '../spending/pipeline/mandate-rule.js';
import { type Authority, authorizeSpend } from '../spending/pipeline/pipeline.js';
import { duplicateReference, refuseReferenceOfBefore } from '../spending/pipeline/reference.js';
import { isOutside, walletOfDestination } from './destination.js';
import { SameWallet } from './errors.js';
import { event, transferData } from './events.js';
import { type CurrencyExchange, exchangeAccounts } from './exchange.js';
import { externalOf } from './external-transfer.js';
import { openQuote } from './quote.js';
import { checkRequest, isWithinWallet } from './request-shape.js';
import type { CreateTransferInput, MoveWithinWalletInput } from './transfer.input.js';
import {
  type CreatedTransfer,
  defaultHoldSeconds,
  type NewTransfer,
  postingClaimsOf,
  type TransferPart,
  transferEventSubject,
  transferPosting,
  transferRow,
} from './transfer.js';
import { withholdingOf } from './withholding.js';

/**
 * Creates a transfer: posted at once (completed), held until captured or approved, or kept until its time (all pending). The whole
 * pipeline runs inside the posting; refusals are 403 or 422 and leave nothing behind.
 */
export async function createTransfer(ctx: Ctx, input: CreateTransferInput, part?: TransferPart): Promise<CreatedTransfer> {
  if (isOutside(input.destination)) return externalOf(ctx).transfer(ctx, input, part);
  const plan = await planTransfer(ctx, input, part);
  const { value, authority } = plan;
  const id = part?.id ?? newId(value.at);
  if (value.scheduledFor !== undefined) {
    const transfer = transferRow(ctx, value, id);
    await transact(ctx, async (tx) => {
      await insertScheduled(ctx, tx, transfer, value);
      return transfer;
    });
    ringAt(ctx, 'transfer', value.scheduledFor);
    return { transfer, approval: null };
  }
  const { value: transfer, approval } = await executeSpend(ctx, authority, (form) => draftTransfer(ctx, id, plan, form), {
    key: id,
    requestApproval: input.requestApproval === true,
  });
  if (transfer.dueAt !== null) ringAt(ctx, 'transfer', transfer.dueAt);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
  return { transfer, approval };
}

/** Moves money between a wallet's spendable and its stream-ready bucket. 404 for an unknown wallet. */
export async function moveWithinWallet(
  ctx: Ctx,
  { id, ...input }: MoveWithinWalletInput & { id: string; type: 'wrap' | 'unwrap' },
): Promise<Transfer> {
  const found = await walletRef(ctx, id);
  if (found === null) throw new NotFound();
  const { transfer } = await createTransfer(ctx, { ...input, fromWalletId: id, currency: found.currency as Currency });
  return transfer;
}

/** Writes a transfer whose time has not come, and emits transfer.created. 409 for a reference that another has. */
export async function insertScheduled(ctx: Ctx, tx: Tx, transfer: Transfer, value: NewTransfer): Promise<void> {
  const { workspaceId, protocolMetadata, sharedMetadata, destination: _, ...row } = transfer;
  const facts = { ...(protocolMetadata !== null && { protocolMetadata }), ...(sharedMetadata !== null && { sharedMetadata }) };
  const said = { metadata: transfer.metadata as object, ...facts };
  await tx.transfer.create({ data: { ...row, ...said } });
  const claims = postingClaimsOf(transfer, value);
  const reference = claims.find(({ kind }) => kind === 'reference');
  if (reference !== undefined) await refuseReferenceOfBefore(tx, reference);
  try {
    await tx.claim.createMany({ data: claims });
  } catch (error) {
    throw isUniqueViolation(error) ? duplicateReference(reference?.key ?? '') : error;
  }
  const about = { at: transfer.createdAt, ...transferEventSubject(transfer) };
  await writeEvents(tx, workspaceId, [event(ctx, 'transfer.created', transferData(transfer), about)]);
}

/** Everything that can be known of a transfer before the ledger is asked. */
export interface TransferPlan {
  value: NewTransfer;
  authority: Authority;
}

/** Reads the parties of a transfer and what binds it. */
export async function planTransfer(ctx: Ctx, input: CreateTransferInput, part?: TransferPart): Promise<TransferPlan> {
  checkRequest(input);
  const { type } = input;
  const at = ctx.clock.now();
  const sums = await sumsOf(ctx, input);
  // Gap G-159: A quote with `rail` is for a destination of that rail, because it contains its fee; one without is for wallets.
  if (sums.quote?.rail != null) {
    throw new ValidationFailed([{ path: ['quoteId'], message: 'is for a rail, whose fee it contains: ask for one without' }]);
  }
  const { amount, currency } = sums;
  const [from, to] = await parties(ctx, input, sums);
  const mandate = await mandateOf(ctx, input, currency);
  const protocol = mandate !== undefined ? 'ap2' : type === 'cross_border' ? 'cross_border' : 'internal';
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId: input.agentId ?? mandate?.agentId,
    mandate,
    protocol,
    currency,
    amount,
    at,
    request: { path: '/v1/transfers', body: () => ctx.platform.printInput('CreateTransferInput', between(from, to, input)) },
    requestApproval: input.requestApproval === true,
  });
  const isLater = input.scheduledFor != null && input.scheduledFor > at;
  const value: NewTransfer = {
    type,
    protocol,
    from,
    to,
    amount,
    currency,
    at,
    exchange: await exchangeOf(ctx, sums),
    agentId: authority.agentId,
    hold: holdOf(input, at, mandate === undefined ? 'payer' : 'payee'),
    scheduledFor: isLater ? (input.scheduledFor ?? undefined) : undefined,
    description: input.description,
    reference: input.reference,
    metadata: input.metadata,
    sharedMetadata: input.sharedMetadata,
    origin: part?.origin,
    mandateId: mandate?.id,
    ...(mandate !== undefined && (await executionFacts(ctx, authority, to))),
    claims: part?.claims,
  };
  return { value, authority };
}

/** The hold of a request, where it asks for one: whom the payer does not name, `captor` captures it. */
export function holdOf(
  { capture, captureBy, holdExpiresIn }: Pick<CreateTransferInput, 'capture' | 'captureBy' | 'holdExpiresIn'>,
  at: Date,
  captor: CaptureBy,
): NewTransfer['hold'] {
  if (capture !== 'manual') return undefined;
  return { expiresAt: addSeconds(at, holdExpiresIn ?? defaultHoldSeconds), captureBy: captureBy ?? captor };
}

/** The mandate that a request presents. 409 and 422 for one that is not in force, 422 for another currency, 400 for another agent. */
async function mandateOf(ctx: Ctx, input: CreateTransferInput, currency: string): Promise<EnforcedMandate | undefined> {
  const mandate = await presentedMandate(ctx, input);
  if (mandate === undefined) return undefined;
  checkMandateCurrency(mandate, currency);
  checkMandateAgent(mandate, input.agentId);
  return mandate;
}

/** What the transfer of an execution says beside the money: whom it pays, and what is kept back of it. */
export async function executionFacts(
  ctx: Ctx,
  { facts }: Authority,
  to: WalletRef,
): Promise<Pick<NewTransfer, 'protocolMetadata' | 'withholding'>> {
  const merchant = facts?.merchant ?? null;
  return {
    protocolMetadata: merchant === null ? {} : { merchant_id: printId('merchant', merchant.id) },
    withholding: await withholdingOf(ctx, 'ap2', to),
  };
}

/** What leaves the payer and what reaches the payee, minor units. */
export interface Sums {
  amount: bigint;
  currency: Currency;
  toCurrency: Currency;
  quote?: Quote;
}

/** Reads the sums of a request, from its quote where it has one. 409 for a quote that cannot be used. */
export async function sumsOf(ctx: Ctx, { quoteId, amount, currency, destinationCurrency }: CreateTransferInput): Promise<Sums> {
  if (quoteId) {
    const quote = await openQuote(ctx, quoteId);
    const toCurrency = quote.toCurrency as Currency;
    if (destinationCurrency && destinationCurrency !== toCurrency) {
      throw new ValidationFailed([{ path: ['destinationCurrency'], message: `is not that of the quote, ${toCurrency}` }]);
    }
    return { amount: quote.sendAmount, currency: quote.fromCurrency as Currency, toCurrency, quote };
  }
  if (!currency || !amount) throw new Error('a transfer without a quote was not checked for its amount');
  return { amount: parseMinor(amount, currency, ['amount']), currency, toCurrency: currency };
}

/** The change of currency that the quote of a request promises. */
export async function exchangeOf(ctx: Ctx, { quote }: Sums): Promise<CurrencyExchange | undefined> {
  if (quote === undefined) return undefined;
  const { id: quoteId, receiveAmount: amount, fromCurrency, toCurrency: currency, feeAmount: fee } = quote;
  return { quoteId, amount, currency, fee, accounts: await exchangeAccounts(ctx, fromCurrency, currency) };
}

/** The request with the wallets that were found, however it named them. */
function between(from: WalletRef, to: WalletRef, input: CreateTransferInput): CreateTransferInput {
  const toWalletId = isWithinWallet(input.type) ? null : to.walletId;
  return { ...input, fromWalletId: from.walletId, fromAccountId: null, toWalletId, toAccountId: null, destination: null };
}

/** The row and the posting of a transfer under an authority. */
export function draftTransfer(ctx: Ctx, id: string, { value, authority }: TransferPlan, form: SpendForm): Draft<Transfer> {
  const { approvalId, decisionId, limits } = form;
  const transfer = transferRow(ctx, { ...value, approvalId, decisionId }, id);
  return {
    value: transfer,
    posting: transferPosting(ctx, transfer, value, { limits, guards: authority.guards, rules: authority.rules }),
    request: {
      subject: { subjectType: 'transfer', subjectId: id },
      transferId: id,
      description: transfer.description,
      execution: value.hold?.expiresAt == null ? {} : { hold_seconds: secondsBetween(value.at, value.hold.expiresAt) },
    },
  };
}

function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1000);
}

async function parties(ctx: Ctx, input: CreateTransferInput, { currency, toCurrency }: Sums): Promise<[WalletRef, WalletRef]> {
  const { type, destination } = input;
  const from = await payerOf(ctx, input, currency);
  if (isWithinWallet(type)) return [from, from];
  const toWalletId = destination == null ? input.toWalletId : walletOfDestination(destination);
  const to = await party(ctx, 'to', toWalletId, input.toAccountId, toCurrency);
  if (from.walletId === to.walletId) throw new SameWallet();
  return [from, to];
}

/** The wallet that pays. 404 without one, 422 when it holds another currency. */
export function payerOf(ctx: Ctx, { fromWalletId, fromAccountId }: CreateTransferInput, currency: string): Promise<WalletRef> {
  return party(ctx, 'from', fromWalletId, fromAccountId, currency);
}

async function party(
  ctx: Ctx,
  side: 'from' | 'to',
  walletId: string | null | undefined,
  accountId: string | null | undefined,
  currency: string,
): Promise<WalletRef> {
  const found = walletId ? await walletRef(ctx, walletId) : await defaultWalletRef(ctx, accountId ?? '', currency);
  if (found === null) throw new NotFound(walletId ? `${side}WalletId` : `${side}AccountId`);
  if (found.currency !== currency) {
    throw new CurrencyMismatch(found.walletId, found.currency, currency);
  }
  return found;
}

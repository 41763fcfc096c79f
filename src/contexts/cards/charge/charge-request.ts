// How a context that is paid by card opens a charge: it plans it, writes it in the transaction that changes its own thing, and rings
// when that is committed. The limits of whoever pays are used then, and given back when the charge fails.
import { eventRecords } from '../../../events/event.js';
import type { Approval, CardCharge, Protocol, Transfer, VaultedCard } from '../../../generated/prisma/client.js';
import { unboundedAccount } from '../../../ledger/account.js';
import { reserved } from '../../../ledger/hold.js';
import { posting } from '../../../ledger/posting.js';
import { joinRecords } from '../../../ledger/record.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { type Currency, formatMinor } from '../../../platform/money.js';
import { rowOf } from '../../../platform/postgres/column.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { newId, printId } from '../../../platform/schema/id.js';
import { inactiveAccount } from '../../accounts/account.js';
import type { WalletRef } from '../../accounts/wallet-ref.js';
import { laneOf } from '../../settlement/payout/payout.js';
import { collectionFee, type Rail, railOf } from '../../settlement/rail/rail.js';
import { type DryRun, dryRunSpend } from '../../spending/pipeline/dry-run.js';
import { lockEligibility } from '../../spending/pipeline/eligibility.sql.js';
import { type Draft, executeSpend, type SpendForm } from '../../spending/pipeline/execution.js';
import type { EnforcedMandate } from '../../spending/pipeline/mandate-rule.js';
import { type Authority, authorizeSpend, type Spend } from '../../spending/pipeline/pipeline.js';
import { event, transferData } from '../../transfers/events.js';
import { cardRails, railUnavailable } from '../../transfers/rail.js';
import { type NewTransfer, transferEventSubject, transferRow } from '../../transfers/transfer.js';
import { CardUnsupported, cardExpired } from '../errors.js';
import { isCardExpired, visibleCards } from '../vault/card.js';
import { enforcedCard } from '../vault/card-limit.js';
import { checkConnected } from './payment-handler.js';

/** The most that a card is charged at once, minor units: what arrives has to fit into the merchant's wallet. */
const most = 10n ** 15n;

/** What a card is to be charged. */
export interface ChargeInput {
  cardId: string;
  /** The member of the request that names the card, for what is wrong with it. */
  field: string;
  /** What it pays for: a type of `chargeSubjects`. */
  subject: { type: string; id: string };
  protocol: Extract<Protocol, 'acp' | 'ucp'>;
  merchantId: string;
  /** The merchant's wallet, in the currency of the charge. */
  to: WalletRef;
  /** Minor units. */
  amount: bigint;
  currency: Currency;
  /** The agent that an API key acts for. */
  agentId?: string | undefined;
  /** The mandate that was presented with it. */
  mandate?: EnforcedMandate | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  /** What its transfer is a part of, and what the protocol says of it. */
  protocolMetadata?: Record<string, unknown> | undefined;
  /** The request as it could be sent again. */
  request?: Spend['request'];
  requestApproval?: boolean | undefined;
}

/** Everything that can be known of a charge before the ledger is asked. */
export interface ChargePlan {
  id: string;
  transferId: string;
  input: ChargeInput;
  card: VaultedCard;
  rail: Rail;
  fee: bigint;
  value: NewTransfer;
  authority: Authority;
}

/** A charge with its transfer, and the approval that it waits for. */
export interface OpenedCharge {
  charge: CardCharge;
  transfer: Transfer;
  approval: Approval | null;
}

/**
 * Reads what a charge needs. 404 for a card that the actor does not see, 409 for one that has expired or whose processor was disconnected,
 * 422 `unsupported_rail` for a currency that its processor does not take, 503 `rail_unavailable` without a processor, 400 for more than a
 * card is charged at once, and for less than its processor takes.
 */
export async function planCharge(ctx: Ctx, input: ChargeInput): Promise<ChargePlan> {
  const { cardId, field, protocol, to, amount, currency, mandate, description, metadata } = input;
  const card = await ctx.db.vaultedCard.findFirst({ where: { AND: [{ id: cardId, deletedAt: null }, visibleCards.reach(ctx)] } });
  if (card === null) throw new NotFound(field);
  if (isCardExpired(ctx, card)) throw cardExpired();
  if (amount > most) throw tooMuch(field, currency);
  const rail = await railOfCard(ctx, card, currency);
  await checkConnected(ctx, card.processor);
  const fee = collectionFee(rail, amount);
  // The processor takes its fee out of what it has charged.
  if (fee > amount) throw tooLittle(field, fee, currency);
  const authority = await authorizeCharge(ctx, card, input);
  const { at } = authority;
  const id = newId(at);
  const value: NewTransfer = {
    type: 'internal',
    protocol,
    from: { ledgerAccountId: await unboundedAccount(ctx, `rail.clearing:${rail.name}`, currency) },
    to,
    amount,
    currency,
    at,
    agentId: authority.agentId,
    subject: { type: 'card_charge', id },
    mandateId: mandate?.id,
    description,
    metadata,
    protocolMetadata: { ...input.protocolMetadata, ...chargeFactsOf(input, card) },
  };
  return { id, transferId: newId(at), input, card, rail, fee, value, authority };
}

/** What the transfer shows of whom it pays and with which card. */
function chargeFactsOf({ merchantId }: ChargeInput, { cardBrand, cardLastFour }: VaultedCard): Record<string, string> {
  return { merchant_id: printId('merchant', merchantId), card_brand: cardBrand, card_last_four: cardLastFour };
}

function tooMuch(field: string, currency: string): ValidationFailed {
  return new ValidationFailed([{ path: [field], message: `is charged ${formatMinor(most, currency)} at most`, rule: 'max' }]);
}

function tooLittle(field: string, fee: bigint, currency: string): ValidationFailed {
  const message = `is charged ${formatMinor(fee, currency)} at least: so much its processor takes`;
  return new ValidationFailed([{ path: [field], message, rule: 'min' }]);
}

async function railOfCard(ctx: Ctx, { processor }: VaultedCard, currency: string): Promise<Rail> {
  const row = cardRails(processor).find((one) => one.currency === currency);
  if (row === undefined) throw new CardUnsupported(processor, currency);
  const rail = railOf(ctx, row.rail);
  if (rail === undefined) throw await railUnavailable(ctx, row.rail);
  return rail;
}

/** What of a charge the pipeline is asked, now and when it was approved. */
export type ChargeSpend = Pick<ChargeInput, 'protocol' | 'merchantId' | 'to' | 'amount' | 'currency' | 'mandate'> &
  Partial<Pick<Spend, 'agentId' | 'request' | 'requestApproval' | 'lifted' | 'traceId'>>;

// Gap G-220: A vaulted card pays for the agent that it names, or for any agent of its account; wallets and balances do not bind it.
/** Asks the pipeline. A card of an account is money of whichever agent of it pays; it has no wallet and no balance here. */
export function authorizeCharge(ctx: Ctx, card: VaultedCard, spend: ChargeSpend): Promise<Authority> {
  const { protocol, merchantId, to, amount, currency, mandate, agentId, request, requestApproval, lifted, traceId } = spend;
  const own = ctx.actor.agent?.id ?? null;
  return authorizeSpend(ctx, {
    from: { walletId: null, accountId: card.accountId, agentId: card.agentId ?? own },
    to,
    protocol,
    merchantId,
    amount,
    currency,
    mandate,
    card: enforcedCard(card),
    agentId,
    at: ctx.clock.now(),
    request,
    requestApproval,
    lifted,
    traceId,
  });
}

/**
 * Opens a charge, in the transaction of whoever is paid by it and under the lock of its subject. Refusals of the pipeline are thrown and
 * leave nothing behind. Call ringCharge() when the transaction is committed.
 */
export async function openCharge(ctx: Ctx, tx: Tx, plan: ChargePlan): Promise<OpenedCharge> {
  const { authority, card, input } = plan;
  await lockPayable(ctx, tx, card, authority);
  const { type: subjectType, id: subjectId } = input.subject;
  const options = { requestApproval: input.requestApproval === true, subject: { subjectType, subjectId }, in: tx };
  const { value, approval } = await executeSpend(ctx, authority, (form) => draftCharge(ctx, plan, form), options);
  const { workspaceId: _, ...row } = value.charge;
  await tx.cardCharge.create({ data: row });
  return { ...value, approval };
}

/** Says what openCharge() would do, and changes nothing. */
export function dryRunCharge(ctx: Ctx, plan: ChargePlan): Promise<DryRun> {
  const options = { requestApproval: plan.input.requestApproval === true };
  return dryRunSpend(ctx, plan.authority, (form) => draftCharge(ctx, plan, form), options);
}

/** Wakes whoever goes on with a charge that was committed. */
export function ringCharge(ctx: Ctx, { charge, approval }: Pick<OpenedCharge, 'charge' | 'approval'>): void {
  if (charge.dueAt !== null) ringAt(ctx, 'card_charge', charge.dueAt);
  if (approval !== null) ringAt(ctx, 'approval', approval.dueAt ?? approval.expiresAt);
}

/** Locks the card and its account until the transaction ends, and throws when they may not pay: 404, 409. */
export async function lockPayable(ctx: Ctx, tx: Tx, { id, accountId }: VaultedCard, { agentId }: Authority): Promise<void> {
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, accountId, walletId: null, agentIds: [agentId ?? null] });
  const account = await tx.account.findFirstOrThrow({ where: { id: accountId }, select: { id: true, status: true } });
  if (account.status !== 'active') throw inactiveAccount(account, 'its cards charged');
  const card = await lockRow(tx.vaultedCard, id, { where: { deletedAt: null } });
  if (isCardExpired(ctx, card)) throw cardExpired();
}

/** The rows of a charge, and the posting that uses limits and moves nothing: the money is still with the processor. */
function draftCharge(ctx: Ctx, plan: ChargePlan, form: SpendForm): Draft<{ charge: CardCharge; transfer: Transfer }> {
  const { id, transferId, fee, value, authority, input } = plan;
  const { approvalId, decisionId, limits } = form;
  const { at } = value;
  const transfer: Transfer = {
    ...transferRow(ctx, { ...value, decisionId }),
    id: transferId,
    status: 'pending',
    fromAccountId: plan.card.accountId,
    feeAmount: fee,
    approvalId,
    completedAt: null,
  };
  const created = event(ctx, 'transfer.created', transferData(transfer), { at, ...transferEventSubject(transfer) });
  const records = joinRecords({ transfer: [rowOf(transfer)] }, eventRecords(ctx.workspace.id, [created]));
  const guards = [...authority.guards, { kind: 'payee', id: input.to.walletId } as const];
  return {
    value: { charge: chargeRow(ctx, plan, approvalId === null ? at : null), transfer },
    posting: posting(ctx, { id: transferId, at, transferId, legs: [], limits: reserved(limits), guards, records }),
    request: {
      subject: { subjectType: 'card_charge', subjectId: id },
      transferId,
      description: transfer.description,
      execution: {},
    },
  };
}

/** The row of a charge; one that waits for an approval is due when that is given. */
function chargeRow(ctx: Ctx, { id, transferId, card, rail, fee, input, authority }: ChargePlan, dueAt: Date | null): CardCharge {
  const { subject, merchantId, to, amount, currency } = input;
  return {
    workspaceId: ctx.workspace.id,
    id,
    transferId,
    cardId: card.id,
    merchantId,
    agentId: authority.agentId ?? null,
    walletId: to.walletId,
    subjectType: subject.type,
    subjectId: subject.id,
    status: 'pending',
    amount,
    fee,
    currency,
    rail: rail.name,
    railReference: null,
    submittedAt: null,
    submissions: 0,
    asked: 0,
    errorCode: null,
    createdAt: ctx.clock.now(),
    confirmedAt: null,
    completedAt: null,
    returnedAt: null,
    shortfall: 0n,
    lane: laneOf(ctx, rail.name),
    dueAt,
    leaseUntil: null,
  };
}

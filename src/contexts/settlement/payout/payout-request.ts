// Payouts as they are asked for, by POST /v1/payouts or as a transfer whose destination is out of the platform. The money is held towards
// the clearing account of the rail, with the fee, before anything is sent (CONTRACT.md 2 "The transfer of a payout", 12).
import { eventRecords } from '../../../events/event.js';
import type { Approval, Payout, SettlementWindow, Transfer } from '../../../generated/prisma/client.js';
import { unboundedAccount } from '../../../ledger/account.js';
import { joinRecords } from '../../../ledger/record.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { type DryRun, dryRunSpend } from '../../spending/pipeline/dry-run.js';
import { type Draft, executeSpend, type SpendForm } from '../../spending/pipeline/execution.js';
import { type Authority, authorizeSpend, type Spend } from '../../spending/pipeline/pipeline.js';
import type { DestinationInput } from '../../transfers/destination.input.js';
import type { ExternalTransfers } from '../../transfers/external-transfer.js';
import { checkRequest } from '../../transfers/request-shape.js';
import type { CreateTransferInput } from '../../transfers/transfer.input.js';
import { type NewTransfer, type TransferPart, transferPosting, transferRow } from '../../transfers/transfer.js';
import { exchangeOf, payerOf, type Sums, sumsOf } from '../../transfers/transfer-request.js';
import { aboutPayout, event, payoutData } from '../events.js';
import { railFor } from '../rail/rail.js';
import { joinWindow, startOf } from '../window/window.js';
import type { CreatePayoutInput } from './payout.input.js';
import { laneOf } from './payout.js';
import { type PayoutPlace, payoutPlaceOf } from './place.js';

/** Carries transfers out of the platform: as payouts. */
export const payoutTransfers: ExternalTransfers = {
  feeOf: async (ctx, rail, currency) => (await railFor(ctx, rail, currency)).fee,
  transfer: async (ctx, input, part) => createPayoutRow(ctx, await planOutside(ctx, input, part), ({ transfer }) => transfer.id),
  dryRun: async (ctx, input) => tryPlan(ctx, await planOutside(ctx, input)),
};

/** A payout with its transfer, and the approval that it waits for. */
export interface CreatedPayout {
  payout: Payout;
  transfer: Transfer;
  approval: Approval | null;
}

/** Pays out. The whole pipeline runs inside the posting; refusals leave nothing behind. */
export async function createPayout(ctx: Ctx, input: CreatePayoutInput): Promise<CreatedPayout> {
  return createPayoutRow(ctx, await planPayout(ctx, input), ({ payout }) => payout.id);
}

/** What createPayout() would do. */
export async function dryRunPayout(ctx: Ctx, input: CreatePayoutInput): Promise<DryRun> {
  return tryPlan(ctx, await planPayout(ctx, input));
}

/** Everything that can be known of a payout before the ledger is asked. */
export interface PayoutPlan {
  payoutId: string;
  transferId: string;
  value: NewTransfer & { from: WalletRef };
  authority: Authority;
  place: PayoutPlace;
  /** What arrives, and what the rail takes, minor units of its currency. */
  arriving: { amount: bigint; currency: string; fee: bigint };
  requestApproval: boolean;
}

/** Reads what a payout needs. `execution`: the firing of a settlement rule that makes it, which is no spend. */
export async function planPayout(ctx: Ctx, input: CreatePayoutInput, execution?: { id: string }): Promise<PayoutPlan> {
  const { walletId, currency, destination } = input;
  const amount = parseMinor(input.amount, currency, ['amount']);
  const from = await walletRef(ctx, walletId);
  if (from === null) throw new NotFound('walletId');
  if (from.currency !== currency) throw new CurrencyMismatch(from.walletId, from.currency, currency);
  const place = await payoutPlaceOf(ctx, addressed(destination), input.rail);
  const request = { path: '/v1/payouts', body: () => ctx.platform.printInput('CreatePayoutInput', input) };
  const made = execution && { origin: { type: 'settlement_execution', id: execution.id } as const };
  return plan(ctx, { ...input, type: 'internal' }, from, { amount, currency, toCurrency: currency }, place, request, made);
}

/** POST /v1/payouts calls the address of a chain a wallet. */
function addressed({ type, ref }: CreatePayoutInput['destination']): DestinationInput {
  return { type: type === 'wallet' ? 'address' : type, ref };
}

async function planOutside(ctx: Ctx, input: CreateTransferInput, part?: TransferPart): Promise<PayoutPlan> {
  checkRequest(input);
  const { destination, ...rest } = input;
  const sums = await sumsOf(ctx, input);
  const from = await payerOf(ctx, input, sums.currency);
  const place = await payoutPlaceOf(ctx, destination as DestinationInput, sums.quote?.rail);
  if (sums.quote !== undefined && sums.quote.rail === null) {
    const message = 'is for a wallet: ask for one with the rail, whose fee is then among its fees';
    throw new ValidationFailed([{ path: ['quoteId'], message }]);
  }
  const again = { ...input, fromWalletId: from.walletId, fromAccountId: null };
  const request = { path: '/v1/transfers', body: () => ctx.platform.printInput('CreateTransferInput', again) };
  return plan(ctx, rest, from, sums, place, request, part);
}

type PayoutOptions = Pick<CreateTransferInput, 'type' | 'description' | 'reference' | 'metadata' | 'agentId' | 'requestApproval'>;

async function plan(
  ctx: Ctx,
  { type, description, reference, metadata, agentId, requestApproval }: PayoutOptions,
  from: WalletRef,
  sums: Sums,
  place: PayoutPlace,
  request: Spend['request'],
  part?: Pick<TransferPart, 'origin' | 'claims'> & Partial<TransferPart>,
): Promise<PayoutPlan> {
  const { amount, currency, toCurrency, quote } = sums;
  const rail = await railFor(ctx, place.rail, toCurrency);
  const { fee } = rail;
  const receives = quote?.receiveAmount ?? amount;
  await rail.admit?.(ctx, { direction: 'out', amount: receives, ...(place.whole !== null && { destination: place.whole }) });
  const at = ctx.clock.now();
  const protocol = type === 'cross_border' ? 'cross_border' : 'internal';
  // A quote contains the fee of its rail: nothing comes on top.
  const feeOnTop = quote === undefined ? fee : 0n;
  const authority = await authorizeSpend(ctx, {
    from,
    to: null,
    agentId: agentId ?? undefined,
    protocol,
    currency,
    amount: amount + feeOnTop,
    at,
    isSettlement: part?.origin.type === 'settlement_execution',
    request,
    requestApproval: requestApproval === true,
  });
  const payoutId = newId(at);
  const value = {
    type,
    protocol,
    from,
    to: { ledgerAccountId: await unboundedAccount(ctx, `rail.clearing:${place.rail}`, toCurrency) },
    amount,
    currency,
    at,
    exchange: await exchangeOf(ctx, sums),
    feeOnTop,
    subject: { type: 'payout', id: payoutId },
    origin: part?.origin,
    claims: part?.claims,
    agentId: authority.agentId,
    destination: place.shown,
    description,
    reference,
    metadata,
  } as const;
  const arriving = { amount: receives, currency: toCurrency, fee };
  return { payoutId, transferId: part?.id ?? newId(at), value, authority, place, arriving, requestApproval: requestApproval === true };
}

/** Posts the hold and writes the payout, in the transaction of whoever makes it. */
export async function writePayout(ctx: Ctx, tx: Tx, made: PayoutPlan): Promise<CreatedPayout> {
  const { authority, requestApproval } = made;
  const options = { in: tx, requestApproval };
  const window = await joinWindow(ctx, tx, made.place.rail, made.arriving.currency);
  const draft = (form: SpendForm) => draftPayout(ctx, made, form, window);
  const { value, approval } = await executeSpend(ctx, authority, draft, options);
  const { workspaceId: _, ...row } = value.payout;
  await tx.payout.create({ data: row });
  return { ...value, approval };
}

/** Posts the hold and writes the payout, in one transaction. `referenceOf` names the result for a repeated key. */
async function createPayoutRow(ctx: Ctx, made: PayoutPlan, referenceOf: (created: CreatedPayout) => string): Promise<CreatedPayout> {
  const created = await transact(ctx, (tx) => writePayout(ctx, tx, made), referenceOf);
  if (created.payout.dueAt !== null) ringAt(ctx, 'payout', created.payout.dueAt);
  if (created.approval !== null) ringAt(ctx, 'approval', created.approval.dueAt ?? created.approval.expiresAt);
  return created;
}

function tryPlan(ctx: Ctx, made: PayoutPlan): Promise<DryRun> {
  return dryRunSpend(ctx, made.authority, (form) => draftPayout(ctx, made, form), { requestApproval: made.requestApproval });
}

// Gap G-160: settlement.initiated is emitted when the payout is created, or when its approval is given.
/** The rows and the posting of a payout: it is initiated now, or when its approval is given. */
function draftPayout(
  ctx: Ctx,
  made: PayoutPlan,
  form: SpendForm,
  window: SettlementWindow | null = null,
): Draft<{ payout: Payout; transfer: Transfer }> {
  const { transferId, value, authority } = made;
  const { approvalId, decisionId, limits } = form;
  const transfer = transferRow(ctx, { ...value, approvalId, decisionId }, transferId);
  const payout = payoutRow(ctx, made, approvalId === null ? startOf(window, value.at) : waits);
  const posting = transferPosting(ctx, transfer, value, { limits, guards: authority.guards, rules: authority.rules });
  const initiated =
    approvalId === null ? [event(ctx, 'settlement.initiated', payoutData(payout), { at: value.at, ...aboutPayout(payout) })] : [];
  return {
    value: { payout, transfer },
    posting: { ...posting, records: joinRecords(posting.records, eventRecords(ctx.workspace.id, initiated)) },
    request: {
      subject: { subjectType: 'payout', subjectId: payout.id },
      transferId,
      description: transfer.description,
      execution: {},
    },
  };
}

/** A payout that waits for its approval joins a window when it is given. */
const waits = { windowId: null, batchReference: null, dueAt: null } as const;

function payoutRow(ctx: Ctx, { payoutId, transferId, value, place, arriving }: PayoutPlan, start: ReturnType<typeof startOf>): Payout {
  const { from, at, agentId = null, description = null } = value;
  const { whole } = place;
  return {
    workspaceId: ctx.workspace.id,
    id: payoutId,
    transferId,
    walletId: from.walletId,
    agentId,
    walletAgentId: from.agentId,
    status: 'pending',
    ...arriving,
    rail: place.rail,
    destinationType: place.type,
    destinationRef: place.ref,
    bankAccountId: place.bankAccountId,
    sealedDestination: whole === null ? null : ctx.platform.vault.seal(JSON.stringify(whole), payoutId),
    description,
    railReference: null,
    submittedAt: null,
    submissions: 0,
    asked: 0,
    errorCode: null,
    returnReason: null,
    returnCode: null,
    expectedAt: null,
    createdAt: at,
    confirmedAt: null,
    completedAt: null,
    lane: laneOf(ctx, place.rail),
    ...start,
    leaseUntil: null,
  };
}

// A transfer: money from one party to another, posted at once, set aside until it is captured, or kept until its time (CONTRACT.md 2).
// It is made from a domain value, which knows no request: every context that moves money makes one.
import { eventRecords } from '../../events/event.js';
import type { Approval, CaptureBy, Protocol, Transfer, TransferStatus, TransferType } from '../../generated/prisma/client.js';
import { reserved, setAside } from '../../ledger/hold.js';
import { type Claim, type Guard, type Leg, type LimitUse, move, type Posting, posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { rowOf } from '../../platform/postgres/column.js';
import { newId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import { referenceClaim } from '../spending/pipeline/reference.js';
import type { RulesInForce } from '../spending/pipeline/rules-in-force.js';
import type { ShownDestination } from './destination.js';
import { completedEvents, event, sharingData, transferData, transferRoles } from './events.js';
import { type CurrencyExchange, exchangeLegs, leavingOf } from './exchange.js';
import { transferOperation } from './operation.js';
import { isSpendOf } from './spend.js';
import type { SubjectRef, TransferOrigin } from './subject.js';
import { lessWithheld, type Withholding } from './withholding.js';

/** Completed, failed and cancelled are final. */
export const transferLifecycle: Lifecycle<TransferStatus> = {
  noun: 'transfer',
  path: '/v1/transfers/{id}',
  steps: {
    pending: ['processing', 'completed', 'failed', 'cancelled'],
    processing: ['completed', 'failed'],
    completed: [],
    failed: [],
    cancelled: [],
  },
  requests: [
    { to: 'completed', rel: 'capture', actor: 'any', method: 'POST', path: '/capture' },
    { to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' },
  ],
};

/** A party outside of the wallets: money comes from or goes to this ledger account of the workspace (`world`, clearing). */
export interface OutsideParty {
  ledgerAccountId: string;
}
export type Party = WalletRef | OutsideParty;

/** How money moves that does not simply go from the payer's wallet to the payee's. */
export interface Money {
  /** The ledger account that it reaches. */
  accountId: string;
  /** The legs that bring it there, or into the account where it is held until then. */
  legsInto: (accountId: string) => readonly Leg[];
}

/** A transfer before it is recorded. */
export interface NewTransfer {
  type: TransferType;
  protocol: Protocol;
  from: Party;
  to: Party;
  /** Minor units of `currency`. */
  amount: bigint;
  currency: string;
  /** Workspace time at which it is made. */
  at: Date;
  /** What the payee gets instead, where it is another currency. */
  exchange?: CurrencyExchange | undefined;
  money?: Money | undefined;
  /** What is kept back of a payment by a protocol: withholdingOf() says it. */
  withholding?: Withholding | null | undefined;
  /** The thing whose money it is. */
  subject?: SubjectRef | undefined;
  /** What made it as one of many. */
  origin?: TransferOrigin | undefined;
  /** The mandate that it is paid by. */
  mandateId?: string | undefined;
  /** A fee that comes on top of the amount. */
  feeOnTop?: bigint | undefined;
  /** The place out of the platform that it goes to, as it is shown. */
  destination?: ShownDestination | undefined;
  /** What it uses up beside its reference and its quote. */
  claims?: readonly Claim[] | undefined;
  protocolMetadata?: Record<string, unknown> | undefined;
  /** The agent that spends. */
  agentId?: string | undefined;
  // Gap G-426: `capture_by` is left out where neither side captures; for x402 `upto`, MPP deposits and tasks it is `payee`.
  /** The money is set aside until it is captured, or until then; null: until somebody ends it. In escrow, where an account is named. */
  hold?: { expiresAt: Date | null; accountId?: string; captureBy?: CaptureBy } | undefined;
  /** It is set aside until this approval is given. */
  approvalId?: string | null | undefined;
  decisionId?: string | null | undefined;
  /** It is carried out then; nothing is posted before. */
  scheduledFor?: Date | undefined;
  description?: string | null | undefined;
  /** The caller's own name for it, unique for the account that pays, for ever. */
  reference?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  /** What the payee sees too. */
  sharedMetadata?: Record<string, unknown> | null | undefined;
}

function walletOf(party: Party): WalletRef | null {
  return 'walletId' in party ? party : null;
}

/** How long money is held for a capture by hand, unless the request says otherwise. */
export const defaultHoldSeconds = 86_400;

/** The wallets of a transfer between two of them. */
export interface WalletParties {
  from: WalletRef;
  to: WalletRef;
}

/** Reads the wallets of a transfer between two of them. */
export async function partiesOf(ctx: Ctx, { id, fromWalletId, toWalletId }: Transfer): Promise<WalletParties> {
  const [from, to] = await Promise.all([walletRef(ctx, fromWalletId ?? ''), walletRef(ctx, toWalletId ?? '')]);
  if (from === null || to === null) throw new Error(`transfer ${id} has no wallets`);
  return { from, to };
}

/** The row of a transfer that is made now. */
export function transferRow(ctx: Ctx, value: NewTransfer, id = newId(value.at)): Transfer {
  const { at, hold, scheduledFor, exchange, subject, origin, approvalId = null } = value;
  const [from, to] = [walletOf(value.from), walletOf(value.to)];
  const isHeld = hold !== undefined || approvalId !== null || subject?.type === 'payout';
  const isPending = isHeld || scheduledFor !== undefined;
  // What waits for an approval has no time of its own: the approval has one.
  const holdExpiresAt = approvalId === null ? (hold?.expiresAt ?? null) : null;
  return {
    workspaceId: ctx.workspace.id,
    id,
    type: value.type,
    status: isPending ? 'pending' : 'completed',
    amount: value.amount,
    currency: value.currency,
    fromAccountId: from?.accountId ?? null,
    toAccountId: to?.accountId ?? null,
    fromWalletId: from?.walletId ?? null,
    toWalletId: to?.walletId ?? null,
    protocol: value.protocol,
    description: value.description ?? null,
    reference: value.reference ?? null,
    capture: hold === undefined ? 'automatic' : 'manual',
    captureBy: hold?.captureBy ?? null,
    holdId: isHeld ? newId(at) : null,
    capturedAmount: isHeld ? 0n : null,
    holdExpiresAt,
    scheduledFor: scheduledFor ?? null,
    refundedAmount: 0n,
    initiatedByType: initiatorOf(ctx.actor.type),
    initiatedById: ctx.actor.id,
    agentId: value.agentId ?? null,
    failureCode: null,
    failureMessage: null,
    metadata: (value.metadata ?? {}) as Transfer['metadata'],
    sharedMetadata: (value.sharedMetadata ?? null) as Transfer['sharedMetadata'],
    dueAt: holdExpiresAt ?? scheduledFor ?? null,
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
    completedAt: isPending ? null : at,
    traceId: ctx.traceId ?? null,
    protocolMetadata: (value.protocolMetadata ?? null) as Transfer['protocolMetadata'],
    decisionId: value.decisionId ?? null,
    approvalId,
    destinationAmount: exchange?.amount ?? null,
    destinationCurrency: exchange?.currency ?? null,
    feeAmount: exchange?.fee ?? value.feeOnTop ?? 0n,
    quoteId: exchange?.quoteId ?? null,
    subjectType: subject?.type ?? null,
    subjectId: subject === undefined ? null : (subject.id ?? id),
    originType: origin?.type ?? null,
    originId: origin?.id ?? null,
    isSpend: isSpendOf({ ...value, from, to }),
    mandateId: value.mandateId ?? null,
    destination: (value.destination ?? null) as Transfer['destination'],
  };
}

/** What a transfer is given by the thing that it is a part of: its id, and what it uses up. */
export interface TransferPart {
  id: string;
  origin: TransferOrigin;
  claims?: NewTransfer['claims'];
}

/** A transfer that a spend made, and the approval that it waits for. */
export interface CreatedTransfer {
  transfer: Transfer;
  approval: Approval | null;
}

/** What the posting of a transfer takes beside the transfer itself. */
export interface PostingParts {
  limits: readonly LimitUse[];
  guards: readonly Guard[];
  /** What the operation is worth in US dollars, and the mandate that the transfer is an execution of. */
  rules: Pick<RulesInForce, 'rates' | 'mandate'>;
}

// Gap G-41: transfer.created carries the status the record was created with, so `completed` for what posts at once.
/** The posting of a transfer whose row is new: the money moves, or is set aside in the payer's held account. */
export function transferPosting(ctx: Ctx, transfer: Transfer, value: NewTransfer, { limits, guards, rules }: PostingParts): Posting {
  const { id, workspaceId, amount, createdAt: at } = transfer;
  const { from, to } = value;
  const about = { at, ...transferEventSubject(transfer) };
  const created = event(ctx, 'transfer.created', transferData(transfer), about);
  const head = { id, at, transferId: id, guards, claims: postingClaimsOf(transfer, value) };
  const row = { transfer: [rowOf(transfer)] };
  if (transfer.holdId !== null) {
    const aside = holdParts(transfer, transfer.holdId, at, value);
    return posting(ctx, {
      ...head,
      guards: [...guards, ...aside.guards],
      legs: aside.legs,
      limits: reserved(limits),
      records: joinRecords(row, aside.records, eventRecords(workspaceId, [created])),
    });
  }
  const roles = transferRoles(transfer, walletOf(from), walletOf(to));
  const completed = completedEvents(ctx, transfer, { ...about, roles, mandate: rules.mandate });
  const { legs, records } = lessWithheld(transfer, legsOf(value), at, value.withholding);
  const operation = transferOperation(ctx, transfer, amount, at, rules.rates);
  // Where all of it is kept back, no entry asks whether the wallet of the payee is open.
  const payee = value.withholding == null ? null : walletOf(to);
  return posting(ctx, {
    ...head,
    guards: payee === null ? guards : [...guards, { kind: 'payee', id: payee.walletId }],
    legs,
    limits,
    records: joinRecords(row, eventRecords(workspaceId, [sharingData(created, completed), ...completed]), operation, records),
  });
}

/** What moves the money of a transfer at once. */
export function legsOf({ type, amount, currency, from, to, exchange, money }: NewTransfer): readonly Leg[] {
  if (money !== undefined) return money.legsInto(money.accountId);
  const [payer, payee] = routeOf(type, from, to);
  if (exchange === undefined) return move(currency, amount, payer, payee);
  return exchangeLegs({ amount, currency, from: payer, to: payee, exchange });
}

/** What sets the money of a transfer aside: its legs, the row of the hold, and the guard of the payee. */
export function holdParts(
  transfer: Transfer,
  holdId: string,
  at: Date,
  { from, to, exchange, money, hold: kept }: Pick<NewTransfer, 'from' | 'to' | 'exchange' | 'money' | 'hold'>,
): Pick<Posting, 'legs' | 'records' | 'guards'> {
  const { workspaceId, id: transferId, type, currency } = transfer;
  const [fromAccountId, payee] = routeOf(type, from, to);
  const toAccountId = money?.accountId ?? exchange?.accounts.sent ?? payee;
  const heldAccountId = kept?.accountId ?? heldAccountOf(from);
  const amount = leavingOf(transfer);
  const hold = { workspaceId, transferId, id: holdId, createdAt: at, fromAccountId, heldAccountId, toAccountId, currency, amount };
  const wallet = walletOf(to);
  const aside = setAside(hold);
  const legs = money === undefined ? aside.legs : money.legsInto(heldAccountId);
  return { ...aside, legs, guards: wallet === null ? [] : [{ kind: 'payee', id: wallet.walletId }] };
}

/** What every event of a transfer is about. */
export function transferEventSubject({ id, agentId }: Transfer): { objectId: string; agentId: string | null } {
  return { objectId: id, agentId };
}

/** What a transfer uses up: a reference names one of its account, for ever (see G-50), and a quote is for one. */
export function postingClaimsOf(transfer: Transfer, { claims = [] }: Pick<NewTransfer, 'claims'>): Claim[] {
  const { id, reference, quoteId, fromAccountId, toAccountId } = transfer;
  return [
    ...(reference === null ? [] : [referenceClaim(fromAccountId ?? toAccountId ?? '', reference, id)]),
    ...(quoteId === null ? [] : [{ kind: 'quote' as const, key: quoteId, reference: id }]),
    ...claims,
  ];
}

/** The ledger accounts that the money of a transfer goes from and to. */
export function routeOf(type: TransferType, from: Party, to: Party): [from: string, to: string] {
  if (type === 'wrap' || type === 'unwrap') {
    const { available, wrapped } = insideOf(from).ledger;
    return type === 'wrap' ? [available, wrapped] : [wrapped, available];
  }
  return [spendableOf(from), spendableOf(to)];
}

function spendableOf(party: Party): string {
  return 'walletId' in party ? party.ledger.available : party.ledgerAccountId;
}

function heldAccountOf(party: Party): string {
  return insideOf(party).ledger.held;
}

function insideOf(party: Party): WalletRef {
  if ('walletId' in party) return party;
  throw new Error('a party outside of the platform has no wallet here');
}

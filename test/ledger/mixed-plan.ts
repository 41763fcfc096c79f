// Postings of every mixture, for tests that try sets: with or without a transfer, a hold, events, limits and claims.
import fc from 'fast-check';
import { type EventRow, eventRecords, eventRow } from '../../src/events/event.js';
import type { Transfer } from '../../src/generated/prisma/client.js';
import type { WalletAccounts } from '../../src/ledger/account.js';
import { type NewHold, reserved, setAside } from '../../src/ledger/hold.js';
import { type Claim, type LimitUse, move, type Posting, posting } from '../../src/ledger/posting.js';
import { joinRecords } from '../../src/ledger/record.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { rowOf } from '../../src/platform/postgres/column.js';
import { newId } from '../../src/platform/schema/id.js';
import { catalog } from '../catalog.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((one) => one.replaceAll('\u0000', '').toWellFormed());
const spelled = ['', '{}', '"', '\\', "'", '{a,b}', 'NULL', 'null', '\\u0000', '\u{1f600}', '\u202e', '\n\t\b', '$1'];
const strange = fc.oneof(text, fc.constantFrom(...spelled));
const memberName = strange.filter((name) => name !== '__proto__');

export interface Plan {
  /** Indexes of wallets. */
  from: number;
  to: number;
  minor: bigint;
  kind: 'move' | 'transfer' | 'hold';
  description: string | null;
  referenced: boolean;
  metadata: Record<string, string>;
  counters: number[];
  /** The name that each event carries. */
  events: string[];
  keyed: boolean;
  /** Milliseconds after now. */
  ms: number;
}

/** Plans over `wallets` wallets. */
export const planOf = (wallets: number): fc.Arbitrary<Plan> =>
  fc.record({
    from: fc.nat(wallets - 1),
    to: fc.nat(wallets - 1),
    minor: fc.bigInt({ min: 1n, max: 5_000n }),
    kind: fc.constantFrom('move', 'transfer', 'transfer', 'hold'),
    description: fc.option(strange),
    referenced: fc.boolean(),
    metadata: fc.oneof(fc.constant({}), fc.dictionary(memberName, strange, { maxKeys: 3 })),
    counters: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
    events: fc.array(strange, { maxLength: 3 }),
    keyed: fc.boolean(),
    ms: fc.integer({ min: 0, max: 5_000 }),
  });

/** A posting, and the typed rows that it was made of. */
export interface Mixed {
  posting: Posting;
  transfer: Transfer | null;
  hold: NewHold | null;
  events: readonly EventRow[];
}

export type Wallet = readonly [Ctx, WalletAccounts];

/** The posting of a plan: to another wallet of the same workspace, or within the payer's. */
export function mixedOf(plan: Plan, wallets: readonly Wallet[]): Mixed {
  const [ctx, from] = wallets[plan.from] as Wallet;
  const [toCtx, other] = wallets[plan.to] as Wallet;
  const at = new Date(ctx.clock.now().getTime() + plan.ms);
  const transfer = plan.kind === 'move' ? null : transferOf(ctx, plan, at);
  const id = transfer?.id ?? newId(at);
  const hold = plan.kind === 'hold' && transfer !== null ? holdOf(transfer, from) : null;
  const payee = toCtx === ctx && plan.from !== plan.to ? other.available : from.wrapped;
  const events = plan.events.map((name, n) => accountCreated(at, name, n));
  const aside = hold === null ? null : setAside(hold);
  const limits = limitsOf(plan);
  return {
    transfer,
    hold,
    events,
    posting: posting(ctx, {
      id,
      at,
      transferId: transfer?.id ?? null,
      legs: aside?.legs ?? move('USD', plan.minor, from.available, payee),
      limits: hold === null ? limits : reserved(limits),
      claims: claimsOf(plan, id, at),
      records: joinRecords(
        transfer === null ? {} : { transfer: [rowOf(transfer)] },
        aside?.records ?? {},
        eventRecords(ctx.workspace.id, events),
      ),
    }),
  };
}

function limitsOf({ counters, minor }: Plan): LimitUse[] {
  return counters.map((n) => ({ counter: `mixed "${n}"`, window: '2026-03', used: minor, reserved: 0n, maximum: null }));
}

function claimsOf({ keyed, referenced }: Plan, id: string, at: Date): Claim[] {
  const expiresAt = new Date(at.getTime() + 60_000);
  const key: Claim = { kind: 'idempotency_key', key: `key of ${id}`, reference: `"${id}"`, fingerprint: `\\${id}`, expiresAt };
  return [...(keyed ? [key] : []), ...(referenced ? [{ kind: 'reference', key: `"${id}" {}\\` } as const] : [])];
}

function accountCreated(at: Date, name: string, n: number): EventRow {
  const data = { ...(catalog.get('account.created')?.example as object), name };
  return eventRow({ clock: { now: () => at } }, 'account.created', data, { objectId: n === 0 ? newId(at) : null });
}

function holdOf({ workspaceId, id: transferId, holdId, amount, createdAt }: Transfer, from: WalletAccounts): NewHold {
  return {
    workspaceId,
    id: holdId ?? '',
    transferId,
    fromAccountId: from.available,
    heldAccountId: from.held,
    toAccountId: from.available,
    currency: 'USD',
    amount,
    createdAt,
  };
}

function transferOf(ctx: Ctx, { minor, kind, description, referenced, metadata }: Plan, at: Date): Transfer {
  const held = kind === 'hold';
  const id = newId(at);
  const later = held ? new Date(at.getTime() + 60_000) : null;
  return {
    workspaceId: ctx.workspace.id,
    id,
    type: 'internal',
    status: held ? 'pending' : 'completed',
    amount: minor,
    currency: 'USD',
    fromAccountId: null,
    toAccountId: newId(at),
    fromWalletId: held ? newId(at) : null,
    toWalletId: null,
    protocol: 'internal',
    description,
    reference: referenced ? `"${id}" {}\\` : null,
    capture: held ? 'manual' : 'automatic',
    captureBy: held ? 'payer' : null,
    holdId: held ? newId(at) : null,
    capturedAmount: held ? 0n : null,
    holdExpiresAt: later,
    scheduledFor: null,
    refundedAmount: 0n,
    initiatedByType: 'api_key',
    initiatedById: newId(at),
    agentId: referenced ? newId(at) : null,
    failureCode: null,
    failureMessage: null,
    metadata,
    sharedMetadata: referenced ? metadata : null,
    dueAt: later,
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
    completedAt: held ? null : at,
    traceId: null,
    protocolMetadata: null,
    decisionId: null,
    approvalId: null,
    destinationAmount: null,
    destinationCurrency: null,
    feeAmount: 0n,
    quoteId: null,
    subjectType: null,
    subjectId: null,
    originType: null,
    originId: null,
    isSpend: false,
    mandateId: null,
    destination: null,
  };
}

// What a noun says of itself to everybody else, once: its ids, its table, its statuses, what becomes due, what keeps a wallet open, how a
// sandbox ends it, where it shows in the timeline of an agent. contexts/<name>/noun.ts defines it, the context lists it, and whoever needs
// something of all nouns reads it through an extension point.
import type { Dispute, Transfer } from '../generated/prisma/client.js';
import type { Ctx } from '../platform/ctx.js';
import type { RowStep } from '../platform/due/step.js';
import type { NextAction, OpenItem, StateConflict } from '../platform/errors.js';
import { manyParts, namedParts } from '../platform/extension.js';
import type { Lifecycle } from '../platform/lifecycle.js';
import type { Tx } from '../platform/postgres/database.js';
import type { IdKind } from '../platform/schema/id.js';
import type { Scope } from '../platform/scope.js';
import { snakeCase } from '../platform/snake-case.js';
import type { ApprovalSubject } from './approval-subject.js';
import type { OperationCategory } from './operation-category.js';
import type { ResetStep } from './reset.js';
import type { TimelineSource } from './timeline.js';

/**
 * The kind of the ids of a noun. The build reads it where it stands (scripts/id-kinds.mjs), so it is a literal. `wire` says how REST and
 * GraphQL print them, by the scalar that is named after the kind; `scalars` names other scalars; without either they are in no schema.
 */
export interface IdDeclaration {
  kind: IdKind;
  /** What stands before an id: `task` in `task_0198...`. No other noun has it. */
  prefix: string;
  wire?: 'bare' | 'prefixed';
  scalars?: Readonly<Record<string, 'bare' | 'prefixed'>>;
}

/** What is kept open on some of the wallets, at most `most`, and the request that would end each. */
export type OpenOn = (ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number) => Promise<(OpenItem & { ends: NextAction })[]>;

// Gap G-190: Open is what ends by itself; what waits for a person or a future time is explained. 100 of each kind are shown.
/**
 * Rows that end by themselves and have not, for the convergence of a sandbox. What waits for a person, an approval or a time to come is not
 * among them. All but `type` is SQL.
 */
export interface Settling {
  type: string;
  from: string;
  id: string;
  status: string;
  where: string;
}

/** What a transfer counts as among operations; `subjectId` is that of the transfer by default. */
export interface TransferOperation {
  category: OperationCategory;
  operation: string;
  subjectId?: string | null;
}

/** What a noun says of the transfers whose money is of it: it decides what becomes of them. */
export interface TransferSubject {
  /** What such a transfer counts as; as a transfer by default. */
  operation?(transfer: Transfer): TransferOperation;
  /** Throws 409 where a transfer is neither captured nor cancelled by itself. */
  refuse?(ctx: Ctx, transfer: Transfer): void;
  /** How a sentence says what the transfer does, whose approval ends both: `is part of a stream`. */
  whole?: string;
  /** Hears that a transfer has ended without its money, in that transaction and under its lock. */
  onEnded?(ctx: Ctx, tx: Tx, transfer: Transfer): Promise<void>;
  /** Of a noun that keeps the money of its pending transfers in escrow, where it can be disputed. */
  escrow?: {
    /** The 409 for who wants a refund of what has not been paid yet. */
    refusal(transfer: Transfer): StateConflict;
    /** Gives so much of what is in escrow back, minor units, and pays the rest. Called under the lock of the dispute. */
    split(ctx: Ctx, tx: Tx, dispute: Dispute, refunded: bigint): Promise<void>;
  };
  /** The sides of it whose wallets the noun itself keeps open (`openOn`). */
  openBy?: readonly ('payer' | 'payee')[];
  /** A reset leaves its transfers alone: they end with it. */
  endsWithNoun?: true;
}

/** A noun, as others see it. */
export interface Noun {
  /** With which keys and people find its rows; absent for what only its own endpoints show. */
  scope?: Scope;
  id: IdDeclaration;
  /** The table of its rows. Absent where they are rows of another noun. */
  table?: string;
  lifecycle?: Lifecycle<string>;
  /** What happens to its rows by themselves. */
  due?: Omit<RowStep, 'table'>;
  /** What of it is approved, by the types that approvals name. */
  approvals?: Readonly<Record<string, ApprovalSubject>>;
  /** What becomes of transfers whose money is of it. */
  transfers?: TransferSubject;
  /** What of it keeps a wallet, and so its account, from being closed. */
  openOn?: OpenOn;
  /** By default of its own table, `id` and `status`. */
  settling?: Pick<Settling, 'where'> & Partial<Settling>;
  reset?: readonly ResetStep[];
  timeline?: TimelineSource;
}

/** Defines a noun. */
export function defineNoun(noun: Noun): Noun {
  return noun;
}

/** The name of a noun in answers and in the audit log: that of its ids, in snake_case. */
export function nameOf({ id: { kind } }: Noun): string {
  return snakeCase(kind);
}

/** Every noun, in the order of the manifest. */
export const nouns = manyParts<Noun>('nouns');

/** What may keep a wallet from being closed. */
export const openOn = manyParts<OpenOn>('what keeps a wallet open');

/** What ends by itself. */
export const settlings = manyParts<Settling>('what ends by itself');

/** What says what becomes of a transfer, by the name of the noun whose money it is. */
export const transferSubjects = namedParts<TransferSubject>('subjects of transfers');

/** What is approved, by the types that approvals name. */
export const approvalSubjects = namedParts<ApprovalSubject>('subjects of approvals');

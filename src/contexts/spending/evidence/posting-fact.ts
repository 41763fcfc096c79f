// What the parts of a posting are made of. Rows are by column, and hold numbers as text, as a posting records them.
import type { Row } from '../../../platform/postgres/column.js';
import type { UsesOfTransaction } from '../pipeline/decision-record.js';

/** One movement, with what its ledger account is for and whose it is. */
export interface PostedLeg {
  kind: string;
  ownerId: string;
  currency: string;
  /** Minor units. */
  amount: bigint;
}

/** An approval with the votes that counted, by column. Neither changes once it is decided. */
export interface DecidedApproval {
  approval: Row;
  votes: readonly Row[];
}

/** A posting, by what of it never changes. */
export interface PostingFacts {
  workspaceId: string;
  transactionId: string;
  /** Workspace time, in text. */
  at: string;
  legs: readonly PostedLeg[];
  /** The transfer that it paid, and what that was after it. */
  transfer: { row: Row; status: string } | null;
  decision: Row | null;
  /** What it used of limits, and what their counters stood at before, where that is known. */
  uses: UsesOfTransaction;
  /** The x402 payment that it recorded. */
  payment: Row | null;
  /** What a paid transfer was about: the checkout, the task or the MPP session whose money it is. */
  subject: Row | null;
  /** The approval behind a paid transfer. */
  approval: DecidedApproval | null;
}

/** While money is held, its payee may be found later, and what is paid depends on what is captured. */
export function isHeld(status: string): boolean {
  return status === 'pending' || status === 'processing';
}

/** Tables whose rows say what a transfer was about, by the type of its subject. */
export const subjectTables = {
  acp_checkout: 'checkout',
  ucp_checkout: 'checkout',
  task: 'task',
  mpp_session: 'mpp_session',
} as const;
export type SubjectTable = (typeof subjectTables)[keyof typeof subjectTables];

/** Where the row stands that says what a transfer was about; null for one that is about nothing but itself. */
export function subjectOf(transfer: Row): { table: SubjectTable; id: string } | null {
  const table = subjectTables[(textIn(transfer, 'subject_type') ?? '') as keyof typeof subjectTables];
  const id = textIn(transfer, 'subject_id');
  return table === undefined || id === null ? null : { table, id };
}

/** A column of text; null where it has no value. */
export function textIn(row: Row, column: string): string | null {
  return (row[column] as string | null | undefined) ?? null;
}

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
}

/** A column of text; null where it has no value. */
export function textIn(row: Row, column: string): string | null {
  return (row[column] as string | null | undefined) ?? null;
}

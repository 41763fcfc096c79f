// The rows that a posting records beside its entries: by table, members named as the columns. The ledger knows no column of them.
import type { Row } from '../platform/postgres/column.js';

/** The tables that ledger_post() inserts into for others. It has a parameter `<table>_rows` and one statement for each. */
export const recordTables = [
  'transfer',
  'hold',
  'event',
  'outbox',
  'decision',
  'approval',
  'operation',
  'settlement_reserve',
  'x402_payment',
] as const;
/** Every table of records. Lines of the audit log are written beside ledger_post(), by the statement that calls it. */
export const allTables = [...recordTables, 'audit_entry'] as const;
export type RecordTable = (typeof allTables)[number];

/** Rows by table, made with rowOf(). */
export type Records = Readonly<Partial<Record<RecordTable, readonly Row[]>>>;

/** A row that is changed with a posting. The ledger knows no column of it; change_checkouts() names those that can be changed. */
export interface RowChange {
  kind: 'checkout';
  id: string;
  /** As the database names the row that was read: another once anybody has changed it. */
  version: string;
  /** What is changed, made with changeOf(). */
  row: Row;
}

/** What a posting changes, as ledger_post() reads it. */
export function changedRows({ workspaceId, changes = [] }: { workspaceId: string; changes?: readonly RowChange[] }): Row[] {
  return changes.map(({ id, version, row }) => ({ ...row, workspace_id: workspaceId, id, version }));
}

/** Everything that several parts of a posting record. */
export function joinRecords(...parts: readonly Records[]): Records {
  const joined: Partial<Record<RecordTable, Row[]>> = {};
  for (const part of parts) {
    for (const table of allTables) {
      const rows = part[table];
      if (rows !== undefined) joined[table] = [...(joined[table] ?? []), ...rows];
    }
  }
  return joined;
}

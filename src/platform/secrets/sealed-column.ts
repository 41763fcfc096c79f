// Columns that hold sealed values. Each is declared once, by the context of its table: what is sealed is counted, and sealed again under a new
// data key, by this list.
import { manyParts } from '../extension.js';

/** A column of sealed values. */
export interface SealedColumn {
  table: string;
  column: string;
  /** SQL: the text that is authenticated with the value. */
  rowId: string;
}

/** Every column of sealed values. */
export const sealedColumns = manyParts<SealedColumn>('columns of sealed values');

/** A column whose values are sealed with the id of their row. */
export function sealedById(table: string, column: string): SealedColumn {
  return { table, column, rowId: 'id::text' };
}

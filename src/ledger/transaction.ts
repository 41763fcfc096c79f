// Ledger transactions: what one posting wrote. The first one of a transfer that uses no limits has no row, for its transfer says all of it:
// the id, the workspace and the time (decision 0059). This file says which have one, and how statements find the transfer of any.
import type { Records } from './record.js';

/** What of a posting says whether its transaction needs a row. */
interface Posted {
  id: string;
  transferId: string | null;
  limits: readonly unknown[];
  records: Records;
}

/** Whether a posting records the transfer whose id it has: a second one with this id is then refused by the key of transfers. */
export const recordsItsTransfer = ({ id, transferId, records }: Omit<Posted, 'limits'>): boolean =>
  id === transferId && records.transfer?.some((transfer) => transfer['id'] === id) === true;

/** Whether a posting leaves a row in ledger_transaction. */
export const hasRow = (posting: Posted): boolean => posting.limits.length > 0 || !recordsItsTransfer(posting);

/**
 * The transfer of a transaction, for statements that look for what has its id: both are SQL expressions. A transaction that belongs to no
 * transfer is answered with its own id, under which nothing is found. Only the key of transactions can serve it.
 */
export const transferOf = (workspace: string, transaction: string): string =>
  `coalesce((SELECT o.transfer_id FROM ledger_transaction o WHERE o.workspace_id = ${workspace} AND o.id = ${transaction}), ${transaction})`;

// The parts of a posting before it is posted: they stand in the leaf of the line that is written with it.
import { accountFacts, knownAccounts } from '../../../ledger/account-fact.js';
import type { LimitUse, Posting } from '../../../ledger/posting.js';
import type { PostedWith } from '../../../platform/audit.js';
import type { Part } from '../../../platform/audit-leaf.js';
import { printTime, type Row, rowOf } from '../../../platform/postgres/column.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { authorityPart } from './authority-part.js';
import { decidedApproval } from './counted-vote.js';
import { decisionPart } from './decision-part.js';
import { moneyPart } from './money-part.js';
import { offerPart } from './offer-part.js';
import { isHeld, type PostingFacts, type SubjectTable, subjectOf, textIn } from './posting-fact.js';

/** What is read of a posting that is not warm. */
type Reader = Pick<Tx, 'transfer' | 'ledgerAccount' | 'checkout' | 'task' | 'mppSession' | 'approval' | 'approvalVote'>;

/** All that is written with a posting. */
export function writtenParts(facts: PostingFacts): Part[] {
  return [...moneyPart(facts), ...authorityPart(facts), ...decisionPart(facts), ...offerPart(facts)];
}

/**
 * What a posting says in the leaf of its line; undefined for one that pays no transfer and that no rule was asked of. `db` is where it is
 * posted. A warm payment reads nothing.
 */
export async function postedWith(db: Reader, value: Posting): Promise<PostedWith | undefined> {
  const [decision = null] = value.records.decision ?? [];
  const row = await transferOf(db, value);
  if (row === null && decision === null) return undefined;
  const ids = value.legs.map(({ accountId }) => accountId);
  const accounts = knownAccounts(ids) ?? (await accountFacts(db, ids));
  const transfer = row && { row, status: textIn(row, 'status') ?? '' };
  const parts = writtenParts({
    workspaceId: value.workspaceId,
    transactionId: value.id,
    at: printTime(value.at),
    legs: value.legs.map(({ currency, amount }, n) => ({ kind: '', ownerId: '', ...accounts[n], currency, amount })),
    transfer,
    decision,
    uses: { limits: value.limits.map(printUse), limitsBefore: [] },
    payment: value.records.x402_payment?.[0] ?? null,
    ...(await besideTransfer(db, transfer)),
  });
  return {
    transactionId: value.id,
    transfer: transfer && { id: value.transferId ?? '', status: transfer.status },
    decisionId: decision && textIn(decision, 'id'),
    parts,
  };
}

/** What a transfer that is paid was about, and who approved it. Most have neither, and nothing is read for them. */
async function besideTransfer(db: Reader, transfer: PostingFacts['transfer']): Promise<Pick<PostingFacts, 'subject' | 'approval'>> {
  if (transfer === null || isHeld(transfer.status)) return { subject: null, approval: null };
  const about = subjectOf(transfer.row);
  const approvalId = textIn(transfer.row, 'approval_id');
  return {
    subject: about && (await subjectRow(db, about)),
    approval: approvalId === null ? null : await decidedApproval(db, approvalId),
  };
}

async function subjectRow(db: Reader, { table, id }: { table: SubjectTable; id: string }): Promise<Row | null> {
  const where = { where: { id } };
  const found =
    table === 'checkout'
      ? await db.checkout.findFirst(where)
      : table === 'task'
        ? await db.task.findFirst(where)
        : await db.mppSession.findFirst(where);
  return found && rowOf(found);
}

/** The transfer that a posting pays: the one that it records, or one that was there before, as its transaction has changed it. */
async function transferOf(db: Reader, { transferId, transferAfter, records }: Posting): Promise<Row | null> {
  if (transferId === null) return null;
  if (transferAfter !== undefined) return transferAfter;
  const recorded = records.transfer?.find(({ id }) => id === transferId);
  if (recorded !== undefined) return recorded;
  const found = await db.transfer.findFirst({ where: { id: transferId } });
  return found && rowOf(found);
}

function printUse({ counter, window, used, reserved }: LimitUse) {
  return { counter, window, used: String(used), reserved: String(reserved) };
}

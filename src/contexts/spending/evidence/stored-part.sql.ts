// The parts of postings as their rows say them: for who reads a leaf, and for who checks it.
import type pg from 'pg';
import { transferOf } from '../../../ledger/transaction.js';
import type { Part } from '../../../platform/audit-leaf.js';
import { printTime, type Row } from '../../../platform/postgres/column.js';
import type { UsesOfTransaction } from '../pipeline/decision-record.js';
import { figuresPart } from './decision-part.js';
import { type DecidedApproval, isHeld, type PostedLeg, type PostingFacts, subjectOf, textIn } from './posting-fact.js';
import { writtenParts } from './posting-part.js';

type Reader = Pick<pg.ClientBase, 'query'>;

/** A line of the audit log, as far as it says which posting it stands with. */
export interface PostingRef {
  id: string;
  resourceId: string | null;
  transactionId: string | null;
  transferStatus: string | null;
  decisionId: string | null;
}

/** The parts of a line beside its own: those that were written with it, and those that were added when its leaf was made. */
export interface StoredParts {
  written: Part[];
  added: Part[];
}

/** The posting that a line stands with; null where there is none. */
export function transactionOf({ transactionId, resourceId, transferStatus, decisionId }: PostingRef): string | null {
  return transactionId ?? (transferStatus === null && decisionId === null ? null : resourceId);
}

/** The parts of those of the lines that stand with a posting, by the id of the line. */
export async function storedParts(pool: Reader, workspaceId: string, lines: readonly PostingRef[]) {
  const facts = await storedFacts(pool, workspaceId, lines);
  return new Map([...facts].map(([id, one]): [string, StoredParts] => [id, { written: writtenParts(one), added: figuresPart(one) }]));
}

/** The parts that are added to the leaves of lines, by the id of the line. Lines without a decision have none. */
export async function addedParts(pool: Reader, workspaceId: string, lines: readonly PostingRef[]): Promise<Map<string, Part[]>> {
  const decided = lines.filter(({ decisionId }) => decisionId !== null);
  if (decided.length === 0) return new Map();
  const [decisions, uses] = await Promise.all([
    decisionsOf(
      pool,
      workspaceId,
      decided.map(({ decisionId }) => decisionId),
    ),
    usesOf(
      pool,
      workspaceId,
      decided.map((line) => transactionOf(line) ?? ''),
    ),
  ]);
  return new Map(
    decided.map((line): [string, Part[]] => {
      const own = uses.get(transactionOf(line) ?? '') ?? { limits: null, limitsBefore: [] };
      return [line.id, figuresPart({ decision: decisions.get(line.decisionId ?? '') ?? null, uses: own })];
    }),
  );
}

async function storedFacts(pool: Reader, workspaceId: string, lines: readonly PostingRef[]): Promise<Map<string, PostingFacts>> {
  const posted = lines.flatMap((line) => {
    const transactionId = transactionOf(line);
    return transactionId === null ? [] : [{ line, transactionId }];
  });
  const ids = posted.map(({ transactionId }) => transactionId);
  const [transfers, legs, decisions, uses, payments] = await Promise.all([
    transfersOf(pool, workspaceId, ids),
    legsOf(pool, workspaceId, ids),
    decisionsOf(
      pool,
      workspaceId,
      posted.map(({ line }) => line.decisionId),
    ),
    usesOf(pool, workspaceId, ids),
    paymentsOf(pool, workspaceId, ids),
  ]);
  const [subjects, approvals] = await Promise.all([
    subjectsOf(pool, workspaceId, [...transfers.values()]),
    approvalsOf(pool, workspaceId, [...transfers.values()]),
  ]);
  const isPaid = ({ transferStatus }: PostingRef) => transferStatus !== null && !isHeld(transferStatus);
  return new Map(
    posted.map(({ line, transactionId }): [string, PostingFacts] => {
      const own = uses.get(transactionId);
      const row = line.transferStatus === null ? undefined : transfers.get(transactionId);
      const at = own?.createdAt ?? (row?.['created_at'] as Date | undefined);
      return [
        line.id,
        {
          workspaceId,
          transactionId,
          at: at === undefined ? '' : printTime(at),
          legs: legs.get(transactionId) ?? [],
          transfer: row === undefined ? null : { row, status: line.transferStatus ?? '' },
          decision: decisions.get(line.decisionId ?? '') ?? null,
          uses: { limits: own?.limits ?? null, limitsBefore: own?.limitsBefore ?? [] },
          payment: payments.get(transactionId) ?? null,
          subject: isPaid(line) ? (subjects.get(textIn(row ?? {}, 'subject_id') ?? '') ?? null) : null,
          approval: isPaid(line) ? (approvals.get(textIn(row ?? {}, 'approval_id') ?? '') ?? null) : null,
        },
      ];
    }),
  );
}

/** Transfers by the id of a posting that paid them. */
async function transfersOf(pool: Reader, workspaceId: string, ids: readonly string[]): Promise<Map<string, Row>> {
  const { rows } = await pool.query<Row & { transaction_id: string }>({
    name: 'evidence-transfers',
    text: `SELECT u.id AS transaction_id, t.* FROM unnest($2::uuid[]) AS u (id)
      CROSS JOIN LATERAL (SELECT * FROM transfer t WHERE t.workspace_id = $1 AND t.id = ${transferOf('$1', 'u.id')} OFFSET 0) t`,
    values: [workspaceId, ids],
  });
  return new Map(rows.map((row) => [row.transaction_id, row]));
}

/** The rows that say what transfers were about, by their ids. */
async function subjectsOf(pool: Reader, workspaceId: string, transfers: readonly Row[]): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const about = transfers.flatMap((transfer) => subjectOf(transfer) ?? []);
  for (const table of new Set(about.map((one) => one.table))) {
    const { rows } = await pool.query<Row & { id: string }>({
      name: `evidence-subjects-${table}`,
      text: `SELECT * FROM ${table} WHERE workspace_id = $1 AND id = ANY ($2::uuid[])`,
      values: [workspaceId, about.filter((one) => one.table === table).map(({ id }) => id)],
    });
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** The approvals of transfers with the votes that counted, by their ids. */
async function approvalsOf(pool: Reader, workspaceId: string, transfers: readonly Row[]): Promise<Map<string, DecidedApproval>> {
  const ids = transfers.flatMap((transfer) => textIn(transfer, 'approval_id') ?? []);
  if (ids.length === 0) return new Map();
  const [{ rows: approvals }, { rows: votes }] = await Promise.all([
    pool.query<Row & { id: string }>({
      name: 'evidence-approvals',
      text: 'SELECT * FROM approval WHERE workspace_id = $1 AND id = ANY ($2::uuid[])',
      values: [workspaceId, ids],
    }),
    pool.query<Row & { approval_id: string }>({
      name: 'evidence-votes',
      text: 'SELECT * FROM approval_vote WHERE workspace_id = $1 AND approval_id = ANY ($2::uuid[]) AND counted',
      values: [workspaceId, ids],
    }),
  ]);
  return new Map(
    approvals.map((approval) => [approval.id, { approval, votes: votes.filter(({ approval_id: id }) => id === approval.id) }]),
  );
}

async function legsOf(pool: Reader, workspaceId: string, ids: readonly string[]): Promise<Map<string, PostedLeg[]>> {
  const { rows } = await pool.query<{ transaction_id: string; kind: string; owner_id: string; currency: string; amount: string }>({
    name: 'evidence-legs',
    text: `SELECT e.transaction_id, a.kind, a.owner_id, e.currency, e.amount FROM unnest($2::uuid[]) AS u (id)
      CROSS JOIN LATERAL (SELECT * FROM ledger_entry e WHERE e.workspace_id = $1 AND e.transaction_id = u.id OFFSET 0) e
      CROSS JOIN LATERAL (SELECT kind, owner_id FROM ledger_account a WHERE a.workspace_id = $1 AND a.id = e.account_id OFFSET 0) a`,
    values: [workspaceId, [...new Set(ids)]],
  });
  const legs = new Map<string, PostedLeg[]>();
  for (const { transaction_id: id, kind, owner_id: ownerId, currency, amount } of rows) {
    const own = legs.get(id) ?? [];
    own.push({ kind, ownerId, currency, amount: BigInt(amount) });
    legs.set(id, own);
  }
  return legs;
}

async function decisionsOf(pool: Reader, workspaceId: string, ids: readonly (string | null)[]): Promise<Map<string, Row>> {
  const known = ids.filter((id) => id !== null);
  if (known.length === 0) return new Map();
  const { rows } = await pool.query<Row & { id: string }>({
    name: 'evidence-decisions',
    text: 'SELECT * FROM decision WHERE workspace_id = $1 AND id = ANY ($2::uuid[])',
    values: [workspaceId, known],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

interface PostedUses extends UsesOfTransaction {
  createdAt: Date;
}

async function usesOf(pool: Reader, workspaceId: string, ids: readonly string[]): Promise<Map<string, PostedUses>> {
  const { rows } = await pool.query<{ id: string; limits: PostedUses['limits']; limits_before: string[] | null; created_at: Date }>({
    name: 'evidence-uses',
    text: 'SELECT id, limits, limits_before, created_at FROM ledger_transaction WHERE workspace_id = $1 AND id = ANY ($2::uuid[])',
    values: [workspaceId, ids],
  });
  return new Map(
    rows.map(({ id, limits, limits_before: before, created_at: createdAt }) => [
      id,
      { limits, limitsBefore: (before ?? []).map(BigInt), createdAt },
    ]),
  );
}

/** Payments of x402 that were recorded by a posting have its id. Those of a chain were there before. */
async function paymentsOf(pool: Reader, workspaceId: string, ids: readonly string[]): Promise<Map<string, Row>> {
  const { rows } = await pool.query<Row & { id: string }>({
    name: 'evidence-payments',
    text: 'SELECT * FROM x402_payment WHERE workspace_id = $1 AND id = ANY ($2::uuid[]) AND rail IS NULL',
    values: [workspaceId, ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

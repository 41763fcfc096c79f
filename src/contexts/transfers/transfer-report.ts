// What finance takes out of the list of transfers: what those that are chosen come to, and their rows as CSV.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { visibleAccounts } from '../accounts/account.js';
import { visibleAgents } from '../agents/agent.js';
import { choiceOf, type TransferFilter, transfers } from './transfer-list.js';
import { sumTransfers, sumTransfersByDay, type TransferDay, type TransferSum } from './transfer-list.sql.js';

// Gap G-446: Totals add up the newest 50,000 transfers, by currency and status; `complete` says whether these are all.
/** Transfers that are added up at most: the newest. */
const mostSummed = 50_000;

export interface TransferTotals {
  count: number;
  /** False where there are more than were added up. */
  complete: boolean;
  sums: readonly TransferSum[];
}

/** What the transfers that are chosen come to, by currency and status. */
export async function transferTotals(ctx: Ctx, filter: TransferFilter): Promise<TransferTotals> {
  const sums = await sumTransfers(ctx, choiceOf(ctx, filter), mostSummed);
  const count = sums.reduce((all, sum) => all + sum.count, 0);
  return { count, complete: count < mostSummed, sums };
}

/** What the completed ones of the transfers that are chosen come to, by day and currency. */
export function transferDays(ctx: Ctx, filter: TransferFilter): Promise<TransferDay[]> {
  return sumTransfersByDay(ctx, choiceOf(ctx, filter), mostSummed);
}

/** A part of a CSV file, and the cursor of the next one. */
export interface TransferCsv {
  csv: string;
  rows: number;
  nextCursor: string | null;
}

interface Named {
  accounts: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, string>;
}

const columns: Readonly<Record<string, (row: Transfer, named: Named) => string | null | undefined>> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  completed_at: ({ completedAt }) => completedAt?.toISOString(),
  status: ({ status }) => status,
  type: ({ type }) => type,
  protocol: ({ protocol }) => protocol,
  subject_type: ({ subjectType }) => subjectType,
  subject_id: ({ subjectId }) => subjectId,
  amount: ({ amount, currency }) => formatMinor(amount, currency),
  captured_amount: ({ capturedAmount, currency }) => (capturedAmount === null ? null : formatMinor(capturedAmount, currency)),
  currency: ({ currency }) => currency,
  fee: ({ feeAmount, currency }) => formatMinor(feeAmount, currency),
  refunded_amount: ({ refundedAmount, currency }) => formatMinor(refundedAmount, currency),
  from_account_id: ({ fromAccountId }) => fromAccountId,
  from_account: ({ fromAccountId }, { accounts }) => accounts.get(fromAccountId ?? ''),
  from_wallet_id: ({ fromWalletId }) => fromWalletId,
  to_account_id: ({ toAccountId }) => toAccountId,
  to_account: ({ toAccountId }, { accounts }) => accounts.get(toAccountId ?? ''),
  to_wallet_id: ({ toWalletId }) => toWalletId,
  agent_id: ({ agentId }) => agentId,
  agent: ({ agentId }, { agents }) => agents.get(agentId ?? ''),
  mandate_id: ({ mandateId }) => mandateId,
  reference: ({ reference }) => reference,
  description: ({ description }) => description,
  failure_code: ({ failureCode }) => failureCode,
  trace_id: ({ traceId }) => traceId,
};

/** A cell of RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe. */
export function csvCell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (cells: readonly string[]) => `${cells.map(csvCell).join(',')}\r\n`;

// Gap G-445: A CSV file of payments comes in parts of 1,000 rows with the next cursor; cells that look like formulas begin with `'`.
/** The next rows of the list as CSV, newest first; the first part begins with the names of the columns. */
export async function transferCsv(ctx: Ctx, filter: TransferFilter): Promise<TransferCsv> {
  const { nodes, nextCursor } = await transfers(ctx, filter);
  const named = await namesOf(ctx, nodes);
  const rows = nodes.map((row) => line(Object.values(columns).map((read) => read(row, named) ?? '')));
  const heading = filter.after == null ? line(Object.keys(columns)) : '';
  return { csv: heading + rows.join(''), rows: rows.length, nextCursor: await nextCursor() };
}

/** Names of the accounts and agents of a page, where the actor may read them. */
async function namesOf(ctx: Ctx, rows: readonly Transfer[]): Promise<Named> {
  const query = <Where>(seen: Where, read: (row: Transfer) => (string | null)[]) => ({
    where: { AND: [{ id: { in: [...new Set(rows.flatMap(read).filter((id) => id !== null))] } }, seen] },
    select: { id: true, name: true },
  });
  const [accounts, agents] = await Promise.all([
    ctx.db.account.findMany(query(visibleAccounts.where(ctx), ({ fromAccountId, toAccountId }) => [fromAccountId, toAccountId])),
    ctx.db.agent.findMany(query(visibleAgents.where(ctx), ({ agentId }) => [agentId])),
  ]);
  const byId = (named: { id: string; name: string }[]) => new Map(named.map(({ id, name }) => [id, name]));
  return { accounts: byId(accounts), agents: byId(agents) };
}

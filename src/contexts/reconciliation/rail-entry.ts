// Lines of a rail's statement that are uploaded, because the bank gives them as a file (CONTRACT.md 12). They stand beside those that the
// rail has booked here, and are never changed.
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { parseMinor } from '../../platform/money.js';
import { newId } from '../../platform/schema/id.js';
import { isDate } from '../../platform/schema/scalar.js';
import { zodRule } from '../../platform/zod-words.js';
import type { RailEntriesInput } from './rail-entry.input.js';
import { insertStatementLines, type NewLine } from './rail-entry.sql.js';
import { currencyOf } from './report.js';
import { mostLines, readStatement } from './statement-csv.js';

/** Wrong lines that a refusal names, at most. */
const mostNamed = 100;

export interface Upload {
  id: string;
  count: number;
}

/** What a line must be, whichever way it came. */
const lineShape = z.object({
  reference: z.string().min(1).max(128),
  currency: z.string(),
  direction: z.enum(['credit', 'debit']),
  date: z.string().refine(isDate, 'must be a day such as 2026-03-01'),
  description: z.string().max(500).nullish(),
  amount: z.string(),
});

/** Adds lines to the statement of a rail: all of them, or none. 400 names each line that is wrong, by its number. */
export async function uploadEntries(ctx: Ctx, { rail, entries, csv }: RailEntriesInput): Promise<Upload> {
  const currency = currencyOf(ctx, rail);
  const at = ctx.clock.now();
  const lines = readLines({ entries, csv }, currency, at);
  const importId = newId(at);
  return transact(ctx, async (tx) => {
    await insertStatementLines(tx, { workspaceId: ctx.workspace.id, rail, currency, importId }, lines);
    return { id: importId, count: lines.length };
  });
}

/** What an upload has made. */
export async function upload(ctx: Ctx, id: string): Promise<Upload> {
  return { id, count: await ctx.db.railStatement.count({ where: { importId: id } }) };
}

function readLines({ entries, csv }: Omit<RailEntriesInput, 'rail'>, currency: string, at: Date): NewLine[] {
  if ((entries == null) === (csv == null))
    throw new ValidationFailed([{ path: ['entries'], message: 'give either entries or csv', rule: 'one_of' }]);
  const [member, given] =
    csv == null
      ? (['entries', (entries ?? []).map((entry, index) => ({ line: index, entry }))] as const)
      : (['csv', readStatement(csv, mostLines)] as const);
  if (given.length === 0 || given.length > mostLines) {
    const message = given.length === 0 ? 'has no line' : `has more than ${mostLines} lines`;
    throw new ValidationFailed([{ path: [member], message, rule: given.length === 0 ? 'min' : 'max' }]);
  }
  const wrong: FieldIssue[] = [];
  const lines: NewLine[] = [];
  for (const { line, entry } of given) {
    const read = readLine(entry, currency, at, [member, line]);
    if ('id' in read) lines.push(read);
    else wrong.push(...read.issues.map((issue) => ({ ...issue, message: csv == null ? issue.message : `line ${line}: ${issue.message}` })));
    if (wrong.length >= mostNamed) break;
  }
  if (wrong.length > 0) throw new ValidationFailed(wrong.slice(0, mostNamed));
  return lines;
}

function readLine(
  entry: object,
  carried: string,
  at: Date,
  path: readonly (string | number)[],
): NewLine | { issues: readonly FieldIssue[] } {
  const read = lineShape.safeParse(entry);
  if (!read.success) {
    return {
      issues: read.error.issues.map((issue) => ({ path: [...path, String(issue.path[0])], message: issue.message, rule: zodRule(issue) })),
    };
  }
  const { reference, amount, currency, direction, date, description = null } = read.data;
  if (currency !== carried) {
    return { issues: [{ path: [...path, 'currency'], message: `must be ${carried}, which the rail carries`, rule: 'currency' }] };
  }
  try {
    return { id: newId(at), reference, amount: String(parseMinor(amount, currency, [...path, 'amount'])), direction, date, description };
  } catch (error) {
    if (error instanceof ValidationFailed) return { issues: error.fields ?? [] };
    throw error;
  }
}

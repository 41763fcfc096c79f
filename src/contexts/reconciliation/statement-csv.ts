// A statement as CSV (RFC 4180): a header with the names of the members of an entry, in any order, then a line for each.
import { CsvError, parse } from 'csv-parse/sync';
import { ValidationFailed } from '../../platform/errors.js';

/** Gap G-189: An upload has 10,000 lines in 4 MiB, all or none; wrong lines are named by number, 100 at most. */
export const mostLines = 10_000;

const required = ['reference', 'amount', 'currency', 'direction', 'date'];
const known = [...required, 'description'];

/** A record of the file, and the line on which it ends. */
export interface CsvRecord {
  line: number;
  entry: Record<string, string | null>;
}

/** Reads at most `most` records and one. 400 for what is no CSV, and for another header. */
export function readStatement(csv: string, most: number): CsvRecord[] {
  try {
    const records = parse(csv, {
      bom: true,
      columns: checkHeader,
      info: true,
      max_record_size: 4_096,
      skip_empty_lines: true,
      to: most + 1,
      trim: true,
    }) as unknown as { record: Record<string, string>; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ line: info.lines, entry: entryOf(record) }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refused(error.message, 'csv');
  }
}

function checkHeader(header: readonly string[]): string[] {
  const names = header.map((name) => name.toLowerCase());
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) throw refused(`the header lacks ${missing.join(', ')}`, 'header');
  const strange = names.filter((name, index) => !known.includes(name) || names.indexOf(name) !== index);
  if (strange.length > 0) throw refused(`the header has ${strange.join(', ')}; it may have ${known.join(', ')}, each once`, 'header');
  return names;
}

function entryOf({
  reference = '',
  amount = '',
  currency = '',
  direction = '',
  date = '',
  description,
}: Record<string, string>): CsvRecord['entry'] {
  return { reference, amount, currency, direction: direction.toLowerCase(), date, description: description || null };
}

function refused(message: string, rule: string): ValidationFailed {
  return new ValidationFailed([{ path: ['csv'], message: message.slice(0, 300), rule }]);
}

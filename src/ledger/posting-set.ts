// A set of postings as ledger_post() takes it: an object with a list for each attribute of the type ledger_set. What can be known
// before the database is asked is worked out here: what each account and counter must cover, and running totals.
import { joinLines, outboxLines } from '../events/event.js';
import { printTime, type Row } from '../platform/postgres/column.js';
import { claimSubject, guardSubject, limitSubject } from './fault.js';
import { lowBalanceEvent } from './low-balance.js';
import type { Claim, Guard, LimitUse, Posting } from './posting.js';
import { allTables, changedRows, type RecordTable } from './record.js';
import { hasRow } from './transaction.js';

type Value = string | number | bigint | boolean | null;

/** How an attribute is read from a row of its concept. `quoted`: text that may hold anything; other values need no quotes. */
interface Attribute<T> {
  name: string;
  quoted: boolean;
  read: (row: T) => Value;
}

function attributes<T>(plain: Record<string, (row: T) => Value>, texts: Record<string, (row: T) => string | null> = {}): Attribute<T>[] {
  const all = (readers: typeof plain, quoted: boolean) => Object.entries(readers).map(([name, read]) => ({ name, quoted, read }));
  return [...all(plain, false), ...all(texts, true)];
}

/** An account that a set touches. */
interface Touched {
  workspaceId: string;
  accountId: string;
  /** Sum of its debits, and of all its entries. */
  debit: bigint;
  delta: bigint;
  /** An entry that is no return of held money raises its balance. */
  grows: boolean;
  entries: number;
  at: string;
  /** From 1, in order of workspace and id. */
  index: number;
}

interface NewEntry {
  account: Touched;
  /** Index of its transaction, from 1. */
  transaction: number;
  amount: bigint;
  /** Running total of its account within the set, and its number within it. */
  total: bigint;
  number: number;
  at: string;
}

/** A limit that a set uses: the sum of its uses against the least of its maxima. */
interface Limit extends LimitUse {
  workspaceId: string;
  at: string;
  /** From 1, in order of workspace, counter and window. */
  index: number;
}

interface NewUse {
  limit: Limit;
  /** What the uses before it in the set come to. */
  total: bigint;
}

interface InWorkspace<T> {
  workspaceId: string;
  at: string;
  value: T;
}

const accountAttributes = attributes<Touched>({
  account_workspace: ({ workspaceId }) => workspaceId,
  account_id: ({ accountId }) => accountId,
  account_debit: ({ debit }) => debit,
  account_delta: ({ delta }) => delta,
  account_grows: ({ grows }) => grows,
  account_entries: ({ entries }) => entries,
  account_at: ({ at }) => at,
});
const entryAttributes = attributes<NewEntry>({
  entry_account: ({ account }) => account.index,
  entry_transaction: ({ transaction }) => transaction,
  entry_amount: ({ amount }) => amount,
  entry_total: ({ total }) => total,
  entry_number: ({ number }) => number,
  entry_at: ({ at }) => at,
});
const transactionAttributes = attributes<InWorkspace<Posting>>({
  transaction_workspace: ({ workspaceId }) => workspaceId,
  transaction_id: ({ value }) => value.id,
  transaction_transfer: ({ value }) => value.transferId,
  transaction_at: ({ at }) => at,
  transaction_row: ({ value }) => hasRow(value),
});
const guardAttributes = attributes<InWorkspace<Guard>>({
  guard_workspace: ({ workspaceId }) => workspaceId,
  guard_kind: ({ value }) => value.kind,
  guard_id: ({ value }) => value.id,
  guard_at: ({ value, at }) => (value.at === undefined ? at : printTime(value.at)),
});
const limitAttributes = attributes<Limit>(
  {
    limit_workspace: ({ workspaceId }) => workspaceId,
    limit_used: ({ used }) => used,
    limit_reserved: ({ reserved }) => reserved,
    limit_maximum: ({ maximum }) => maximum,
    limit_at: ({ at }) => at,
  },
  {
    limit_counter: ({ counter }) => counter,
    limit_window: ({ window }) => window,
    limit_marks: ({ marks }) => (marks === undefined ? null : `{${marks.join(',')}}`),
  },
);
const useAttributes = attributes<NewUse>({
  use_limit: ({ limit }) => limit.index,
  use_total: ({ total }) => total,
});
const claimAttributes = attributes<InWorkspace<Claim>>(
  {
    claim_workspace: ({ workspaceId }) => workspaceId,
    claim_kind: ({ value }) => value.kind,
    claim_expires_at: ({ value }) => (value.expiresAt === undefined ? null : printTime(value.expiresAt)),
  },
  {
    claim_key: ({ value }) => value.key,
    claim_reference: ({ value }) => value.reference ?? null,
    claim_fingerprint: ({ value }) => value.fingerprint ?? null,
  },
);

/** Every attribute of ledger_set; the tests hold them to the catalog. */
export const setAttributes: readonly string[] = [
  ...[accountAttributes, entryAttributes, transactionAttributes, guardAttributes, limitAttributes, useAttributes, claimAttributes].flatMap(
    (list) => (list as Attribute<never>[]).map(({ name }) => name),
  ),
  'transaction_limits',
  'transaction_first_use',
  'transaction_last_use',
  'left_events',
  'low_event',
  'checkout_changes',
];

/** The arguments of ledger_post() by name: `s` is the set, `<table>_rows` are the rows that are recorded with it. */
export type SetArguments = { s: Record<string, unknown> } & { [T in RecordTable as `${T}_rows`]?: readonly Row[] };

/** The arguments of ledger_post() for `postings`. */
export function encodeSet(postings: readonly Posting[]): SetArguments {
  const rows = postings.map((value) => ({ workspaceId: value.workspaceId, at: printTime(value.at), value }));
  const { accounts, entries } = entriesOf(rows);
  const s: Record<string, unknown> = { low_event: lowBalanceEvent };
  writeLists(s, accountAttributes, accounts);
  writeLists(s, entryAttributes, entries);
  writeLists(s, transactionAttributes, rows);
  writeLists(s, guardAttributes, guardsOf(rows));
  writeLists(s, claimAttributes, claimsOf(rows));
  if (postings.some(({ limits }) => limits.length > 0)) writeLimits(s, rows);
  const left = postings.flatMap(({ records }) => records.event?.filter(saysLeft) ?? []);
  if (left.length > 0) s['left_events'] = left;
  const changes = postings.flatMap(changedRows);
  if (changes.length > 0) s['checkout_changes'] = changes;
  return { s, ...recordsOf(postings) };
}

/** Writes a list for each attribute; none when there are no rows. */
function writeLists<T>(set: Record<string, unknown>, of: readonly Attribute<T>[], rows: readonly T[]): void {
  if (rows.length === 0) return;
  for (const { name, quoted, read } of of) set[name] = quoted ? rows.map(read) : plainList(rows, read);
}

/** An array as PostgreSQL spells it, of values that need no quotes: it takes half the time that a list of JSON does. */
function plainList<T>(rows: readonly T[], read: (row: T) => Value): string {
  let text = '{';
  for (const row of rows) text += `${text === '{' ? '' : ','}${read(row) ?? 'NULL'}`;
  return `${text}}`;
}

/** The accounts of a set in order, and its entries. */
function entriesOf(postings: readonly InWorkspace<Posting>[]): { accounts: Touched[]; entries: NewEntry[] } {
  const accounts = new Map<string, Touched>();
  const entries: NewEntry[] = [];
  for (const [n, { workspaceId, at, value }] of postings.entries()) {
    for (const leg of value.legs) {
      const account = touch(accounts, workspaceId, leg.accountId, at);
      account.delta += leg.amount;
      account.entries += 1;
      if (leg.amount < 0n) account.debit -= leg.amount;
      else if (leg.returns !== true) account.grows = true;
      if (at > account.at) account.at = at;
      entries.push({ account, transaction: n + 1, amount: leg.amount, total: account.delta, number: account.entries, at: account.at });
    }
  }
  const sorted = inOrderOfKey(accounts);
  for (const [n, account] of sorted.entries()) account.index = n + 1;
  return { accounts: sorted, entries };
}

/** Two workspaces that name one account name two: the database finds it for its own alone. */
function touch(accounts: Map<string, Touched>, workspaceId: string, accountId: string, at: string): Touched {
  const key = `${workspaceId} ${accountId}`;
  let touched = accounts.get(key);
  if (touched === undefined) {
    touched = { workspaceId, accountId, debit: 0n, delta: 0n, grows: false, entries: 0, at, index: 0 };
    accounts.set(key, touched);
  }
  return touched;
}

function inOrderOfKey<T>(rows: ReadonlyMap<string, T>): T[] {
  return [...rows.keys()].sort().map((key) => rows.get(key) as T);
}

/** The limits of a set, and the uses of each of its transactions. */
function writeLimits(set: Record<string, unknown>, postings: readonly InWorkspace<Posting>[]): void {
  const { limits, uses } = limitsOf(postings);
  writeLists(set, limitAttributes, limits);
  writeLists(set, useAttributes, uses);
  set['transaction_limits'] = postings.map(({ value }) => (value.limits.length === 0 ? null : value.limits.map(printUse)));
  let last = 0;
  const ranges = postings.map(({ value }) => {
    const first = last + 1;
    last += value.limits.length;
    return { first, last };
  });
  set['transaction_first_use'] = plainList(ranges, ({ first }) => first);
  set['transaction_last_use'] = plainList(ranges, (range) => range.last);
}

const printUse = ({ counter, window, used, reserved }: LimitUse) => ({ counter, window, used: `${used}`, reserved: `${reserved}` });

/** Every guard once. Of a row that expires the latest time counts. */
function guardsOf(postings: readonly InWorkspace<Posting>[]): InWorkspace<Guard>[] {
  const guards = new Map<string, InWorkspace<Guard>>();
  for (const { workspaceId, at, value } of postings) {
    for (const guard of value.guards) {
      const key = guardSubject(workspaceId, guard);
      const known = guards.get(key)?.value.at;
      if (known === undefined || (guard.at !== undefined && guard.at > known)) guards.set(key, { workspaceId, at, value: guard });
    }
  }
  return [...guards.values()];
}

/** Every counter once, in order, and every use of one. */
function limitsOf(postings: readonly InWorkspace<Posting>[]): { limits: Limit[]; uses: NewUse[] } {
  const counters = new Map<string, Limit>();
  const uses: NewUse[] = [];
  for (const { workspaceId, at, value } of postings) {
    for (const use of value.limits) {
      const key = limitSubject(workspaceId, use);
      const limit = counters.get(key);
      if (limit === undefined) {
        const first: Limit = { ...use, workspaceId, at, index: 0 };
        counters.set(key, first);
        uses.push({ limit: first, total: 0n });
      } else {
        uses.push({ limit, total: clipped(limit.used + limit.reserved) });
        limit.used += use.used;
        limit.reserved += use.reserved;
        limit.maximum = least(limit.maximum, use.maximum);
        limit.marks = use.marks ?? limit.marks;
      }
    }
  }
  const limits = inOrderOfKey(counters);
  for (const [n, limit] of limits.entries()) limit.index = n + 1;
  return { limits, uses };
}

/** What no bigint holds passes every maximum, so that the set is refused; the database has to be able to read it until then. */
function clipped(total: bigint): bigint {
  return total > largestBigint ? largestBigint : total;
}
const largestBigint = 2n ** 63n - 1n;

const least = (a: bigint | null, b: bigint | null): bigint | null => (a !== null && (b === null || a < b) ? a : b);

function claimsOf(postings: readonly InWorkspace<Posting>[]): InWorkspace<Claim>[] {
  const claims = new Map<string, InWorkspace<Claim>>();
  for (const { workspaceId, at, value } of postings) {
    for (const claim of value.claims) claims.set(claimSubject(workspaceId, claim), { workspaceId, at, value: claim });
  }
  return inOrderOfKey(claims);
}

/** Whether an event says what limits have left, which ledger_post() puts into it. */
const saysLeft = (event: Row): boolean => event['left'] !== undefined;

function recordsOf(postings: readonly Posting[]): Omit<SetArguments, 's'> {
  const records: Record<string, readonly Row[]> = {};
  for (const table of allTables) {
    const rows = postings.flatMap(({ records: own }) => {
      if (table === 'outbox') return outboxLines(own);
      return table === 'event' ? (own.event ?? []).filter((event) => !saysLeft(event)) : (own[table] ?? []);
    });
    if (rows.length > 0) records[`${table}_rows`] = table === 'outbox' ? joinLines(rows) : rows;
  }
  return records;
}

// A set of postings as ledger_post() takes it. What can be known before the database is asked is worked out here: what each
// account and counter must cover, and how far an account has come with each entry.
import type { Transfer } from '../generated/prisma/client.js';
import { sidesById } from '../platform/events.js';
import type { LimitUse, NewHold, Posting } from './posting.js';

/** Something that stands in the way of a set: the account, spender (its place among the spenders), counter, key or reference. */
export interface Fault {
  kind: 'account' | 'spender' | 'limit' | 'claim' | 'reference';
  subject: string;
  refusal: string;
  detail: Record<string, string> | null;
}

const types = [
  ...['uuid[]', 'uuid[]', 'bigint[]', 'bigint[]', 'int[]', 'timestamptz[]'],
  ...['uuid[]', 'uuid[]', 'bigint[]', 'bigint[]', 'int[]', 'timestamptz[]'],
  ...['uuid[]', 'uuid[]', 'uuid[]', 'timestamptz[]'],
  ...['uuid[]', 'uuid[]', 'uuid[]', 'uuid[]'],
  ...['json'],
  ...['uuid[]', 'uuid[]', 'text[]', 'uuid[]', 'uuid[]', 'timestamptz[]', 'json', 'jsonb'],
  ...['jsonb'],
];
/** The statement that posts one set; its arguments come from encodeSet(). */
export const postSet = `SELECT kind, subject, refusal, detail FROM ledger_post(${types.map((type, i) => `$${i + 1}::${type}`).join(', ')})`;
/** The statement that posts several sets one after the other; its argument is a JSON list of encodeSet()s. */
export const postEach = 'SELECT n, kind, subject, refusal, detail FROM ledger_post_each($1::jsonb)';

interface Touched {
  accountId: string;
  workspaceId: string;
  debit: bigint;
  delta: bigint;
  entries: number;
  at: string;
}

/** A PostgreSQL array of values that need no quotes. */
function list(values: readonly (string | bigint | number | null | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** The key under which a fault names a counter. */
export function counterKey(workspaceId: string, { counter, window }: Pick<LimitUse, 'counter' | 'window'>): string {
  return `${workspaceId} ${counter} ${window}`;
}

/** The spenders of a set, each once, in the order that faults count them. */
export function spendersOf(postings: readonly Posting[]): Map<string, Posting> {
  const spenders = new Map<string, Posting>();
  for (const posting of postings) {
    const { agentId, sessionId, apiKeyId } = posting.spender;
    if (agentId ?? sessionId ?? apiKeyId) spenders.set(spenderKey(posting), posting);
  }
  return spenders;
}

/** The key that tells the spenders of a set apart. */
export function spenderKey({ workspaceId, spender }: Posting): string {
  return `${workspaceId} ${spender.agentId} ${spender.sessionId} ${spender.apiKeyId}`;
}

/** The arguments of ledger_post() for `postings`. */
export function encodeSet(postings: readonly Posting[]): (string | null)[] {
  const accounts = new Map<string, Touched>();
  const columns: (string | bigint | number)[][] = [[], [], [], [], [], []];
  const [account, transaction, amount, delta, number, time] = columns as [string[], string[], bigint[], bigint[], number[], string[]];
  for (const { id, workspaceId, at, legs } of postings) {
    const iso = at.toISOString();
    for (const leg of legs) {
      // An account that a posting of another workspace names too is asked for twice, so that the database refuses that one.
      const key = `${leg.accountId} ${workspaceId}`;
      let touched = accounts.get(key);
      if (touched === undefined) {
        touched = { accountId: leg.accountId, workspaceId, debit: 0n, delta: 0n, entries: 0, at: iso };
        accounts.set(key, touched);
      }
      touched.delta += leg.amount;
      touched.entries += 1;
      if (leg.amount < 0n) touched.debit -= leg.amount;
      if (iso > touched.at) touched.at = iso;
      account.push(leg.accountId);
      transaction.push(id);
      amount.push(leg.amount);
      delta.push(touched.delta);
      number.push(touched.entries);
      time.push(touched.at);
    }
  }
  const sorted = [...accounts.keys()].sort().map((key) => accounts.get(key) as Touched);
  const spenders = [...spendersOf(postings).values()];
  return [
    list(sorted.map((a) => a.accountId)),
    list(sorted.map((a) => a.workspaceId)),
    list(sorted.map((a) => a.debit)),
    list(sorted.map((a) => a.delta)),
    list(sorted.map((a) => a.entries)),
    list(sorted.map((a) => a.at)),
    ...columns.map(list),
    list(postings.map((p) => p.id)),
    list(postings.map((p) => p.workspaceId)),
    list(postings.map((p) => p.transferId)),
    list(postings.map((p) => p.at.toISOString())),
    list(spenders.map((p) => p.workspaceId)),
    list(spenders.map((p) => p.spender.agentId)),
    list(spenders.map((p) => p.spender.sessionId)),
    list(spenders.map((p) => p.spender.apiKeyId)),
    rows(postings.flatMap((p) => (p.transfer === undefined ? [] : [transferRow(p.transfer)]))),
    ...encodeEvents(postings),
    encodeExtras(postings),
  ];
}

function rows(values: readonly object[]): string | null {
  return values.length === 0 ? null : JSON.stringify(values);
}

function encodeEvents(postings: readonly Posting[]): (string | null)[] {
  const events = postings.flatMap((posting) => posting.events);
  const workspaces = postings.flatMap(({ workspaceId, events: { length } }) => new Array<string>(length).fill(workspaceId));
  // The events of one posting often say the same.
  let said: object | undefined;
  let text = '';
  const data = events.map((event) => {
    if (event.data !== said) text = JSON.stringify(event.data);
    said = event.data;
    return text;
  });
  return [
    list(workspaces),
    list(events.map(({ id }) => id)),
    list(events.map(({ type }) => type)),
    list(events.map(({ objectId }) => objectId)),
    list(events.map(({ agentId }) => agentId)),
    list(events.map(({ createdAt }) => createdAt.toISOString())),
    `[${data.join(',')}]`,
    sidesById(events),
  ];
}

/** What only some postings carry; null when none does. */
function encodeExtras(postings: readonly Posting[]): string | null {
  const limits = limitRows(postings);
  const claims = postings.flatMap(claimRow);
  const holds = postings.flatMap((p) => (p.hold === undefined ? [] : [holdRow(p, p.hold)]));
  const references = postings.flatMap((p) =>
    p.transfer?.reference ? [{ workspace_id: p.workspaceId, reference: p.transfer.reference }] : [],
  );
  if (limits.length + claims.length + holds.length + references.length === 0) return null;
  return JSON.stringify({
    ...(limits.length > 0 && { limits }),
    ...(claims.length > 0 && { claims }),
    ...(holds.length > 0 && { holds }),
    ...(references.length > 0 && { references }),
  });
}

/** Every counter once, in order: the sum of its uses against the least of its maxima. */
function limitRows(postings: readonly Posting[]): object[] {
  const counters = new Map<string, LimitUse & { workspaceId: string }>();
  for (const { workspaceId, limits } of postings) {
    for (const use of limits) {
      const key = counterKey(workspaceId, use);
      const sum = counters.get(key);
      if (sum === undefined) counters.set(key, { ...use, workspaceId });
      else {
        sum.used += use.used;
        sum.reserved += use.reserved;
        if (sum.maximum === null || (use.maximum !== null && use.maximum < sum.maximum)) sum.maximum = use.maximum;
      }
    }
  }
  const sorted = [...counters].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { workspaceId, ...use }]) => ({
    workspace_id: workspaceId,
    requested: (use.used + use.reserved).toString(),
    ...limitRow(use),
  }));
}

function limitRow({ counter, window, used, reserved, maximum }: LimitUse): object {
  return { counter, window, used: used.toString(), reserved: reserved.toString(), maximum: maximum?.toString() ?? null };
}

function claimRow({ workspaceId, claim }: Posting): object[] {
  if (claim === undefined) return [];
  const { id, fingerprint, expiresAt } = claim.key;
  return [
    {
      id: id.toString('hex'),
      workspace_id: workspaceId,
      fingerprint: fingerprint.toString('hex'),
      reference: claim.reference,
      expires_at: expiresAt,
    },
  ];
}

function holdRow({ workspaceId, transferId, at }: Posting, hold: NewHold): object {
  return {
    workspace_id: workspaceId,
    id: hold.id,
    transfer_id: transferId,
    from_account_id: hold.fromAccountId,
    held_account_id: hold.heldAccountId,
    to_account_id: hold.toAccountId,
    currency: hold.currency,
    amount: hold.amount.toString(),
    limits: hold.limits.map(limitRow),
    created_at: at,
  };
}

/** Members of a transfer that are set, under their column names. */
function transferRow(transfer: Transfer): object {
  const row: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(transfer)) {
    if (value !== null && value !== undefined) row[columnOf(field)] = typeof value === 'bigint' ? value.toString() : value;
  }
  return row;
}

const columnNames = new Map<string, string>();
/** `fromWalletId` is `from_wallet_id`. */
function columnOf(field: string): string {
  let column = columnNames.get(field);
  if (column === undefined) {
    column = field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    columnNames.set(field, column);
  }
  return column;
}

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
  ...['int[]', 'int[]', 'bigint[]', 'bigint[]', 'int[]', 'timestamptz[]'],
  ...['uuid[]', 'uuid[]', 'uuid[]', 'timestamptz[]'],
  ...['uuid[]', 'uuid[]', 'uuid[]', 'uuid[]'],
  ...['int[]', 'transfer_type[]', 'transfer_status[]', 'bigint[]', 'text[]'],
  ...['uuid[]', 'uuid[]', 'uuid[]', 'uuid[]', 'protocol[]', 'capture_mode[]'],
  ...['initiator_type[]', 'uuid[]', 'uuid[]', 'timestamptz[]', 'jsonb'],
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
  /** From 1, in order of id. */
  place: number;
}

type Value = string | bigint | number | null | undefined;

/** A PostgreSQL array of values that need no quotes. */
function list<T>(rows: readonly T[], value: (row: T, place: number) => Value): string {
  let text = '{';
  for (let place = 0; place < rows.length; place += 1) text += `${place === 0 ? '' : ','}${value(rows[place] as T, place) ?? 'NULL'}`;
  return `${text}}`;
}

type PrintTime = (at: Date) => string;

/** Prints times; the same one, which a posting names several times, once. */
function timePrinter(): PrintTime {
  let last: Date | undefined;
  let text = '';
  return (at) => {
    if (at !== last) text = at.toISOString();
    last = at;
    return text;
  };
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
  const print = timePrinter();
  const times = postings.map(({ at }) => print(at));
  const spenders = [...spendersOf(postings).values()];
  return [
    ...encodeEntries(postings, times),
    list(postings, ({ id }) => id),
    list(postings, ({ workspaceId }) => workspaceId),
    list(postings, ({ transferId }) => transferId),
    list(postings, (_, n) => times[n]),
    list(spenders, ({ workspaceId }) => workspaceId),
    list(spenders, ({ spender }) => spender.agentId),
    list(spenders, ({ spender }) => spender.sessionId),
    list(spenders, ({ spender }) => spender.apiKeyId),
    ...encodeTransfers(postings, print),
    ...encodeEvents(postings, print),
    encodeExtras(postings),
  ];
}

interface NewEntry {
  touched: Touched;
  /** Place of its transaction, from 1. */
  transaction: number;
  amount: bigint;
  /** How far its account has come with it. */
  delta: bigint;
  number: number;
  at: string;
}

/** Accounts and entries. */
function encodeEntries(postings: readonly Posting[], times: readonly string[]): string[] {
  const accounts = new Map<string, Touched>();
  const entries: NewEntry[] = [];
  for (const [n, { workspaceId, legs }] of postings.entries()) {
    const iso = times[n] as string;
    for (const { accountId, amount } of legs) {
      // An account that a posting of another workspace names too is asked for twice, so that the database refuses that one.
      const key = `${accountId} ${workspaceId}`;
      let touched = accounts.get(key);
      if (touched === undefined) {
        touched = { accountId, workspaceId, debit: 0n, delta: 0n, entries: 0, at: iso, place: 0 };
        accounts.set(key, touched);
      }
      touched.delta += amount;
      touched.entries += 1;
      if (amount < 0n) touched.debit -= amount;
      if (iso > touched.at) touched.at = iso;
      entries.push({ touched, transaction: n + 1, amount, delta: touched.delta, number: touched.entries, at: touched.at });
    }
  }
  const sorted = [...accounts.keys()].sort().map((key) => accounts.get(key) as Touched);
  sorted.forEach((touched, n) => {
    touched.place = n + 1;
  });
  return [
    list(sorted, ({ accountId }) => accountId),
    list(sorted, ({ workspaceId }) => workspaceId),
    list(sorted, ({ debit }) => debit),
    list(sorted, ({ delta }) => delta),
    list(sorted, (touched) => touched.entries),
    list(sorted, ({ at }) => at),
    list(entries, ({ touched }) => touched.place),
    list(entries, ({ transaction }) => transaction),
    list(entries, ({ amount }) => amount),
    list(entries, ({ delta }) => delta),
    list(entries, ({ number }) => number),
    list(entries, ({ at }) => at),
  ];
}

/** Transfers that are new. Id, workspace and time are those of their transaction. */
function encodeTransfers(postings: readonly Posting[], print: PrintTime): (string | null)[] {
  const places: number[] = [];
  const transfers: Transfer[] = [];
  let plain = true;
  for (const [n, { transfer }] of postings.entries()) {
    if (transfer === undefined) continue;
    places.push(n + 1);
    transfers.push(transfer);
    plain &&= isPlain(transfer);
  }
  return [
    list(places, (place) => place),
    list(transfers, ({ type }) => type),
    list(transfers, ({ status }) => status),
    list(transfers, ({ amount }) => amount),
    list(transfers, ({ currency }) => currency),
    list(transfers, ({ fromAccountId }) => fromAccountId),
    list(transfers, ({ toAccountId }) => toAccountId),
    list(transfers, ({ fromWalletId }) => fromWalletId),
    list(transfers, ({ toWalletId }) => toWalletId),
    list(transfers, ({ protocol }) => protocol),
    list(transfers, ({ capture }) => capture),
    list(transfers, ({ initiatedByType }) => initiatedByType),
    list(transfers, ({ initiatedById }) => initiatedById),
    list(transfers, ({ agentId }) => agentId),
    list(transfers, ({ completedAt }) => completedAt && print(completedAt)),
    plain ? null : JSON.stringify(transfers.map(restOf)),
  ];
}

function isPlain({ description, reference, metadata, holdId }: Transfer): boolean {
  return description === null && reference === null && holdId === null && Object.keys(metadata as object).length === 0;
}

/** What few transfers have. */
function restOf({ description, reference, metadata, holdId, capturedAmount, holdExpiresAt, dueAt }: Transfer): object {
  return {
    description,
    reference,
    metadata,
    hold_id: holdId,
    captured_amount: capturedAmount?.toString() ?? null,
    hold_expires_at: holdExpiresAt,
    due_at: dueAt,
  };
}

function encodeEvents(postings: readonly Posting[], print: PrintTime): (string | null)[] {
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
    list(workspaces, (workspace) => workspace),
    list(events, ({ id }) => id),
    list(events, ({ type }) => type),
    list(events, ({ objectId }) => objectId),
    list(events, ({ agentId }) => agentId),
    list(events, ({ createdAt }) => print(createdAt)),
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

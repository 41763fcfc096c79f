// Names in place of ids (CONTRACT.md 24): a file that is applied in several environments says `{agent: researcher}` where a request says an
// id. A reference must name exactly one thing; a thing that no reference names alone is written with its id.
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Ctx } from '../../platform/ctx.js';
import { mapValues, type Settings } from './thing.js';

/** A reference as it is written: one member, which says what is named. */
export type Reference = Readonly<Record<string, unknown>>;

type NamedKind = 'account' | 'agent' | 'merchant' | 'member';
const namedKinds: readonly NamedKind[] = ['account', 'agent', 'merchant', 'member'];
/** Everything that a reference may name. */
const referenceKinds: readonly string[] = [...namedKinds, 'wallet', 'budget'];

interface Row {
  id: string;
  name: string | null;
}

type By = { ids: readonly string[] } | { names: readonly string[] };

/** The rows of a kind that have one of the ids, or of the names. What has ended is not named by its name. */
function rowsOf({ db }: Ctx, kind: NamedKind, by: By): PromiseLike<Row[]> {
  const id = 'ids' in by ? { id: { in: [...by.ids] } } : {};
  const names = 'names' in by ? { in: [...by.names] } : undefined;
  switch (kind) {
    case 'account': {
      const where = names === undefined ? id : { customerReference: names, status: { not: 'closed' as const } };
      return db.account
        .findMany({ where, select: { id: true, customerReference: true } })
        .then((rows) => rows.map((row) => ({ id: row.id, name: row.customerReference })));
    }
    case 'agent': {
      const where = names === undefined ? id : { name: names, status: { not: 'revoked' as const } };
      return db.agent.findMany({ where, select: { id: true, name: true } });
    }
    case 'merchant':
      return db.merchant.findMany({ where: names === undefined ? id : { name: names }, select: { id: true, name: true } });
    case 'member': {
      const where = names === undefined ? id : { email: names, status: 'active' as const };
      return db.member
        .findMany({ where, select: { id: true, email: true } })
        .then((rows) => rows.map((row) => ({ id: row.id, name: row.email })));
    }
  }
}

/** The reference of each of the ids that one names alone. */
export async function referencesOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Reference>> {
  const references = new Map<string, Reference>();
  const wallets = await ctx.db.wallet.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, accountId: true, agentId: true, currency: true },
  });
  const owners = wallets.flatMap(({ accountId, agentId }) => agentId ?? accountId ?? []);
  const asked = [...new Set([...ids, ...owners])];
  if (asked.length === 0) return references;
  for (const kind of namedKinds) {
    const rows = await rowsOf(ctx, kind, { ids: asked });
    const alone = await namedAlone(ctx, kind, rows);
    for (const [id, name] of alone) references.set(id, { [kind]: name });
  }
  for (const [id, reference] of await walletReferences(ctx, wallets, references)) references.set(id, reference);
  return references;
}

/** Those of the rows whose name is nobody else's, by id. */
async function namedAlone(ctx: Ctx, kind: NamedKind, rows: readonly Row[]): Promise<Map<string, string>> {
  const names = [...new Set(rows.flatMap(({ name }) => name ?? []))];
  if (names.length === 0) return new Map();
  const bearers = new Map<string, string[]>();
  for (const { id, name } of await rowsOf(ctx, kind, { names })) bearers.set(name ?? '', [...(bearers.get(name ?? '') ?? []), id]);
  return new Map(rows.flatMap(({ id, name }) => (name !== null && bearers.get(name)?.join() === id ? [[id, name] as const] : [])));
}

type WalletRow = { id: string; accountId: string | null; agentId: string | null; currency: string };

/** Wallets are named by their owner and currency, where the owner has no other one in it. */
async function walletReferences(
  ctx: Ctx,
  wallets: readonly WalletRow[],
  owners: ReadonlyMap<string, Reference>,
): Promise<Map<string, Reference>> {
  const named = wallets.flatMap((wallet) => {
    const owner = owners.get(wallet.agentId ?? wallet.accountId ?? '');
    return owner === undefined ? [] : [{ id: wallet.id, reference: { wallet: { owner, currency: wallet.currency } } }];
  });
  const found = await idsOfWallets(
    ctx,
    named.map(({ reference }) => reference),
    new Map([...owners].map(([id, owner]) => [keyOf(owner), [id]])),
  );
  return new Map(named.flatMap(({ id, reference }) => (found.get(keyOf(reference))?.join() === id ? [[id, reference] as const] : [])));
}

/** What a reference is looked up by. */
export function keyOf(reference: Reference): string {
  return canonicalJson(reference);
}

/** The reference that `value` is; undefined for anything else. */
export function asReference(value: unknown): Reference | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [kind, ...others] = Object.keys(value);
  if (kind === undefined || others.length > 0 || !referenceKinds.includes(kind)) return undefined;
  const named = (value as Reference)[kind];
  if (kind !== 'wallet') return typeof named === 'string' ? (value as Reference) : undefined;
  const { owner, currency } = (named ?? {}) as Reference;
  return asReference(owner) !== undefined && typeof currency === 'string' ? (value as Reference) : undefined;
}

/** The references among settings. */
export function referencesIn(settings: Settings): Reference[] {
  const found: Reference[] = [];
  mapValues(settings, (value) => {
    const reference = asReference(value);
    if (reference === undefined) return value;
    found.push(reference);
    return null;
  });
  return found;
}

/** The ids that each reference names, by its key; none for a reference that names nothing. Budgets are known to their caller alone. */
export async function idsOf(ctx: Ctx, references: readonly Reference[]): Promise<Map<string, readonly string[]>> {
  const owners = references.flatMap((reference) => ('wallet' in reference ? [(reference['wallet'] as { owner: Reference }).owner] : []));
  const found = new Map<string, readonly string[]>();
  for (const kind of namedKinds) {
    const names = [...new Set([...references, ...owners].flatMap((reference) => (kind in reference ? [String(reference[kind])] : [])))];
    if (names.length === 0) continue;
    for (const { id, name } of await rowsOf(ctx, kind, { names })) {
      const key = keyOf({ [kind]: name });
      found.set(key, [...(found.get(key) ?? []), id]);
    }
  }
  const wallets = references.filter((reference) => 'wallet' in reference);
  for (const [key, ids] of await idsOfWallets(ctx, wallets, found)) found.set(key, ids);
  return found;
}

/** The ids of wallets by their references, where the ids of their owners are known. */
async function idsOfWallets(
  { db }: Ctx,
  references: readonly Reference[],
  owners: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, readonly string[]>> {
  const asked = references.map((reference) => {
    const { owner, currency } = reference['wallet'] as { owner: Reference; currency: string };
    return { key: keyOf(reference), ownerIds: owners.get(keyOf(owner)) ?? [], currency };
  });
  const ownerIds = [...new Set(asked.flatMap((one) => one.ownerIds))];
  if (ownerIds.length === 0) return new Map();
  const rows = await db.wallet.findMany({
    where: { OR: [{ agentId: { in: ownerIds } }, { accountId: { in: ownerIds }, agentId: null }], status: { not: 'closed' } },
    select: { id: true, accountId: true, agentId: true, currency: true },
  });
  return new Map(
    asked.map(({ key, ownerIds: own, currency }) => [
      key,
      rows.filter((row) => row.currency === currency && own.includes(row.agentId ?? row.accountId ?? '')).map(({ id }) => id),
    ]),
  );
}

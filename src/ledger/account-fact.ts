// What never changes about a ledger account, kept in the process: what it is for, and whose it is.
import { LRUCache } from 'lru-cache';
import type { Tx } from '../platform/postgres/database.js';

/** Of what kind an account is (`wallet.available`, `world`), and what owns it. */
export interface AccountFact {
  kind: string;
  ownerId: string;
}

/** Some hundred bytes each. Ids are unique over all workspaces. */
const known = new LRUCache<string, AccountFact>({ max: 100_000 });

/** Remembers an account that is known anyway. */
export function rememberAccount(id: string, fact: AccountFact): void {
  known.set(id, fact);
}

/** What is known of accounts of the workspace; undefined where one of them has to be read first. */
export function knownAccounts(ids: readonly string[]): AccountFact[] | undefined {
  const facts = ids.map((id) => known.get(id));
  return facts.every((fact) => fact !== undefined) ? facts : undefined;
}

/** The facts of accounts of the workspace, in their order. `db` sees those that its transaction has opened. */
export async function accountFacts(db: Pick<Tx, 'ledgerAccount'>, ids: readonly string[]): Promise<AccountFact[]> {
  const missing = ids.filter((id) => !known.has(id));
  const rows = await db.ledgerAccount.findMany({ where: { id: { in: missing } }, select: { id: true, kind: true, ownerId: true } });
  for (const { id, kind, ownerId } of rows) known.set(id, { kind, ownerId });
  return ids.map((id) => {
    const fact = known.get(id);
    if (fact === undefined) throw new Error(`the ledger account ${id} is not there`);
    return fact;
  });
}

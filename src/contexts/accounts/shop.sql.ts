// Of which merchant a host is, as the directory has it: the row of any cell, which no workspace bounds.
import type pg from 'pg';
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';

/** Whose a host is. */
export interface ShopEntry {
  merchantId: string;
  workspaceId: string;
}

const entryOfHost: Statement = {
  name: 'shop-of-host',
  text: `SELECT id AS "merchantId", workspace_id AS "workspaceId" FROM credential WHERE hash = $1 AND kind = 'shop_host'`,
};

/** The merchant of a host by its hash; null where it is nobody's. */
export async function entryOf(pool: pg.Pool, hash: Buffer): Promise<ShopEntry | null> {
  return (await pool.query<ShopEntry>({ ...entryOfHost, values: [hash] })).rows[0] ?? null;
}

/** The same, as a transaction of that database sees it. */
export async function entryWithin(tx: Tx, hash: Buffer): Promise<ShopEntry | null> {
  return (await runIn<ShopEntry & pg.QueryResultRow>(tx, entryOfHost, [hash]))[0] ?? null;
}

const hold: Statement = {
  name: 'merchant-hold',
  text: `SELECT account_id AS "accountId", shop_hosts AS "shopHosts" FROM merchant WHERE workspace_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
};

/** What is asked of a merchant that is about to be changed. */
export interface HeldMerchant {
  accountId: string;
  shopHosts: string[];
}

/** The merchant, kept as it is until the transaction ends: whoever changes its hosts too waits. Undefined for none. */
export async function holdMerchant(tx: Tx, workspaceId: string, id: string): Promise<HeldMerchant | undefined> {
  return (await runIn<HeldMerchant & pg.QueryResultRow>(tx, hold, [workspaceId, id]))[0];
}

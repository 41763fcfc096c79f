// Checkouts that are about to be paid. What is asked for at the same time is read together, with the merchants: one round trip for many.
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { camelCase } from '../../platform/snake-case.js';
import { Batch } from '../../platform/statement-batch.js';
import type { Seller } from './merchant-price.js';

/** A checkout as it was read, and its merchant. */
export interface Payable {
  row: Checkout;
  /** Names the row as it was read, for the posting that changes it. */
  version: string;
  seller: Seller;
}

interface Name {
  workspaceId: string;
  id: string;
}

type Found = Record<string, unknown> & { version: string };

const statement = {
  name: 'payable-checkouts',
  text: `
    SELECT (p.checkout).*, p.version, (p.seller).metadata AS seller_metadata, (p.seller).accepts_buyer_prices AS seller_accepts_buyer_prices
    FROM (VALUES ($1::uuid[])) AS w (workspace_ids) CROSS JOIN LATERAL payable_checkouts(w.workspace_ids, $2::uuid[], $3::boolean) p`,
};

const readers = new WeakMap<Platform, Batch<Name, Payable | undefined>>();

/** The checkout as it is now; undefined for none. */
export function readPayable({ platform, workspace }: Ctx, id: string): Promise<Payable | undefined> {
  let reader = readers.get(platform);
  if (reader === undefined) {
    reader = new Batch((names) => read(platform, names, false));
    readers.set(platform, reader);
  }
  return reader.add({ workspaceId: workspace.id, id });
}

/** The same, once whoever is changing it has ended. It waits alone, so that nobody else waits for it. */
export async function readSettled({ platform, workspace }: Ctx, id: string): Promise<Payable | undefined> {
  const [found] = await read(platform, [{ workspaceId: workspace.id, id }], true);
  return found;
}

async function read({ database }: Platform, names: readonly Name[], settled: boolean): Promise<(Payable | undefined)[]> {
  const distinct = [...new Map(names.map((name) => [keyOf(name), name])).values()];
  const values = [distinct.map(({ workspaceId }) => workspaceId), distinct.map(({ id }) => id), settled];
  const { rows } = await database.pool.query<Found>({ ...statement, values });
  const byName = new Map(rows.map(payableOf).map((payable) => [keyOf(payable.row), payable]));
  return names.map((name) => byName.get(keyOf(name)));
}

const keyOf = ({ workspaceId, id }: Name) => `${workspaceId} ${id}`;

/** Members that the driver reads as text. */
const sums = ['total', 'fulfillmentAmount', 'taxAmount'] as const;

function payableOf({ version, seller_metadata, seller_accepts_buyer_prices, ...columns }: Found): Payable {
  const row: Record<string, unknown> = {};
  for (const column in columns) row[memberOf(column)] = columns[column];
  for (const member of sums) row[member] = BigInt(row[member] as string);
  const checkout = row as unknown as Checkout;
  const facts = { metadata: seller_metadata, acceptsBuyerPrices: seller_accepts_buyer_prices } as Omit<Seller, 'id'>;
  return { row: checkout, version, seller: { id: checkout.merchantId, ...facts } };
}

const members = new Map<string, string>();

function memberOf(column: string): string {
  let member = members.get(column);
  if (member === undefined) {
    member = camelCase(column);
    members.set(column, member);
  }
  return member;
}

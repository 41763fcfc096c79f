// Batches of transfers, as tests make them and look at them.
import { expect } from 'vitest';
import { transferBody } from '../../factories/payment.js';
import { type Answer, type CallOptions, type Client, type Harness, type Json, nowhere } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';

/** Transfers of so many amounts from one wallet to another. */
export function bodies(from: Json, to: Json, amounts: readonly string[], extra: object = {}): object[] {
  return amounts.map((amount) => transferBody(from, to, amount, extra));
}

/** So many times the same amount. */
export const times = (count: number, amount = '1.00'): string[] => Array.from({ length: count }, () => amount);

export function createBatch(client: Client, transfers: readonly object[], extra: object = {}, options: CallOptions = {}): Promise<Answer> {
  return client.post('/v1/transfers/batch', { transfers, ...extra }, options);
}

/** A batch that was taken. */
export async function taken(client: Client, transfers: readonly object[], extra: object = {}, options: CallOptions = {}): Promise<Json> {
  const { status, body } = await createBatch(client, transfers, extra, options);
  expect(status, JSON.stringify(body)).toBe(202);
  return body.data;
}

/** A batch that was taken and carried out, with its items. */
export async function carriedOut(
  harness: Harness,
  transfers: readonly object[],
  extra: object = {},
  options: CallOptions = {},
): Promise<{ batch: Json; items: Json[] }> {
  const { id } = await taken(harness.test, transfers, extra, options);
  await harness.runDue();
  return readBatch(harness.test, id, options);
}

/** A batch and its items, as they are now. */
export async function readBatch(client: Client, id: string, options: CallOptions = {}): Promise<{ batch: Json; items: Json[] }> {
  const [batch, items] = await Promise.all([client.get(`/v1/batches/${id}`, options), client.get(`/v1/batches/${id}/items`, options)]);
  return { batch: batch.body.data, items: items.body.data };
}

/** The bare id of a batch. */
export const bare = ({ id }: Json): string => id.slice('bat_'.length);

/** A batch that nothing comes of: its items name nothing, so it needs no money and can be made in production too. */
export function someBatch(client: Client): Promise<Json> {
  return taken(client, [{ type: 'internal', from_wallet_id: nowhere, to_wallet_id: nowhere, amount: '1.00', currency: 'USD' }]);
}

/** PostgreSQL refuses every new transfer with this SQLSTATE meanwhile. */
export async function whileRefusing(harness: Harness, sqlState: string, work: () => Promise<void>): Promise<void> {
  await query(
    harness,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '${sqlState}'; END $$;
     CREATE TRIGGER refusing BEFORE INSERT ON transfer FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  try {
    await work();
  } finally {
    await query(harness, 'DROP TRIGGER refusing ON transfer; DROP FUNCTION refuse()');
  }
}

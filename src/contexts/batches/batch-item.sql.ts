// What becomes of many items at once, written in one statement each.
import type { ApiError } from '../../platform/errors.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { snakePath } from '../../platform/snake-case.js';

/** What an item has failed for, with the details that a request of its own would have been answered with. */
export interface ItemError {
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** An error as it is kept for an item: its paths as REST spells them. */
export function itemErrorOf({ code, message, details = {}, fields }: ApiError): ItemError {
  if (fields === undefined) return { code, message, details };
  const spelled = fields.map(({ path, ...issue }) => ({ path: snakePath(path).join('.'), ...issue }));
  return { code, message, details: { ...details, fields: spelled } };
}

/** What an item has come to. */
export interface ItemOutcome {
  index: number;
  /** Why it has failed; null when what it asks for was made. */
  error: ItemError | null;
}

/** An item as it is taken. */
export interface NewItem {
  madeId: string;
  /** The body of its request. */
  input: object;
}

const insert = {
  name: 'insert-batch-items',
  text: `
    INSERT INTO batch_item (workspace_id, batch_id, index, status, made_id, input)
    SELECT $1::uuid, $2::uuid, n - 1, 'pending', made_id, input::jsonb
    FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS o (made_id, input, n)`,
};

/** Writes the items of a new batch, in order. */
export async function insertItems(tx: Tx, workspaceId: string, batchId: string, items: readonly NewItem[]): Promise<void> {
  const inputs = items.map(({ input }) => JSON.stringify(input));
  await runIn(tx, insert, [workspaceId, batchId, items.map(({ madeId }) => madeId), inputs]);
}

const record = {
  name: 'record-batch-items',
  text: `
    UPDATE batch_item i SET status = CASE WHEN o.code IS NULL THEN 'succeeded' ELSE 'failed' END::batch_item_status,
      error_code = o.code, error_message = o.message, error_details = o.details::jsonb
    FROM unnest($3::int[], $4::text[], $5::text[], $6::text[]) AS o (index, code, message, details)
    WHERE i.workspace_id = $1::uuid AND i.batch_id = $2::uuid AND i.index = o.index AND i.status = 'pending'
    RETURNING i.error_code`,
};

/** Notes what pending items have come to, and answers how many succeeded and failed. What was noted before stays as it is. */
export async function recordOutcomes(
  tx: Tx,
  workspaceId: string,
  batchId: string,
  outcomes: readonly ItemOutcome[],
): Promise<{ succeeded: number; failed: number }> {
  const values = [
    outcomes.map(({ index }) => index),
    outcomes.map(({ error }) => error?.code),
    outcomes.map(({ error }) => error?.message),
    outcomes.map(({ error }) => error && JSON.stringify(error.details)),
  ];
  const rows = await runIn<{ error_code: string | null }>(tx, record, [workspaceId, batchId, ...values.map(withNulls)]);
  const failed = rows.filter(({ error_code }) => error_code !== null).length;
  return { succeeded: rows.length - failed, failed };
}

const withNulls = (list: readonly unknown[]) => list.map((value) => value ?? null);

const insertStatement = {
  name: 'take-batch-items',
  text: `
    INSERT INTO claim (workspace_id, kind, key, expires_at)
    SELECT $1::uuid, 'batch_item', key, $3::timestamptz FROM unnest($2::text[]) AS key ORDER BY key
    ON CONFLICT DO NOTHING RETURNING key`,
};

/** Inserts claims for items that will not be executed any more. Returns the keys that were free. */
export async function insertClaims(tx: Tx, workspaceId: string, keys: readonly string[], expiresAt: Date): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await runIn<{ key: string }>(tx, insertStatement, [workspaceId, keys, expiresAt]);
  return new Set(rows.map(({ key }) => key));
}

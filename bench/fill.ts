// Rows of transfers that were made long ago, written straight into the tables: what a full database has under what is measured.
import type pg from 'pg';

const step = 50_000;

/** The transfers of one step: times of two days ago, a millisecond apart. */
const choose = `INSERT INTO filling
  SELECT n, uuid_at(at), at
  FROM (SELECT n, now() - interval '2 days' + n * interval '1 ms' AS at FROM generate_series($1::int, $2::int) n) x`;

/** Everything that a keyed transfer leaves behind. `$1` is the workspace. */
const statements = [
  `INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
   SELECT $1::uuid, side.account, f.n, f.id, 'USD', side.amount, side.amount * f.n, f.at
   FROM filling f, (VALUES ('00000000-0000-7000-8000-000000000001'::uuid, -1), ('00000000-0000-7000-8000-000000000002', 1)) AS side (account, amount)`,
  `INSERT INTO transfer (workspace_id, id, type, status, amount, currency, protocol, capture, initiated_by_type, initiated_by_id, created_at, updated_at, completed_at)
   SELECT $1::uuid, id, 'internal', 'completed', 1, 'USD', 'internal', 'automatic', 'api_key', $1::uuid, at, at, at FROM filling`,
  `INSERT INTO event (workspace_id, id, type, object_id, created_at, data)
   SELECT $1::uuid, uuid_at(at), type, id, at, json_build_object('transfer_id', 'tx_' || id, 'currency', 'USD', 'padding', repeat('x', 250))
   FROM filling, (VALUES ('transfer.created'), ('transfer.completed')) AS kind (type)`,
  `INSERT INTO claim (workspace_id, kind, key, reference, fingerprint, expires_at)
   SELECT $1::uuid, 'idempotency_key', encode(sha256(id::text::bytea), 'base64'), id, encode(sha256(n::text::bytea), 'base64'), at + interval '3 days'
   FROM filling`,
  `INSERT INTO keyed_answer (workspace_id, expires_at, key, status, body)
   SELECT $1::uuid, at + interval '3 days', encode(sha256(id::text::bytea), 'base64'), 201, repeat('x', 700) FROM filling`,
];

/** Writes `count` old transfers into the sandbox of the bench, after so many that are there. */
export async function fill(db: pg.ClientBase, count: number, written = 0): Promise<void> {
  const { rows } = await db.query<{ id: string }>("SELECT id FROM workspace WHERE environment = 'test' ORDER BY id LIMIT 1");
  await db.query('CREATE TEMPORARY TABLE filling (n bigint, id uuid, at timestamptz)');
  for (let from = written + 1; from <= written + count; from += step) {
    await db.query('TRUNCATE filling');
    await db.query(choose, [from, Math.min(written + count, from + step - 1)]);
    for (const text of statements) await db.query(text, [rows[0]?.id]);
  }
  await db.query('DROP TABLE filling');
}

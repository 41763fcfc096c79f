// What somebody with the database in their hands could change, past its triggers. Each takes one row, by chance, and says which line of the
// audit log, or which other row, has to be named where it is found.
import type { Platform } from '../../../src/platform/ctx.js';

/** A change. `pick` chooses a row as `id`, and what has to be named as `name`; `change` alters it ($1). */
export interface Alteration {
  what: string;
  tables: readonly string[];
  pick: string;
  change: string;
}

/** The line that says what the posting of a row did. */
const lineOf = (transaction: string) =>
  `(SELECT l.id::text FROM audit_entry l WHERE coalesce(l.transaction_id::text, l.resource_id) = ${transaction}::text
    AND l.transfer_status IS NOT NULL ORDER BY l.id LIMIT 1)`;

/** The line that completed a transfer, which may be that of its capture. */
const completion = `(SELECT l.id::text FROM audit_entry l LEFT JOIN ledger_transaction f ON f.id = l.transaction_id
  WHERE coalesce(f.transfer_id::text, l.transaction_id::text, l.resource_id) = t.id::text AND l.transfer_status = 'completed' LIMIT 1)`;

const ofTransfers = (what: string, set: string, where = 'true'): Alteration => ({
  what: `transfer: ${what}`,
  tables: ['transfer'],
  pick: `SELECT t.id::text, ${completion} AS name FROM transfer t WHERE status = 'completed' AND ${completion} IS NOT NULL AND ${where}`,
  change: `UPDATE transfer SET ${set} WHERE id = $1::uuid`,
});

const ofEntries = (what: string, change: string): Alteration => ({
  what: `ledger_entry: ${what}`,
  tables: ['ledger_entry'],
  pick: `SELECT DISTINCT e.transaction_id::text AS id, ${lineOf('e.transaction_id')} AS name FROM ledger_entry e
    WHERE ${lineOf('e.transaction_id')} IS NOT NULL`,
  change,
});

const ofDecisions = (what: string, change: string): Alteration => ({
  what: `decision: ${what}`,
  tables: ['decision'],
  pick: `SELECT d.id::text, l.id::text AS name FROM decision d JOIN audit_entry l ON l.decision_id = d.id WHERE d.checks::text LIKE '%"%'`,
  change,
});

const ofLines = (what: string, set: string, where = 'true'): Alteration => ({
  what: `audit_entry: ${what}`,
  tables: ['audit_entry'],
  pick: `SELECT id::text, id::text AS name FROM audit_entry WHERE hash IS NULL AND ${where}`,
  change: `UPDATE audit_entry SET ${set} WHERE id = $1::uuid`,
});

const ofBlocks = (what: string, set: string, name: string, where = 'true'): Alteration => ({
  what: `audit_block: ${what}`,
  tables: ['audit_block'],
  pick: `SELECT workspace_id || ' ' || first_leaf AS id, ${name} AS name FROM audit_block WHERE ${where}`,
  change: `UPDATE audit_block SET ${set} WHERE workspace_id || ' ' || first_leaf = $1`,
});

const firstLine = 'line_ids[1]::text';
/** That of the block behind it. */
const nextLine = `coalesce((SELECT n.line_ids[1]::text FROM audit_block n WHERE n.workspace_id = audit_block.workspace_id
  AND n.first_leaf > audit_block.first_leaf ORDER BY n.first_leaf LIMIT 1), 'missing')`;
const ofHeads = (what: string, set: string, size = 'tree_size'): Alteration => ({
  what: `evidence_head: ${what}`,
  tables: ['evidence_head'],
  pick: `SELECT log_id || ' ' || tree_size AS id, 'head with ' || ${size} AS name FROM evidence_head WHERE checkpoint IS NOT NULL`,
  change: `UPDATE evidence_head SET ${set} WHERE log_id || ' ' || tree_size = $1`,
});
const ofLog = (what: string, table: string, set: string, name: string): Alteration => ({
  what: `${table}: ${what}`,
  tables: [table],
  pick: `SELECT workspace_id::text AS id, ${name} AS name FROM evidence_log`,
  change: `UPDATE ${table} SET ${set} WHERE workspace_id = $1::uuid`,
});
const ofPayments = (what: string, set: string): Alteration => ({
  what: `x402_payment: ${what}`,
  tables: ['x402_payment'],
  pick: `SELECT p.id::text, ${lineOf('p.id')} AS name FROM x402_payment p`,
  change: `UPDATE x402_payment SET ${set} WHERE id = $1::uuid`,
});

const otherWallet = (column: string) => `(SELECT w.id FROM wallet w WHERE w.id IS DISTINCT FROM transfer.${column} ORDER BY w.id LIMIT 1)`;
const otherAccount = (column: string) =>
  `(SELECT a.id FROM account a WHERE a.id IS DISTINCT FROM transfer.${column} ORDER BY a.id LIMIT 1)`;
const flipped = (column: string) => `${column} = set_byte(${column}, 5, 255 - get_byte(${column}, 5))`;

export const alterations: readonly Alteration[] = [
  ofTransfers('the amount', 'amount = amount + 1'),
  ofTransfers('the currency', "currency = 'EURC'"),
  ofTransfers('the fee', 'fee_amount = fee_amount + 1'),
  ofTransfers('the wallet that pays', `from_wallet_id = ${otherWallet('from_wallet_id')}`),
  ofTransfers('the wallet that is paid', `to_wallet_id = ${otherWallet('to_wallet_id')}`),
  ofTransfers('the account that pays', `from_account_id = ${otherAccount('from_account_id')}`),
  ofTransfers('the account that is paid', `to_account_id = ${otherAccount('to_account_id')}`),
  ofTransfers('the protocol', "protocol = 'mpp'"),
  ofTransfers('the agent', 'agent_id = NULL', 'agent_id IS NOT NULL'),
  ofTransfers('the payment that a refund is of', "protocol_metadata = '{}'", "subject_type = 'refund'"),
  ofTransfers('what became of it', "status = 'failed'"),
  { ...ofTransfers('a row that is gone', ''), change: 'DELETE FROM transfer WHERE id = $1::uuid' },
  ofEntries('amounts', 'UPDATE ledger_entry SET amount = amount + sign(amount)::bigint WHERE transaction_id = $1::uuid'),
  ofEntries('rows that are gone', 'DELETE FROM ledger_entry WHERE transaction_id = $1::uuid'),
  ofEntries(
    'the account of a leg',
    `UPDATE ledger_entry SET account_id = gen_random_uuid() WHERE transaction_id = $1::uuid AND amount < 0`,
  ),
  ofDecisions('a maximum', `UPDATE decision SET checks = regexp_replace(checks::text, '\\d+', '7000000')::jsonb WHERE id = $1::uuid`),
  ofDecisions('the outcome', "UPDATE decision SET outcome = 'deny' WHERE id = $1::uuid"),
  ofDecisions('the code', "UPDATE decision SET code = 'changed' WHERE id = $1::uuid"),
  ofDecisions('the rules in force', `UPDATE decision SET input = '{"policies": []}' WHERE id = $1::uuid`),
  ofDecisions('a row that is gone', 'DELETE FROM decision WHERE id = $1::uuid'),
  {
    what: 'ledger_transaction: figures',
    tables: ['ledger_transaction'],
    // Figures are evidence of a decision: a posting without one, such as a refund or a capture, has none in its leaf.
    pick: `SELECT t.id::text, e.id::text AS name FROM ledger_transaction t
      JOIN audit_entry e ON e.workspace_id = t.workspace_id AND e.id::text = ${lineOf('t.id')}
      WHERE cardinality(t.limits_before) > 0 AND e.decision_id IS NOT NULL`,
    change: 'UPDATE ledger_transaction SET limits_before[1] = limits_before[1] + 1 WHERE id = $1::uuid',
  },
  {
    what: 'ledger_transaction: when',
    tables: ['ledger_transaction'],
    pick: `SELECT t.id::text, ${lineOf('t.id')} AS name FROM ledger_transaction t WHERE ${lineOf('t.id')} IS NOT NULL`,
    change: "UPDATE ledger_transaction SET created_at = created_at - interval '1 second' WHERE id = $1::uuid",
  },
  ofLines('what was done', "action = 'nothing'"),
  ofLines('who did it', 'actor_id = NULL', 'actor_id IS NOT NULL'),
  ofLines('when', "at = at - interval '1 second'"),
  ofLines('how', "via = 'jwt'"),
  ofLines('what it came to', `outcome = '{"position": 7}'`),
  ofLines('what was asked for', `changes = '{"name": "Another"}'`),
  ofLines('the digest', flipped('digest')),
  ofLines('the seed', flipped('seed')),
  ofLines('what became of the transfer', "transfer_status = 'failed'", "transfer_status = 'completed'"),
  { ...ofLines('a row that is gone', ''), change: 'DELETE FROM audit_entry WHERE id = $1::uuid', pick: followed() },
  ofBlocks('a leaf', flipped('leaves'), firstLine),
  ofBlocks('a root', flipped('root'), firstLine),
  ofBlocks('which line is a leaf', 'line_ids = line_ids[2:] || line_ids[1]', 'line_ids[2]::text', 'cardinality(line_ids) > 1'),
  { ...ofBlocks('a row that is gone', '', nextLine), change: `DELETE FROM audit_block WHERE workspace_id || ' ' || first_leaf = $1` },
  {
    what: 'audit_node: the root of a tile',
    tables: ['audit_node'],
    pick: `SELECT workspace_id || ' ' || index AS id, (SELECT line_ids[256 - first_leaf % 256]::text FROM audit_block b
      WHERE b.workspace_id = n.workspace_id AND first_leaf < 256 ORDER BY first_leaf DESC LIMIT 1) AS name FROM audit_node n WHERE level = 1`,
    change: `UPDATE audit_node SET ${flipped('hash')} WHERE workspace_id || ' ' || index = $1 AND level = 1`,
  },
  {
    what: 'audit_head: the root',
    tables: ['audit_head'],
    pick: "SELECT workspace_id::text AS id, 'missing' AS name FROM audit_head",
    change: `UPDATE audit_head SET ${flipped('root')} WHERE workspace_id = $1::uuid`,
  },
  ofHeads('the root', flipped('root')),
  ofHeads('the signature', "checkpoint = replace(checkpoint, 'a', 'b')"),
  ofHeads('the size', 'tree_size = tree_size - 1', '(tree_size - 1)'),
  ofLog('the root', 'evidence_log', flipped('root'), "'newest head'"),
  ofLog('the size', 'evidence_log', 'tree_size = tree_size + 1', "'newest head'"),
  ofLog('the key', 'evidence_key', flipped('public_key'), "'head with'"),
  ofPayments('who is paid', "pay_to = 'wal_0'"),
  ofPayments('what was signed', "payment_signature = 'AAAA'"),
  ofPayments('the nonce', "nonce = nonce || '1'"),
  { ...ofPayments('a row that is gone', ''), change: 'DELETE FROM x402_payment WHERE id = $1::uuid' },
];

/** A line, and the first one after it in its block, which is named where a line is missing. */
function followed(): string {
  return `SELECT b.line_ids[n]::text AS id, b.line_ids[n + 1]::text AS name FROM audit_block b, generate_series(1, cardinality(line_ids) - 1) AS n`;
}

/** Makes a change to one row, by chance; what has to be named. What was there is put back by `restore`. */
export async function alter(
  { database: { pool } }: Platform,
  { tables, pick, change }: Alteration,
  seed: string,
): Promise<{ name: string; restore: () => Promise<void> }> {
  const client = await pool.connect();
  const past = async (text: string, values: unknown[] = []) => {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    const answer = await client.query(text, values);
    await client.query('COMMIT');
    return answer.rowCount;
  };
  const restore = async () => {
    for (const table of tables) {
      await past(`DELETE FROM ${table}`);
      await past(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      await past(`DROP TABLE kept_${table}`);
    }
    client.release(true);
  };
  for (const table of tables) await past(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  const { rows } = await client.query<{ id: string; name: string }>(`SELECT * FROM (${pick}) p ORDER BY md5(p.id || $1) LIMIT 1`, [seed]);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no row: ${pick}`);
  const changed = await past(change, [row.id]).catch(async (error) => {
    await client.query('ROLLBACK');
    await restore();
    throw error;
  });
  if (changed === 0) throw new Error(`nothing was changed: ${change}`);
  return { name: row.name, restore };
}

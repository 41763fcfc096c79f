// The tree of the audit log: what was changed afterwards is found, and no line is lost or taken up twice, whichever process dies.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const verify = async (query = '', client = harness.test): Promise<Json> => (await client.get(`/v1/audit-log/verify${query}`)).body.data;
const account = (): Promise<Json> => harness.test.make('/v1/accounts', { type: 'person', name: 'A' });
const log = async (): Promise<Json[]> => (await harness.test.get('/v1/audit-log?limit=200')).body.data;
/** The root of RFC 6962 as its section 2.1 defines it. */
function rootOfAll(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(rootOfAll(leaves.slice(0, split)))
    .update(rootOfAll(leaves.slice(split)))
    .digest();
}
const uuid = (id: string) => id.slice('aud_'.length);

/** Changes rows as somebody with the database in their hands could, past the triggers; what was there is put back. */
async function tampered(statements: string, values: unknown[], look: () => Promise<void>): Promise<void> {
  const client = await harness.platform.database.pool.connect();
  const past = async (text: string, given: unknown[] = []) => {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    try {
      await client.query(text, given);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  };
  const tables = ['audit_entry', 'audit_block', 'audit_head', 'treasury_snapshot'];
  try {
    for (const table of tables) await past(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
    await past(statements, values);
    await look();
    for (const table of tables) await past(`DELETE FROM ${table}`);
    for (const table of tables) await past(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
  } finally {
    for (const table of tables) await past(`DROP TABLE IF EXISTS kept_${table}`);
    client.release(true);
  }
}

describe('GET /v1/audit-log/verify', () => {
  it('200: an empty log, a whole one, and one from an entry on', async () => {
    expect(await verify('', harness.other)).toEqual({
      valid: true,
      checked: 0,
      erased: 0,
      first_invalid_id: null,
      head_hash: null,
      tree: null,
    });
    for (let n = 0; n < 5; n += 1) await account();
    const whole = await verify();
    const root = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(whole).toEqual({
      valid: true,
      checked: 6,
      erased: 0,
      first_invalid_id: null,
      head_hash: root,
      tree: { size: 6, root_hash: root },
    });
    expect(whole.head_hash).toBe(whole.tree.root_hash);
    const entries = await log();
    // The first leaf was written when the first of the others was taken up.
    expect(entries.map(({ leaf_index }) => leaf_index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
    const begin = entries.find(({ leaf_index }) => leaf_index === 0) as Json;
    expect(begin).toMatchObject({ action: 'log.begin', actor: { type: 'system' } });
    const at = (index: number) => entries.find(({ leaf_index }) => leaf_index === index) as Json;
    expect(await verify(`?after=${at(3).id}`)).toMatchObject({ valid: true, checked: 2 });
    const { treeHead } = (await harness.test.graphql('mutation { takeTreasurySnapshot(input: {}) { treeHead } }')).body.data
      .takeTreasurySnapshot;
    expect(treeHead).toBe(whole.head_hash);
  });

  it('200: the root is that of RFC 6962 over the leaves, however many rounds took them up', async () => {
    for (const round of [1, 2, 5, 300]) {
      await Promise.all(Array.from({ length: round }, account));
      const { tree } = await verify();
      const { rows } = await harness.platform.database.pool.query<{ id: string; leaves: Buffer; first_leaf: string }>(
        'SELECT first_leaf, leaves FROM audit_block WHERE workspace_id = (SELECT workspace_id FROM audit_entry ORDER BY position DESC LIMIT 1) ORDER BY first_leaf',
      );
      const joined = Buffer.concat(rows.map(({ leaves }) => leaves));
      const leaves = Array.from({ length: joined.length / 32 }, (_, n) => joined.subarray(n * 32, n * 32 + 32));
      expect(leaves).toHaveLength(tree.size);
      expect(tree.root_hash).toBe(rootOfAll(leaves).toString('hex'));
      for (const { first_leaf, leaves: own } of rows)
        expect(Math.floor(Number(first_leaf) / 256)).toBe(Math.floor((Number(first_leaf) + own.length / 32 - 1) / 256));
    }
  });

  it('200: finds an entry that was changed, removed or added, and a block or a head that was changed', async () => {
    for (let n = 0; n < 6; n += 1) await account();
    const whole = await verify();
    expect(whole).toMatchObject({ valid: true });
    const entries = (await log()).filter(({ leaf_index }) => leaf_index !== undefined).sort((a, b) => b.leaf_index - a.leaf_index);
    const [newest, before, , third, fourth] = entries as [Json, Json, Json, Json, Json];
    const finds = (statements: string, values: unknown[], first: string | null) =>
      tampered(statements, values, async () => expect(await verify(), statements).toMatchObject({ valid: false, first_invalid_id: first }));
    for (const change of [
      "action = 'nothing'",
      'actor_id = NULL',
      "actor_type = 'system'",
      'via = NULL',
      "changes = '{}'",
      "at = at - interval '1 day'",
      "ip = '10.0.0.1'",
      'request_id = NULL',
      'resource_id = NULL',
      "resource_type = 'agent'",
      "outcome = '{}'",
      "digest = sha256('')",
      "seed = '\\x00'",
      'seed = NULL',
    ]) {
      await finds(`UPDATE audit_entry SET ${change} WHERE id = $1`, [uuid(fourth.id)], fourth.id);
    }
    await finds('DELETE FROM audit_entry WHERE id = $1', [uuid(fourth.id)], third.id);
    await finds('DELETE FROM audit_entry WHERE id = $1', [uuid(newest.id)], null);
    const forged = '01000000-0000-7000-8000-000000000001';
    const copy = (id: string) => `INSERT INTO audit_entry (workspace_id, id, at, actor_type, action, seed, digest)
      SELECT workspace_id, ${id}, '2001-01-01', actor_type, action, seed, digest FROM audit_entry WHERE id = $1`;
    await finds(copy(`'${forged}'`), [uuid(third.id)], `aud_${forged}`);
    const between = `${uuid(third.id).slice(0, -1)}${uuid(third.id).endsWith('0') ? '1' : '0'}`;
    await finds(copy(`'${between}'`), [uuid(third.id)], `aud_${between}`);
    const late = 'ff000000-0000-7000-8000-000000000001';
    await finds(copy(`'${late}'`), [uuid(third.id)], `aud_${late}`);
    const own = 'workspace_id = (SELECT workspace_id FROM audit_entry WHERE id = $1)';
    await finds(`UPDATE audit_head SET tree_size = tree_size - 1 WHERE ${own}`, [uuid(newest.id)], newest.id);
    await finds(`UPDATE audit_head SET root = sha256('') WHERE ${own}`, [uuid(newest.id)], null);
    await finds(`DELETE FROM audit_block WHERE ${own} AND line_ids @> ARRAY[$1::uuid]`, [uuid(newest.id)], null);
    const block = `${own} AND line_ids @> ARRAY[$1::uuid]`;
    const { rows } = await harness.platform.database.pool.query(`SELECT line_ids[1] AS first FROM audit_block WHERE ${block}`, [
      uuid(before.id),
    ]);
    await finds(`UPDATE audit_block SET root = sha256('') WHERE ${block}`, [uuid(before.id)], `aud_${rows[0].first}`);
    await finds(
      `UPDATE audit_block SET leaves = overlay(leaves placing sha256('') from octet_length(leaves) - 31) WHERE ${block}`,
      [uuid(newest.id)],
      newest.id,
    );
    expect(await verify()).toEqual(whole);
  });

  it('200: finds what was written anew with all its hashes, or cut off with the head, where a snapshot of the treasury has noted it', async () => {
    for (let n = 0; n < 3; n += 1) {
      await account();
      await verify();
    }
    await harness.test.graphql('mutation { takeTreasurySnapshot(input: {}) { id } }');
    await account();
    const whole = await verify();
    const noted = (await log()).filter(({ action }) => action === 'createAccount').sort((a, b) => b.leaf_index - a.leaf_index)[1] as Json;
    const { rows } = await harness.platform.database.pool.query(
      `SELECT b.workspace_id, b.first_leaf, b.peaks, b.root, b.first_leaf + cardinality(b.line_ids) AS size FROM audit_block b
       WHERE b.line_ids @> ARRAY[$1::uuid]`,
      [uuid(noted.id)],
    );
    const [own] = rows;
    const blockBefore = await harness.platform.database.pool.query(
      'SELECT * FROM audit_block WHERE workspace_id = $1 AND first_leaf < $2 ORDER BY first_leaf DESC LIMIT 1',
      [own.workspace_id, own.first_leaf],
    );
    const end = blockBefore.rows[0];
    const cut = `WITH gone AS (DELETE FROM audit_block WHERE workspace_id = $1 AND first_leaf >= $2 RETURNING line_ids),
      lines AS (DELETE FROM audit_entry e USING gone WHERE e.workspace_id = $1 AND e.id = ANY (gone.line_ids))
      UPDATE audit_head SET tree_size = $2, peaks = $3, root = $4 WHERE workspace_id = $1`;
    await tampered(cut, [own.workspace_id, own.first_leaf, end.peaks, end.root], async () =>
      expect(await verify()).toMatchObject({ valid: false }),
    );
    expect(await verify()).toEqual(whole);
    await tampered("UPDATE treasury_snapshot SET tree_head = repeat('0', 64) WHERE workspace_id = $1", [own.workspace_id], async () =>
      expect(await verify()).toMatchObject({ valid: false }),
    );
    expect(await verify()).toEqual(whole);
  });

  it('200: a log that begins with a chain of before: the first leaf says where it ended', async () => {
    const { pool } = harness.platform.database;
    const workspace = (
      await pool.query('SELECT workspace_id FROM api_key WHERE workspace_id NOT IN (SELECT workspace_id FROM audit_head) LIMIT 1')
    ).rows[0]?.workspace_id;
    expect(workspace).toBeDefined();
    const other = harness.other;
    expect((await verify('', other)).tree).toBeNull();
    const own = (
      await pool.query('SELECT workspace_id FROM api_key WHERE id = $1', [(await other.get('/v1/api-keys')).body.data[0].id.slice(-36)])
    ).rows[0].workspace_id;
    await pool.query(
      `WITH RECURSIVE chain AS (
         SELECT 0 AS n, NULL::audit_entry AS entry, sha256(convert_to($1::uuid::text, 'UTF8')) AS hash
         UNION ALL
         SELECT n + 1, made.entry, audit_hash(chain.hash, made.entry) FROM chain CROSS JOIN LATERAL (
           SELECT jsonb_populate_record(NULL::audit_entry, jsonb_build_object('workspace_id', $1::uuid, 'id', uuid_at('2026-01-01'), 'position', n + 1,
             'at', '2026-01-01T00:00:00Z', 'actor_type', 'system', 'action', 'old', 'previous_hash', '\\x' || encode(chain.hash, 'hex'))) AS entry
         ) made WHERE n < 3
       ), written AS (
         INSERT INTO audit_entry (workspace_id, id, position, at, actor_type, action, previous_hash, hash)
         SELECT (entry).workspace_id, (entry).id, (entry).position, (entry).at, 'system', 'old', (entry).previous_hash, hash FROM chain WHERE n > 0
       )
       INSERT INTO audit_head (workspace_id, position, hash) SELECT $1, n, hash FROM chain WHERE n = 3`,
      [own],
    );
    expect(await verify('', other)).toMatchObject({ valid: true, checked: 3, tree: null });
    await other.make('/v1/accounts', { type: 'person', name: 'A' });
    const whole = await verify('', other);
    expect(whole).toMatchObject({ valid: true, checked: 5, tree: { size: 2 } });
    const entries = (await other.get('/v1/audit-log')).body.data as Json[];
    const old = entries.filter(({ action }) => action === 'old');
    expect(old.every(({ hash, previous_hash, leaf_index }) => hash && previous_hash && leaf_index === undefined)).toBe(true);
    expect(entries.filter(({ action }) => action !== 'old').every(({ hash, leaf_hash }) => hash === undefined && leaf_hash)).toBe(true);
    await tampered("UPDATE audit_entry SET ip = '10.0.0.1' WHERE id = $1", [uuid((old[0] as Json).id)], async () =>
      expect(await verify('', other)).toMatchObject({ valid: false, first_invalid_id: (old[0] as Json).id }),
    );
    const begin = entries.find(({ action }) => action === 'log.begin') as Json;
    await tampered("UPDATE audit_head SET hash = sha256('') WHERE workspace_id = $1", [own], async () =>
      expect(await verify('', other)).toMatchObject({ valid: false, first_invalid_id: null }),
    );
    expect(await verify(`?after=${begin.id}`, other)).toMatchObject({ valid: true, checked: 1 });
    expect(await verify('', other)).toEqual(whole);
  });

  it('refuses to change or remove an entry through the database’s own rules', async () => {
    const { pool } = harness.platform.database;
    for (const statement of [
      "UPDATE audit_entry SET action = 'x'",
      'DELETE FROM audit_entry',
      'DELETE FROM audit_head',
      'DELETE FROM audit_block',
      "UPDATE audit_block SET root = sha256('')",
      'TRUNCATE audit_entry',
      'TRUNCATE audit_block',
      'UPDATE audit_head SET tree_size = tree_size - 1',
      'UPDATE audit_head SET position = position + 1',
    ])
      await expect(pool.query(statement)).rejects.toThrow();
  });

  it('404: an entry that is not there; 400: no id', async () => {
    expect((await harness.test.get('/v1/audit-log/verify?after=aud_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d')).status).toBe(404);
    expect((await harness.test.get('/v1/audit-log/verify?after=x')).status).toBe(400);
  });
});

describe('taking up lines in several processes', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });

  async function start(mode: string): Promise<ChildProcess> {
    const file = fileURLToPath(new URL('./take-up-process.ts', import.meta.url));
    const child = fork(file, [harness.platform.database.url, mode], { execArgv: ['--import', 'tsx'] });
    children.push(child);
    await once(child, 'message');
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  it('makes one leaf of every line, although one is killed in the middle of a round', { timeout: 60_000 }, async () => {
    const before = (await verify()).checked;
    for (let n = 0; n < 10; n += 1) await account();
    const hanging = await start('hang');
    await kill(hanging);
    await Promise.all([start('work'), start('work')]);
    const made = await Promise.all(Array.from({ length: 60 }, account));
    const last = children.at(-1) as ChildProcess;
    await kill(last);
    expect(await verify()).toMatchObject({ valid: true, checked: before + 70 });
    const told = (await log()).map(({ resource_id }) => resource_id);
    expect(made.filter(({ id }) => told.filter((each) => each === id).length !== 1)).toEqual([]);
  });
});

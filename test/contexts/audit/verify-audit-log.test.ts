// The chain of the audit log: what was changed afterwards is found, and no line is lost or chained twice, whichever process dies.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const verify = async (query = '', client = harness.test): Promise<Json> => (await client.get(`/v1/audit-log/verify${query}`)).body.data;
const account = (): Promise<Json> => harness.test.make('/v1/accounts', { type: 'person', name: 'A' });
const log = async (): Promise<Json[]> => (await harness.test.get('/v1/audit-log?limit=200')).body.data;
const uuid = (id: string) => id.slice('aud_'.length);

/** Changes rows as somebody with the database in their hands could, past the triggers; what was there is put back. */
async function tampered(statements: string, values: unknown[], look: () => Promise<void>): Promise<void> {
  const { pool } = harness.platform.database;
  const kept = (await pool.query('SELECT * FROM audit_entry')).rows;
  const heads = (await pool.query('SELECT * FROM audit_head')).rows;
  const client = await pool.connect();
  const write = async (text: string, given: unknown[] = []) => {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    await client.query(text, given);
    await client.query('COMMIT');
  };
  try {
    await write(statements, values);
    await look();
    await write('DELETE FROM audit_entry');
    await write('DELETE FROM audit_head');
    const hex = (row: Json) =>
      JSON.stringify(row, (key, value) => (key.endsWith('hash') ? `\\x${Buffer.from(value).toString('hex')}` : value));
    for (const row of kept)
      await write('INSERT INTO audit_entry SELECT * FROM json_populate_record(NULL::audit_entry, $1::json)', [hex(row)]);
    for (const row of heads)
      await write('INSERT INTO audit_head SELECT * FROM json_populate_record(NULL::audit_head, $1::json)', [hex(row)]);
  } finally {
    client.release(true);
  }
}

describe('GET /v1/audit-log/verify', () => {
  it('200: an empty chain, a whole one, and one from an entry on', async () => {
    expect(await verify('', harness.other)).toEqual({ valid: true, checked: 0, first_invalid_id: null, head_hash: null });
    for (let n = 0; n < 5; n += 1) await account();
    const entries = await log();
    expect(await verify()).toEqual({ valid: true, checked: 5, first_invalid_id: null, head_hash: entries[0].hash });
    expect(await verify(`?after=${entries[2].id}`)).toMatchObject({ valid: true, checked: 2 });
    for (const [n, { previous_hash }] of entries.slice(0, -1).entries()) expect(previous_hash).toBe(entries[n + 1].hash);
    const { treeHead } = (await harness.test.graphql('mutation { takeTreasurySnapshot(input: {}) { treeHead } }')).body.data
      .takeTreasurySnapshot;
    expect(treeHead).toBe(entries[0].hash);
  });

  it('200: finds an entry that was changed, removed, added or hashed anew, and a head that was moved', async () => {
    for (let n = 0; n < 6; n += 1) await account();
    const [newest, , , third, fourth] = await log();
    const whole = await verify();
    const finds = (statements: string, values: unknown[], first: string | null) =>
      tampered(statements, values, async () => expect(await verify()).toMatchObject({ valid: false, first_invalid_id: first }));
    const own = [uuid(fourth.id)];
    for (const change of [
      "action = 'nothing'",
      'actor_id = NULL',
      "changes = '{}'",
      "at = at - interval '1 day'",
      "ip = '10.0.0.1'",
      "hash = sha256('')",
      'previous_hash = hash',
    ]) {
      await finds(`UPDATE audit_entry SET ${change} WHERE id = $1`, own, fourth.id);
    }
    await finds('DELETE FROM audit_entry WHERE id = $1', own, third.id);
    await finds('DELETE FROM audit_entry WHERE id = $1', [uuid(newest.id)], null);
    // Whoever hashes a changed entry anew has to hash all that follow, and moves the head that was written down elsewhere.
    await finds(
      'WITH c AS (UPDATE audit_entry e SET action = \'x\', hash = audit_hash(e.previous_hash, jsonb_populate_record(e, \'{"action": "x"}\')) WHERE id = $1 RETURNING 1) SELECT * FROM c',
      own,
      third.id,
    );
    await finds('UPDATE audit_head SET position = position - 1 WHERE position > $1', [1], newest.id);
    await finds("UPDATE audit_head SET hash = sha256('') WHERE position > $1", [1], null);
    expect(await verify()).toEqual(whole);
  });

  it('200: finds a chain that was hashed anew or cut off with its head, where a snapshot of the treasury has noted it', async () => {
    for (let n = 0; n < 3; n += 1) await account();
    // What the snapshot notes is the newest entry that is chained by then.
    const [noted, previous] = await log();
    await harness.test.graphql('mutation { takeTreasurySnapshot(input: {}) { id } }');
    await account();
    const whole = await verify();
    const cut = `WITH h AS (UPDATE audit_head SET position = $2, hash = decode($3, 'hex') WHERE position > $2 RETURNING 1),
      gone AS (DELETE FROM audit_entry WHERE position > $2 AND workspace_id = $1 RETURNING 1) SELECT FROM h, gone`;
    const { workspace_id: own } = (
      await harness.platform.database.pool.query('SELECT workspace_id FROM audit_entry WHERE id = $1', [uuid(noted.id)])
    ).rows[0];
    await tampered(cut, [own, previous.position, previous.hash], async () =>
      expect(await verify()).toMatchObject({ valid: false, first_invalid_id: null }),
    );
    const anew = `WITH e AS (UPDATE audit_entry e SET ip = '10.0.0.9',
        hash = audit_hash(e.previous_hash, jsonb_populate_record(e, '{"ip": "10.0.0.9"}')) WHERE id = $2 AND workspace_id = $1 RETURNING position, hash),
      h AS (UPDATE audit_head SET position = e.position, hash = e.hash FROM e WHERE workspace_id = $1 RETURNING 1),
      gone AS (DELETE FROM audit_entry WHERE position > (SELECT position FROM e) AND workspace_id = $1 RETURNING 1) SELECT FROM h, gone`;
    await tampered(anew, [own, uuid(noted.id)], async () =>
      expect(await verify()).toMatchObject({ valid: false, first_invalid_id: noted.id }),
    );
    expect(await verify()).toEqual(whole);
  });

  it('refuses to change or remove an entry through the database’s own rules', async () => {
    const { pool } = harness.platform.database;
    for (const statement of [
      "UPDATE audit_entry SET action = 'x'",
      'DELETE FROM audit_entry',
      'DELETE FROM audit_head',
      'TRUNCATE audit_entry',
      'UPDATE audit_head SET position = position - 1',
    ])
      await expect(pool.query(statement)).rejects.toThrow();
  });

  it('404: an entry that is not there; 400: no id', async () => {
    expect((await harness.test.get('/v1/audit-log/verify?after=aud_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d')).status).toBe(404);
    expect((await harness.test.get('/v1/audit-log/verify?after=x')).status).toBe(400);
  });
});

describe('chaining in several processes', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });

  async function start(mode: string): Promise<ChildProcess> {
    const file = fileURLToPath(new URL('./chain-process.ts', import.meta.url));
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

  it('chains every line once, although one is killed in the middle of a step', { timeout: 60_000 }, async () => {
    const before = (await verify()).checked;
    for (let n = 0; n < 10; n += 1) await account();
    const hanging = await start('hang');
    await kill(hanging);
    await Promise.all([start('chain'), start('chain')]);
    const made = await Promise.all(Array.from({ length: 60 }, account));
    const last = children.at(-1) as ChildProcess;
    await kill(last);
    expect(await verify()).toMatchObject({ valid: true, checked: before + 70 });
    const told = (await log()).map(({ resource_id }) => resource_id);
    expect(made.filter(({ id }) => told.filter((each) => each === id).length !== 1)).toEqual([]);
  });
});

// What the log of a workspace says of erased lines: it stays valid for those that an erasure names, and for no others.
import { beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from '../../../src/contexts/audit/block.sql.js';
import { keptSalts } from '../../../src/platform/audit-leaf.js';
import { newAccount } from '../../factories/payment.js';
import { type Client, type Json, useHarness } from '../../harness.js';
import { past } from './marked-rows.js';

const h = useHarness();
const uuidOf = (id: string) => id.slice(id.indexOf('_') + 1);
const verify = async (client = h.test): Promise<Json> => (await client.get('/v1/audit-log/verify')).body.data;
const entries = async (query: string, client = h.test): Promise<Json[]> => (await client.get(`/v1/audit-log?${query}`)).body.data;

async function erasedAccount(client: Client): Promise<Json> {
  const account = await newAccount(client, { metadata: { note: 'Ada' } });
  await client.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
  await client.make(`/v1/accounts/${account.id}/erase`, {});
  await h.runDue();
  return account;
}

describe('a line without content', () => {
  let workspaceId: string;
  let other: Json;
  let naming: Json;
  beforeAll(async () => {
    const account = await erasedAccount(h.test);
    [naming] = await entries('action=account.erase');
    workspaceId = (await h.platform.database.unscoped.account.findFirstOrThrow({ where: { id: account.id } })).workspaceId;
    await newAccount(h.test);
    [other] = await entries('action=createAccount&limit=1');
  });

  /** Takes the content of the other line away, as an erasure would, and puts it back. */
  async function emptied(by: string | null, look: () => Promise<void>): Promise<void> {
    const { pool } = h.platform.database;
    const id = uuidOf(other.id);
    const [line] = await linesOf(pool, workspaceId, [id]);
    if (line?.seed == null) throw new Error('the line has a seed');
    const kept = by === null ? null : JSON.stringify({ ...keptSalts(line, line.seed), by });
    const { rows } = await pool.query('SELECT ip, changes, request_id, seed FROM audit_entry WHERE id = $1', [id]);
    const [before] = rows;
    await past(pool, async (tx) => {
      await tx.query('UPDATE audit_entry SET ip = NULL, changes = NULL, request_id = NULL, seed = NULL, kept = $2 WHERE id = $1', [
        id,
        kept,
      ]);
    });
    await look();
    await past(pool, async (tx) => {
      await tx.query('UPDATE audit_entry SET ip = $2, changes = $3, request_id = $4, seed = $5, kept = NULL WHERE id = $1', [
        ...[id, before.ip, before.changes, before.request_id, before.seed],
      ]);
    });
  }

  it('is good where an erasure names it', async () => {
    const log = await verify();
    expect(log).toMatchObject({ valid: true, first_invalid_id: null });
    expect(log.erased).toBeGreaterThan(2);
  });

  it.each([
    ['by nobody', () => null],
    ['by a line that is not there', () => '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d'],
    ['by a line that erases nothing', () => uuidOf(other.id)],
    ['by an erasure that does not name it', () => uuidOf(naming.id)],
  ])('is found: %s', async (_, by) => {
    await emptied(by(), async () => expect(await verify()).toMatchObject({ valid: false, first_invalid_id: other.id }));
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('is found where somebody has written into it again, or has changed what names it', async () => {
    const { pool } = h.platform.database;
    const [line] = await entries(`resource_id=${naming.resource_id}&action=createAccount`);
    const write = (text: string, id: string) => past(pool, async (tx) => void (await tx.query(text, [uuidOf(id)])));
    await write("UPDATE audit_entry SET ip = '10.0.0.1' WHERE id = $1", line.id);
    expect(await verify()).toMatchObject({ valid: false, first_invalid_id: line.id });
    await write('UPDATE audit_entry SET ip = NULL WHERE id = $1', line.id);
    await write(`UPDATE audit_entry SET outcome = jsonb_set(outcome, '{lines,0,leaf_hash}', '"00"') WHERE id = $1`, naming.id);
    expect((await verify()).valid).toBe(false);
  });
});

it('an entry of before the tree is named by its hash', async () => {
  const { pool } = h.platform.database;
  const { other } = h;
  const { id: key } = (await other.get('/v1/api-keys')).body.data[0];
  const { workspaceId: own } = await h.platform.database.unscoped.apiKey.findFirstOrThrow({ where: { id: uuidOf(key) } });
  const id = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
  await pool.query(
    `WITH RECURSIVE chain AS (
       SELECT 0 AS n, NULL::audit_entry AS entry, sha256(convert_to($1::uuid::text, 'UTF8')) AS hash
       UNION ALL
       SELECT n + 1, made.entry, audit_hash(chain.hash, made.entry) FROM chain CROSS JOIN LATERAL (
         SELECT jsonb_populate_record(NULL::audit_entry, jsonb_build_object('workspace_id', $1::uuid, 'id', uuid_at('2026-01-01'), 'position', n + 1,
           'at', '2026-01-01T00:00:00Z', 'actor_type', 'system', 'action', 'old', 'ip', '10.0.0.9', 'resource_id', CASE WHEN n < 2 THEN $2 END,
           'previous_hash', '\\x' || encode(chain.hash, 'hex'))) AS entry
       ) made WHERE n < 3
     ), written AS (
       INSERT INTO audit_entry (workspace_id, id, position, at, actor_type, action, ip, resource_id, previous_hash, hash)
       SELECT (entry).workspace_id, (entry).id, (entry).position, (entry).at, 'system', 'old', (entry).ip, (entry).resource_id,
         (entry).previous_hash, hash FROM chain WHERE n > 0
     )
     INSERT INTO audit_head (workspace_id, position, hash) SELECT $1, n, hash FROM chain WHERE n = 3`,
    [own, id],
  );
  const at = h.clock.now();
  const row = { id, workspaceId: own, type: 'person' as const, name: 'Ada', status: 'closed' as const, createdAt: at, updatedAt: at };
  await h.platform.database.unscoped.account.create({ data: row });
  await other.make(`/v1/accounts/${id}/erase`, {});
  await h.runDue();
  const log = await verify(other);
  expect(log).toMatchObject({ valid: true });
  expect(log.erased).toBeGreaterThan(2);
  const old = await entries('action=old', other);
  // The order of those of one millisecond is nobody's.
  const rest = old.find(({ ip }) => ip === '10.0.0.9');
  expect(old.filter(({ ip }) => ip === undefined)).toHaveLength(2);
  // What no erasure names is found in the chain too.
  await past(pool, async (tx) => {
    await tx.query(`UPDATE audit_entry SET ip = NULL, kept = jsonb_build_object('by', $2::text) WHERE id = $1`, [
      uuidOf(rest.id),
      uuidOf(((await entries('action=account.erase', other))[0] as Json).id),
    ]);
  });
  expect(await verify(other)).toMatchObject({ valid: false, first_invalid_id: rest.id });
});

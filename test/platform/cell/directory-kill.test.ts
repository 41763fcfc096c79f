// Keys, agents and sessions of a tenant in the second cell, made at once while the platform is killed between the two databases: whatever works is
// in the directory, and when the sweep has passed whatever is in the directory works. SLOW=1 makes fifty at a time, with three kills.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sweepPending } from '../../../src/contexts/identity/place.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { Client } from '../../harness.js';
import { PatientClient } from '../../life/patience.js';
import { ServerOnDatabase } from '../../server-database.js';
import { isSlow } from '../../slow.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const [atOnce, kills] = isSlow ? [50, 3] : [12, 1];
let server: ServerOnDatabase;
let cell: Platform;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ RATE_LIMIT_AUTH: '1000000', RATE_LIMIT_GENERAL: '1000000' });
  cell = await server.addCell('b');
});
afterAll(() => server?.stop());

const hashesOf = async (db: { query(text: string): Promise<{ rows: { hash: string }[] }> }, kind: string): Promise<string[]> => {
  const { rows } = await db.query(`SELECT encode(hash, 'hex') AS hash FROM credential c WHERE kind <> 'session' AND ${kind} ORDER BY 1`);
  return rows.map(({ hash }) => hash);
};
const isOfCell = `workspace_id IN (SELECT id FROM workspace_place JOIN tenant_place USING (tenant_id) WHERE cell_name = 'b')`;
const countPending = async (): Promise<number> =>
  (await server.db.query('SELECT count(*)::int AS n FROM credential WHERE pending_since IS NOT NULL')).rows[0].n;

/** What makes a credential of each kind; the credential. */
function makersOf(key: string, account: string): ((client: Client) => Promise<string>)[] {
  return [
    async (client) => (await client.make('/v1/api-keys', { name: 'One' })).key,
    async (client) => (await client.post('/v1/agents', { parent_account_id: account, name: 'Agent' })).body.credentials.token,
    async (client) => (await client.make('/v1/auth/session', { api_key: key }, { as: null })).token,
  ];
}

it(`${atOnce} at once, with a kill: directory and cell say the same`, async ({ annotate }) => {
  const { key } = await server.newTenant('b');
  const client = () => new PatientClient(server.sandbox.url, key);
  const { id: account } = await client().make('/v1/accounts', { type: 'business', name: randomUUID() });
  const acknowledged: string[] = [];
  for (let round = 0; round < kills; round += 1) {
    const before = acknowledged.length;
    const makers = makersOf(key, account);
    const once = new Client(server.sandbox.url, key);
    const making = Array.from({ length: atOnce }, async (_, n) => {
      // Whoever gets no answer does not come again: it may have been made or not.
      const made = await makers[n % makers.length]?.(once).catch(() => undefined);
      if (made !== undefined) acknowledged.push(made);
    });
    await expect.poll(() => acknowledged.length - before, { interval: 1, timeout: 60_000 }).toBeGreaterThan(atOnce / 4);
    await server.crash();
    await Promise.all(making);
    await server.startAgain();
  }
  await annotate(`${acknowledged.length} acknowledged of ${atOnce * kills}, ${await countPending()} pending after the last kill`);

  const works = async (as: string) => (await client().get('/v1/me', { as })).status;
  expect(await Promise.all(acknowledged.map(works))).toEqual(acknowledged.map(() => 200));
  const { pool } = cell.database;
  const listed = new Set(await hashesOf(server.db, isOfCell));
  expect((await hashesOf(pool, 'true')).filter((hash) => !listed.has(hash))).toEqual([]);
  await server.db.query("UPDATE credential SET pending_since = pending_since - interval '61 s'");
  while ((await sweepPending(cell)) > 0);
  expect(await countPending()).toBe(0);
  expect(await hashesOf(server.db, isOfCell)).toEqual(await hashesOf(pool, 'true'));
});

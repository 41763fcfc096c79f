// Evidence: proofs in a log of a million leaves, packs and their verification, a check of the whole log, and a round that signs many logs.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadConfig } from '../src/config.js';
import { signHeads } from '../src/contexts/evidence/signing.js';
import { createLogger } from '../src/platform/log.js';
import { closePlatform, openPlatform } from '../src/server.js';
import { verifyPack } from '../verify/src/verify.js';
import { cpuSeconds } from './cpu.js';
import { sendLoad } from './http-load.js';
import { get, print, timed } from './latency.js';
import { postRequest } from './measure.js';
import { openBenchDatabase, Sandbox, say, testKey } from './platform.js';
import { fillTree, growTrees } from './tree-fill.js';

const about = `Usage: npm run bench -- evidence [--leaves 1000000] [--requests 400] [--lines 20000] [--logs 1000]

Fills the log of a workspace with --leaves leaves by its tiles, and asks for proofs and packs one after the other; checks a log of --lines real
lines; and signs the heads of --logs logs that have grown, in one round. Uses an embedded PostgreSQL of its own unless DATABASE_URL names an
empty database.`;

interface Given {
  leaves: number;
  requests: number;
  lines: number;
  logs: number;
}

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { leaves: text, requests: text, lines: text, logs: text, help: { type: 'boolean' } } });
  if (values.help) return say(about);
  const given: Given = {
    leaves: Math.ceil(Number(values.leaves ?? 1_000_000) / 256) * 256,
    requests: Number(values.requests ?? 400),
    lines: Number(values.lines ?? 20_000),
    logs: Number(values.logs ?? 1_000),
  };
  const database = await openBenchDatabase();
  const db = new pg.Client({ connectionString: database.url });
  const memory = (name: string) => path.join(database.scratch, name);
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    sandbox = await Sandbox.start(database.url, { PLATFORM_MEMORY: memory('first') });
    await checkWhole(sandbox, given.lines);
    await sandbox.stop();
    sandbox = undefined;
    const [{ id: workspaceId }] = (
      await db.query<{ id: string }>(
        "SELECT w.id FROM workspace w WHERE environment = 'test' ORDER BY (SELECT count(*) FROM audit_entry e WHERE e.workspace_id = w.id) DESC LIMIT 1",
      )
    ).rows as [{ id: string }];
    const begun = performance.now();
    const tree = await fillTree(db, workspaceId, given.leaves);
    say(`${tree.leaves} leaves written in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    say(`${'bytes of disk for a leaf'.padEnd(48)} ${(tree.bytes / tree.leaves).toFixed(1)} (at most 40)`);
    sandbox = await Sandbox.start(database.url, { PLATFORM_MEMORY: memory('second') });
    await proofs(sandbox, tree.withLines, given);
    await packs(sandbox, given);
    await sandbox.stop();
    sandbox = undefined;
    await round(db, { url: database.url, memory: memory('third'), logs: given.logs });
  } finally {
    await sandbox?.stop();
    await db.end();
    await database.stop();
  }
}

/** How many leaves a second a check of the whole log looks at: that is what `evidence verify` does. */
async function checkWhole(sandbox: Sandbox, lines: number): Promise<void> {
  const account = await sandbox.make<{ data: { id: string } }>('/v1/accounts', { type: 'business', name: 'Checked' });
  const body = JSON.stringify({ metadata: { note: 'as it is' } });
  const patch = postRequest(sandbox.url, `/v1/accounts/${account.data.id}`, body, undefined).replace('POST', 'PATCH');
  for (let sent = 0; sent < lines; ) sent += (await sendLoad(sandbox.url, 16, 2, () => patch)).requests;
  await read(sandbox, '/v1/evidence/head');
  const begun = performance.now();
  const { data } = await read<{ data: { valid: boolean; checked: number } }>(sandbox, '/v1/audit-log/verify');
  const rate = data.checked / ((performance.now() - begun) / 1_000);
  if (!data.valid) throw new Error('the log is broken');
  say(`${'evidence verify'.padEnd(48)} ${Math.round(rate)} leaves a second of ${data.checked} (20,000)`);
}

async function read<T>(sandbox: Sandbox, target: string): Promise<T> {
  const response = await fetch(new URL(target, sandbox.url), { headers: { Authorization: `Bearer ${testKey}` } });
  if (!response.ok) throw new Error(`${target}: ${await response.text()}`);
  return response.json() as Promise<T>;
}

async function proofs(sandbox: Sandbox, places: readonly number[], { requests, leaves }: Given): Promise<void> {
  const { data: head } = await read<{ data: { tree_size: number } }>(sandbox, '/v1/evidence/head');
  const size = head.tree_size;
  await measured('proof of a leaf', sandbox, requests, (n) => `/v1/evidence/leaves/${places[n % places.length]}?tree_size=${size}`);
  const from = (n: number) => 1 + ((n * 7_919_993) % (leaves - 1));
  await measured(
    'proof that one head follows from another',
    sandbox,
    requests,
    (n) => `/v1/evidence/consistency?from=${from(n)}&to=${size}`,
  );
}

/** Times requests, and counts the CPU of the server for one. */
async function measured(what: string, sandbox: Sandbox, requests: number, ask: (n: number) => string): Promise<void> {
  await timed(50, (n) => get(sandbox.url, ask(n)));
  const before = await cpuSeconds(sandbox.url);
  const taken = await timed(requests, (n) => get(sandbox.url, ask(n)));
  const after = await cpuSeconds(sandbox.url);
  const micros = ((after.server - before.server) * 1e6) / (requests + Math.ceil(requests / 10));
  say(`${what.padEnd(48)} ${print(taken)}, ${Math.round(micros)} µs of CPU (5 ms p99, 1,000 µs)`);
}

async function packs(sandbox: Sandbox, { requests }: Given): Promise<void> {
  const make = <T>(target: string, body: object) => sandbox.make<{ data: T }>(target, body).then(({ data }) => data);
  const wallets: string[] = [];
  for (const name of ['Payer', 'Payee']) {
    const { id: owner_id } = await make<{ id: string }>('/v1/accounts', { type: 'business', name });
    const { id } = await make<{ id: string }>('/v1/wallets', { owner_type: 'account', owner_id, currency: 'USD' });
    wallets.push(id);
    if (name === 'Payer')
      await make('/v1/policies', {
        name: 'Limit',
        target: { type: 'account', id: owner_id },
        rules: [{ kind: 'max_amount', per: 'day', amount: '1000000.00', currency: 'USD' }],
      });
  }
  const [from_wallet_id, to_wallet_id] = wallets;
  await make(`/v1/wallets/${from_wallet_id}/fund`, { amount: '100000.00' });
  const paid: string[] = [];
  for (let n = 0; n < 50; n += 1) {
    const { id } = await make<{ id: string }>('/v1/transfers', {
      type: 'internal',
      from_wallet_id,
      to_wallet_id,
      amount: '1.00',
      currency: 'USD',
    });
    paid.push(id);
    if (n % 2 === 0) await make('/v1/refunds', { original_transfer_id: id, amount: '0.50', reason: 'customer_request' });
  }
  const { data: head } = await read<{ data: { tree_size: number } }>(sandbox, '/v1/evidence/head');
  const at = (n: number) => `/v1/transfers/${paid[n % paid.length]}/evidence?tree_size=${head.tree_size}`;
  for (const id of paid) await get(sandbox.url, `/v1/transfers/${id}/evidence?tree_size=${head.tree_size}`);
  const taken = await timed(requests, (n) => get(sandbox.url, at(n)));
  say(`${'pack'.padEnd(48)} ${print(taken)} (40 ms p99)`);
  const response = await fetch(new URL(at(0), sandbox.url), { headers: { Authorization: `Bearer ${testKey}` } });
  const pack = await response.text();
  const checked = await timed(100, async () => {
    const { outcome } = verifyPack(pack);
    if (outcome !== 'own') throw new Error(`the pack is ${outcome}`);
  });
  say(`${'verification in Node'.padEnd(48)} ${print(checked)} (50 ms), a pack of ${pack.length} bytes`);
}

/** One round over many logs that have grown. */
async function round(db: pg.Client, { url, memory, logs }: { url: string; memory: string; logs: number }): Promise<void> {
  const env = { DATABASE_URL: url, SECRETS_KEY: '00'.repeat(32), PLATFORM_MEMORY: memory, LOG_LEVEL: 'warn' };
  const config = { ...loadConfig(env), databaseUrl: url, secretsKey: env.SECRETS_KEY };
  const platform = await openPlatform({ config, log: createLogger('warn') });
  try {
    await db.query('DELETE FROM fence');
    await db.query('UPDATE audit_head SET moved = false WHERE moved');
    const ids = Array.from({ length: logs }, () => ({ tenant: randomUUID(), workspace: randomUUID() }));
    await db.query("SET session_replication_role = 'replica'");
    await db.query('INSERT INTO tenant (id, name, created_at) SELECT u.id, $2, now() FROM unnest($1::uuid[]) AS u (id)', [
      ids.map(({ tenant }) => tenant),
      'Signed',
    ]);
    await db.query(
      "INSERT INTO workspace (id, tenant_id, environment, created_at) SELECT w, t, 'test', now() FROM unnest($1::uuid[], $2::uuid[]) AS u (w, t)",
      [ids.map(({ workspace }) => workspace), ids.map(({ tenant }) => tenant)],
    );
    await db.query('RESET session_replication_role');
    const workspaces = ids.map(({ workspace }) => workspace);
    const taken: number[] = [];
    for (let size = 1; size <= 8; size += 1) {
      await growTrees(db, workspaces, size);
      const begun = performance.now();
      const signed = await signHeads(platform);
      taken.push(performance.now() - begun);
      if (signed !== logs) throw new Error(`${signed} heads were signed of ${logs}`);
    }
    const [first = 0, ...later] = taken;
    const worst = Math.max(...later);
    say(
      `${`a round of ${logs} logs that have grown`.padEnd(48)} ${Math.round(Math.min(...later))} to ${Math.round(worst)} ms, the first ${Math.round(first)} ms (200 ms)`,
    );
  } finally {
    await closePlatform(platform);
  }
}

// What rotating costs: a sealed value beside the same without the number of its key, the two commands, and sealing everything again while
// transfers go on.
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadConfig } from '../src/config.js';
import { createLogger } from '../src/platform/log.js';
import { newId } from '../src/platform/schema/id.js';
import { masterKey, openRing } from '../src/platform/secrets/key-ring.js';
import { retire, rotateMaster } from '../src/platform/secrets/rotation.js';
import { Vault } from '../src/platform/secrets/vault.js';
import { closePlatform, openPlatform } from '../src/server.js';
import { cpuSeconds, postmasterOf } from './cpu.js';
import { median, openBenchDatabase, Sandbox, say, testKey } from './platform.js';
import { command } from './two-cells.js';
import { makeWallets } from './wallets.js';

const about = `Usage: npm run bench -- secrets [--rows 1000000] [--rate 50] [--seconds 0]

Fills bank_account with --rows sealed values, makes a new data key, and watches the worker seal them again, while --rate transfers a
second go on. --seconds ends it earlier: the rest is worked out. Uses an embedded PostgreSQL of its own unless DATABASE_URL names an empty database.`;

const details = JSON.stringify({ iban: 'DE02120300000000202051', bic: 'BYLADEM1001', holder_name: 'Made-up Customer of a Bench' });

/** As values were sealed before they named their key. */
function sealOfBefore(key: Buffer, secret: string, rowId: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(rowId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function openOfBefore(key: Buffer, sealed: Uint8Array, rowId: string): string {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(rowId));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** Microseconds of CPU that sealing and opening a value take, before and now, in turn. */
function costOfValue(): void {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const vault = new Vault(first.toString('hex'));
  vault.use({ keys: new Map([first, second].map((key, at) => [at + 1, key])), current: 2, index: first });
  const id = randomUUID();
  const [old, fresh] = [sealOfBefore(first, details, id), vault.seal(details, id)];
  const calls = {
    'seal before': () => sealOfBefore(first, details, id),
    'seal now': () => vault.seal(details, id),
    'open before': () => openOfBefore(first, old, id),
    'open now': () => vault.open(fresh, id),
  };
  const taken = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
  const times = 20_000;
  for (let round = 0; round < 9; round += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const begun = process.cpuUsage();
      for (let n = 0; n < times; n += 1) call();
      const { user, system } = process.cpuUsage(begun);
      taken.get(name)?.push((user + system) / times);
    }
  }
  say([...taken].map(([name, each]) => `${name} ${median(each).toFixed(1)} µs`).join(', '));
}

/** Rows with sealed values, under the data key of now. */
async function fillRows(db: pg.Client, vault: Vault, accountId: string, count: number): Promise<void> {
  const { rows } = await db.query('SELECT workspace_id FROM account WHERE id = $1', [accountId]);
  const begun = Date.now() - count;
  for (let left = count; left > 0; left -= 5_000) {
    // In the order of time, as the platform makes them: random ones would touch another page of each index for every row.
    const ids = Array.from({ length: Math.min(left, 5_000) }, (_, n) => newId(new Date(begun + count - left + n)));
    await db.query(
      `INSERT INTO bank_account (workspace_id, id, account_id, rail, holder_name, sealed_details, last4, is_default, created_at, updated_at)
       SELECT $1, id, $2, 'sepa', 'Made-up', sealed, '2051', false, now(), now() FROM unnest($3::uuid[], $4::bytea[]) AS r (id, sealed)`,
      [rows[0].workspace_id, accountId, ids, ids.map((id) => vault.seal(details, id))],
    );
  }
  await db.query('VACUUM ANALYZE bank_account');
}

/** Transfers at a rate, whatever the answers take; how long those took that were sent since it was last asked. */
class Traffic {
  #taken: number[] = [];
  #failed = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(url: URL, wallets: readonly string[], rate: number) {
    let n = 0;
    this.#timer = setInterval(() => {
      n += 1;
      const [from, to] = [wallets[n % wallets.length], wallets[(n + 1) % wallets.length]];
      void this.#send(new URL('/v1/transfers', url), {
        type: 'internal',
        from_wallet_id: from,
        to_wallet_id: to,
        amount: '0.01',
        currency: 'USD',
      });
    }, 1_000 / rate);
  }

  async #send(url: URL, body: object): Promise<void> {
    const begun = performance.now();
    const headers = { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const status = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).then(
      async (response) => response.arrayBuffer().then(() => response.status),
      () => 0,
    );
    if (status === 201) this.#taken.push(performance.now() - begun);
    else this.#failed += 1;
  }

  report(): string {
    const sorted = this.#taken.splice(0).sort((a, b) => a - b);
    const share = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(0);
    return `${sorted.length} transfers, p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, ${this.#failed} failed`;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string' }, rate: { type: 'string' }, seconds: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return say(about);
  const [rows, rate, most] = [Number(values.rows ?? 1_000_000), Number(values.rate ?? 50), Number(values.seconds ?? 0)];
  costOfValue();
  const database = await openBenchDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const sandbox = await Sandbox.start(database.url);
  try {
    const wallets = await makeWallets(sandbox, 50);
    await measureMaster(database.url);
    const vault = new Vault('00'.repeat(32));
    await openRing(pool, vault, { secretsKey: '00'.repeat(32), secretsKeysOld: [] });
    const { rows: accounts } = await db.query('SELECT id FROM account LIMIT 1');
    await fillRows(db, vault, accounts[0].id, rows);
    say(`${rows} sealed values made`);
    await watch({ sandbox, db, pool, wallets, rows, rate, most, rotate: () => command(database.url, 'secrets', 'rotate', '--data') });
  } finally {
    await sandbox.stop();
    await db.end();
    await pool.end();
    await database.stop();
  }
}

/** What a new master key takes: the work, and the command with its start. */
async function measureMaster(databaseUrl: string): Promise<void> {
  const config = { ...loadConfig({ DATABASE_URL: databaseUrl, SECRETS_KEY: '00'.repeat(32) }), databaseUrl, secretsKey: '00'.repeat(32) };
  const platform = await openPlatform({ config, log: createLogger('silent') });
  const begun = performance.now();
  await rotateMaster({ ...platform, config: { ...config, secretsKey: '11'.repeat(32), secretsKeysOld: [config.secretsKey] } });
  const worked = performance.now();
  await retire(platform, masterKey('11'.repeat(32)).name, true);
  await closePlatform(platform);
  const called = performance.now();
  await command(databaseUrl, 'secrets', 'rotate');
  say(
    `a new master key: ${(worked - begun).toFixed(0)} ms; secrets rotate with its start ${((performance.now() - called) / 1_000).toFixed(1)} s`,
  );
}

interface Watched {
  sandbox: Sandbox;
  db: pg.Client;
  pool: pg.Pool;
  wallets: readonly string[];
  rows: number;
  rate: number;
  most: number;
  rotate: () => Promise<unknown>;
}

const windowMs = 20_000;

async function watch({ sandbox, db, pool, wallets, rows, rate, most, rotate }: Watched): Promise<void> {
  const postmaster = await postmasterOf(pool);
  const traffic = new Traffic(sandbox.url, wallets, rate);
  const isLeft = async () =>
    Number(
      (await db.query(`SELECT count(*) FROM bank_account WHERE substring(sealed_details FROM 5 FOR 4) = '\\x00000001'`)).rows[0].count,
    );
  /** What a window has cost, in shares of a core. */
  const window = async () => {
    const [before, begun] = [await cpuSeconds(sandbox.url, postmaster), performance.now()];
    await pause(windowMs);
    const [after, seconds] = [await cpuSeconds(sandbox.url, postmaster), (performance.now() - begun) / 1_000];
    const share = (name: 'server' | 'postgres') => (((after[name] - before[name]) / seconds) * 100).toFixed(1);
    return `server ${share('server')} % of a core, PostgreSQL ${share('postgres')} %; ${traffic.report()}`;
  };
  await pause(10_000);
  traffic.report();
  for (const _ of [1, 2]) say(`before: ${await window()}`);
  const made = performance.now();
  await rotate();
  say(`secrets rotate --data: ${((performance.now() - made) / 1_000).toFixed(1)} s, in which the process learns of the key`);
  const begun = performance.now();
  let left = rows;
  for (;;) {
    const said = await window();
    left = await isLeft();
    const seconds = (performance.now() - begun) / 1_000;
    const pace = (rows - left) / seconds;
    say(`${Math.round(seconds)} s: ${left} left, ${Math.round(pace)} a second; ${said}`);
    if (left === 0 || (most > 0 && seconds > most)) break;
  }
  traffic.stop();
}

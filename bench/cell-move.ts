// A large tenant that is moved while it pays, and while a tenant of each cell pays: how fast it is copied, for how long it cannot pay, and what
// the others notice.
import { setTimeout as pause } from 'node:timers/promises';
import { fill } from './fill.js';
import { print } from './latency.js';
import { type Sandbox, say, testKey } from './platform.js';
import { type CellDatabase, command, type Tenant } from './two-cells.js';
import { makeWallets } from './wallets.js';

interface Parts {
  sandbox: Sandbox;
  databases: readonly CellDatabase[];
  /** One in each cell. */
  tenants: readonly Tenant[];
}

/** Transfers that are written at once into the tenant that is to be large. */
const fillStep = 50_000;

export async function runMove({ sandbox, databases, tenants }: Parts, { megabytes, wallets }: { megabytes: number; wallets: number }) {
  const [main] = databases as [CellDatabase];
  const large = await largeTenant(main, megabytes);
  const payers = await Promise.all(
    [{ key: testKey, make: sandbox.make.bind(sandbox) } as Tenant, ...tenants].map(
      async (tenant) => new Payer(sandbox.url, tenant.key, await makeWallets(tenant, wallets)),
    ),
  );
  const [moving, ...others] = payers as [Payer, ...Payer[]];
  for (const payer of payers) payer.start();
  await pause(quietSeconds * 1_000);
  const before = others.map((payer) => payer.take());
  moving.take();
  const [begun, steps] = [performance.now(), watchSteps(main, large)];
  const printed = await moveToB(main, large);
  const tookMs = performance.now() - begun;
  const meanwhile = others.map((payer) => payer.take());
  const own = moving.take();
  for (const payer of payers) await payer.stop();
  const { copyingMs } = await steps;
  const [, rows = '', copied = ''] = /(\d+) rows, ([\d.]+) MB/.exec(printed) ?? [];
  say(printed.trim());
  say(
    `${rows} rows, ${copied} MB of COPY in ${(copyingMs / 1_000).toFixed(1)} s: ${(Number(copied) / (copyingMs / 1_000)).toFixed(1)} MB/s; the whole move took ${(tookMs / 1_000).toFixed(1)} s`,
  );
  say(`its longest payment took ${Math.max(...own.taken).toFixed(0)} ms, ${own.failures} of ${own.taken.length} were refused`);
  for (const [n, name] of ['of its cell', 'of the other cell'].entries()) {
    const [quiet, busy] = [before[n], meanwhile[n]] as [Taken, Taken];
    say(
      `a tenant ${name}: ${print(sharesOf(quiet))} before, ${print(sharesOf(busy))} meanwhile, ${busy.failures} of ${busy.taken.length} failed`,
    );
  }
}

const quietSeconds = 10;

/** How often a move that could not be made is gone on with. */
const attempts = 5;

/** Moves a tenant; what the command prints. On a machine that has too much to do the switch may not come in time: then it is gone on with. */
async function moveToB({ url }: CellDatabase, tenantId: string): Promise<string> {
  const move = (...how: string[]) => command(url, 'tenant', 'move', tenantId, ...how);
  let moved = move('--to', 'b');
  for (let attempt = 1; attempt < attempts; attempt += 1)
    moved = moved.catch((error: Error & { stderr?: string }) => {
      say(`the move stopped and goes on: ${(error.stderr ?? error.message).trim()}`);
      return move('--resume');
    });
  return moved;
}

/** Fills the sandbox of the bench. Answers its tenant. */
async function largeTenant({ pool }: CellDatabase, megabytes: number): Promise<string> {
  const client = await pool.connect();
  try {
    const sizeOf = async () => Number((await client.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes) / 1e6;
    const empty = await sizeOf();
    for (let written = 0; (await sizeOf()) - empty < megabytes; written += fillStep) await fill(client, fillStep, written);
    say(`the tenant has ${((await sizeOf()) - empty).toFixed(0)} MB`);
    // What the bench has written by its own way is no chain and no balance: the tenant has its own.
    await client.query('ANALYZE');
    return (await client.query("SELECT tenant_id AS id FROM workspace WHERE environment = 'test' ORDER BY id LIMIT 1")).rows[0].id;
  } finally {
    client.release();
  }
}

/** How long the copy takes. */
async function watchSteps({ pool }: CellDatabase, tenantId: string): Promise<{ copyingMs: number }> {
  const step = async () =>
    (await pool.query<{ step: string }>('SELECT step FROM tenant_move WHERE tenant_id = $1', [tenantId])).rows[0]?.step;
  while ((await step()) !== 'copying') await pause(20);
  const begun = performance.now();
  while ((await step()) === 'copying') await pause(20);
  return { copyingMs: performance.now() - begun };
}

interface Taken {
  taken: number[];
  failures: number;
}

function sharesOf({ taken }: Taken): { p50: number; p99: number } {
  const sorted = [...taken].sort((a, b) => a - b);
  const share = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { p50: share(0.5), p99: share(0.99) };
}

/** Pays again and again, a few times at once, and notes how long each payment took. */
class Payer {
  readonly #url: URL;
  readonly #key: string;
  readonly #wallets: readonly string[];
  #noted: Taken = { taken: [], failures: 0 };
  #isOver = false;
  #under: Promise<void>[] = [];

  constructor(url: URL, key: string, wallets: readonly string[]) {
    this.#url = url;
    this.#key = key;
    this.#wallets = wallets;
  }

  start(): void {
    this.#under = Array.from({ length: 2 }, () => this.#pay());
  }

  /** What was noted since the last time. */
  take(): Taken {
    const noted = this.#noted;
    this.#noted = { taken: [], failures: 0 };
    return noted;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#under);
  }

  async #pay(): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now();
      if (!(await this.#send())) this.#noted.failures += 1;
      this.#noted.taken.push(performance.now() - begun);
      await pause(10);
    }
  }

  /** False when the payment was refused, or nobody answered. */
  async #send(): Promise<boolean> {
    const [from, to] = [0, 1].map(() => this.#wallets[Math.floor(Math.random() * this.#wallets.length)]);
    const body = {
      type: 'internal',
      from_wallet_id: from,
      to_wallet_id: to === from ? this.#wallets.find((id) => id !== from) : to,
      amount: '0.01',
      currency: 'USD',
    };
    const headers = { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' };
    try {
      const response = await fetch(new URL('/v1/transfers', this.#url), { method: 'POST', headers, body: JSON.stringify(body) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}

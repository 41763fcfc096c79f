// The disk of the cell that a tenant moves to is full: while it is copied, and while the target follows. The move ends and says where the tenant
// is, which goes on paying; it can be gone on with when there is room, and given up. Tenants of the other cell notice nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client, type Json, openWallet } from '../../harness.js';
import { isSlow } from '../../slow.js';
import { SmallDisk } from './small-disk.js';
import { TwoServers, withPool } from './two-servers.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const disk = isSlow ? SmallDisk.make(640) : undefined;
const name = disk === undefined ? 'a full disk (SLOW=1, and nothing can be mounted without root)' : 'a full disk';
let installation: TwoServers;

/** What is left on a disk that is full. */
const fullBytes = 1_000_000;

/** A tenant with money, more of it than fits on a full disk. */
class Payer {
  readonly client: Client;
  readonly id: string;
  readonly #wallets: readonly Json[];
  readonly taken: number[] = [];

  private constructor(client: Client, id: string, wallets: readonly Json[]) {
    this.client = client;
    this.id = id;
    this.#wallets = wallets;
  }

  static async open(cell: string): Promise<Payer> {
    const { stdout } = await installation.run('tenant', 'create', '--name', 'Tenant', '--cell', cell, '--json');
    const { tenant_id: id, test_key: key } = JSON.parse(stdout);
    const client = new Client(installation.url, key);
    const wallets = [await openWallet(client, { funded: '1000.00' }), await openWallet(client)].map(({ wallet }) => wallet);
    for (let n = 0; n < 40; n += 1) await Promise.all(Array.from({ length: 25 }, () => openWallet(client)));
    return new Payer(client, id, wallets);
  }

  async pay(): Promise<void> {
    const [from, to] = this.#wallets;
    const body = { type: 'internal', from_wallet_id: from?.id, to_wallet_id: to?.id, amount: '0.01', currency: 'USD' };
    const begun = performance.now();
    const { status, body: answer } = await this.client.post('/v1/transfers', body);
    expect(status, JSON.stringify(answer)).toBe(201);
    this.taken.push(performance.now() - begun);
  }

  /** Pays until `end` says that it is over. */
  async payUntil(end: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = () => (isOver = true);
    void end.then(over, over);
    while (!isOver) await this.pay();
  }
}

const stepOf = (id: string) =>
  withPool(installation.cells.main.url, async (pool) => {
    const { rows } = await pool.query<{ step: string }>('SELECT step FROM tenant_move WHERE tenant_id = $1', [id]);
    return rows[0]?.step;
  });

/** Slots of moves in the source, which would keep its WAL. */
const slots = () =>
  withPool(installation.cells.main.url, async (pool) => (await pool.query('SELECT slot_name FROM pg_replication_slots')).rows);

/** Gives a move up while its target is lost, and cleans the target up when it is back. */
async function giveUp(payer: Payer): Promise<void> {
  const lost = await installation.run('tenant', 'move', payer.id, '--abort');
  if (lost.code !== 0) expect(lost.stderr).toContain('stays in main, but what was copied is not removed from b yet');
  await payer.pay();
  expect(await slots()).toEqual([]);
  disk?.empty();
  await installation.bringBack('b');
  if (lost.code !== 0) expect((await installation.run('tenant', 'move', payer.id, '--abort')).stdout).toContain('stays in main');
  await payer.pay();
  expect(await stepOf(payer.id)).toBeUndefined();
}

describe.skipIf(disk === undefined)(name, () => {
  beforeAll(async () => {
    installation = await TwoServers.start({}, disk);
  });
  afterAll(() => installation?.stop());
  afterEach(async () => {
    disk?.empty();
    await installation.bringBack('b');
  });

  it('ends a move that copies, and the tenant goes on paying; when there is room it is gone on with', async () => {
    const payer = await Payer.open('main');
    disk?.fill(fullBytes);
    const moving = installation.run('tenant', 'move', payer.id, '--to', 'b');
    await payer.payUntil(moving);
    const { code, stderr } = await moving;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The move stopped while copying: .*is in main: --resume goes on/)]);
    await payer.pay();
    disk?.empty();
    await installation.bringBack('b');
    const resumed = installation.run('tenant', 'move', payer.id, '--resume');
    expect((await resumed).stdout).toContain('is in b now');
    await payer.pay();
    expect((await installation.run('ledger', 'check')).code).toBe(0);
  });

  it('can be given up while the disk is full: the tenant pays, and no WAL is kept for the move', async () => {
    const payer = await Payer.open('main');
    disk?.fill(fullBytes);
    expect((await installation.run('tenant', 'move', payer.id, '--to', 'b')).stderr).toContain('The move stopped while copying');
    disk?.fillUp();
    await giveUp(payer);
  });

  it('ends a move whose target is lost while it follows, and that can be given up before it is back', async () => {
    const payer = await Payer.open('main');
    const moving = installation.launch('tenant', 'move', payer.id, '--to', 'b');
    await vi.waitUntil(async () => (await stepOf(payer.id)) === 'following', { interval: 2, timeout: 60_000 });
    await installation.cells.b.kill();
    await payer.payUntil(moving.ended);
    expect((await moving.ended).stderr).toMatch(/The move stopped while following: .*is in main: --resume goes on/);
    await giveUp(payer);
  });

  it('takes nothing from tenants of the other cell: no request fails, and none is slower', async ({ annotate }) => {
    const [here, there] = [await Payer.open('main'), await Payer.open('b')];
    const p99 = (taken: number[]) => taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? 0;
    await here.payUntil(pause(10_000));
    const before = p99(here.taken.splice(0));
    disk?.fill(0);
    // Whoever is in the full cell is refused, again and again.
    const statuses: number[] = [];
    const refused = async () => {
      for (const end = performance.now() + 10_000; performance.now() < end; )
        statuses.push((await there.client.post('/v1/accounts', { type: 'business', name: 'x'.repeat(200) })).status);
    };
    await here.payUntil(Promise.all([refused(), refused(), refused(), refused()]));
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    await annotate(`p99 ${before.toFixed(0)} ms before, ${p99(here.taken).toFixed(0)} ms with the other cell full`);
    expect(p99(here.taken)).toBeLessThan(Math.max(3 * before, 100));
  });
});

// Moves of a tenant to and fro while it does everything at once, and whoever takes part in them is killed: the platform, the command that
// moves, and the PostgreSQL of both cells. SLOW=1 kills each of them at each step.
// Then what the loss of one cell takes from tenants of the other: nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { MoveStep } from '../../../src/platform/cell/move/move.js';
import { Receiver } from '../../contexts/webhooks/receiver.js';
import { Client } from '../../harness.js';
import type { Program } from '../../process.js';
import { isSlow } from '../../slow.js';
import { MovingLife } from './moving-life.js';
import { type CellName, TwoServers, withPool } from './two-servers.js';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 180_000 });

type Victim = 'command' | 'platform' | CellName;

const receiver = await Receiver.start();
let installation: TwoServers;
let tenantId: string;

beforeAll(async () => {
  installation = await TwoServers.start({ WEBHOOK_ALLOW_HOSTS: receiver.host });
  tenantId = await withPool(
    installation.cells.main.url,
    async (pool) => (await pool.query<{ id: string }>('SELECT id FROM tenant')).rows[0]?.id ?? '',
  );
});
afterAll(async () => {
  await installation?.stop();
  await receiver.stop();
});

/** Where the tenant is, and how far its move is. Asks until the directory answers. */
async function look(): Promise<{ cell: CellName; step: MoveStep | undefined }> {
  for (;;) {
    const query = 'SELECT cell_name AS cell, step FROM tenant_place LEFT JOIN tenant_move USING (tenant_id) WHERE tenant_id = $1';
    const found = await withPool(installation.cells.main.url, (pool) => pool.query(query, [tenantId])).catch(() => undefined);
    if (found?.rows[0] !== undefined) return { ...found.rows[0], step: found.rows[0].step ?? undefined };
    await pause(20);
  }
}

/** Kills that are still to come, by step. */
class Kills {
  readonly #left: Record<MoveStep, Victim[]>;
  readonly done: string[] = [];

  constructor(left: Record<MoveStep, Victim[]>) {
    this.#left = left;
  }

  get left(): number {
    return Object.values(this.#left).flat().length;
  }

  /** Kills whoever is next at a step. */
  async at(step: MoveStep, command: Program): Promise<void> {
    const victim = this.#left[step].shift();
    if (victim === undefined) return;
    this.done.push(`${victim} at ${step}`);
    if (victim === 'command') await command.kill('SIGKILL');
    else if (victim === 'platform') await installation.killServer();
    else await installation.killCell(victim);
  }
}

/** Moves the tenant, whatever is killed meanwhile, by going on with the move until it is over. */
async function move(to: CellName, kills: Kills): Promise<void> {
  for (;;) {
    const { cell, step } = await look();
    if (cell === to && step === undefined) return;
    const command = installation.launch('tenant', 'move', tenantId, ...(step === undefined ? ['--to', to] : ['--resume']));
    await watch(command, kills);
    const { code, stderr } = await command.ended;
    if (code !== 0 && code !== null) expect(stderr).not.toMatch(/cells differ|TypeError/);
  }
}

/** Looks at the steps of a command until it ends. */
async function watch(command: Program, kills: Kills): Promise<void> {
  let last: MoveStep | undefined;
  while (command.isRunning) {
    const { step } = await look();
    if (step !== undefined && step !== last) await kills.at(step, command);
    last = step;
    await pause(2);
  }
}

it('that is moved while everything is killed loses nothing, and does nothing twice', async ({ annotate }) => {
  const life = await MovingLife.open(installation, receiver, 1);
  await life.start();
  await expect.poll(() => life.payments, { timeout: 60_000 }).toBeGreaterThan(20);
  const everybody = (): Victim[] => ['command', 'platform', 'main', 'b'];
  const steps = { copying: everybody(), following: everybody(), switching: everybody(), switched: everybody() };
  const kills = new Kills(isSlow ? steps : { copying: [], following: ['b'], switching: ['command'], switched: [] });
  for (const to of (isSlow ? ['b', 'main', 'b'] : ['b']) as CellName[]) {
    await move(to, kills);
    const before = life.payments;
    await expect.poll(() => life.payments, { timeout: 60_000 }).toBeGreaterThan(before + 10);
  }
  await life.stop();
  await life.expectWhole();
  const { code, stdout } = await installation.run('ledger', 'check');
  expect([code, stdout]).toEqual([0, expect.stringContaining('The ledger is right')]);
  await annotate(`${life.payments} payments, ${JSON.stringify(life.made)}; killed: ${kills.done.join(', ')}; not reached: ${kills.left}`);
});

/** How a cell is lost, and what brings it back. */
const losses: Record<string, (cell: TwoServers['cells'][CellName]) => Promise<() => unknown>> = {
  killed: async (cell) => {
    await cell.kill();
    return () => cell.start();
  },
  hung: (cell) => cell.hang(),
  full: (cell) => cell.fill(),
};

it.each(isSlow ? ['killed', 'hung', 'full'] : ['killed'])('a cell that is %s takes no request from tenants of the other', async (how) => {
  const clientIn = async (cell: CellName) => {
    const { stdout } = await installation.run('tenant', 'create', '--name', 'Tenant', '--cell', cell, '--json');
    return new Client(installation.url, JSON.parse(stdout).test_key);
  };
  const [here, there] = [await clientIn('main'), await clientIn('b')];
  expect((await there.get('/v1/accounts?limit=1')).status).toBe(200);
  const work = async () => [await here.post('/v1/accounts', { type: 'business', name: 'Ada' }), await here.get('/v1/accounts?limit=1')];
  const back = await (losses[how] as (typeof losses)[string])(installation.cells.b);
  try {
    const failed = (await Promise.all(Array.from({ length: 20 }, work))).flat().filter(({ status }) => status >= 300);
    expect(failed).toEqual([]);
    const lost = await there.get('/v1/accounts?limit=1');
    expect([lost.status, lost.body.code]).toEqual(how === 'full' ? [expect.any(Number), lost.body.code] : [503, 'dependency_unavailable']);
    if (how !== 'full') {
      const ready = await fetch(`${installation.url}/ready`);
      expect([ready.status, (await ready.json()).checks.database.cells]).toEqual([200, { main: 'ok', b: 'failed' }]);
    }
    expect((await work()).map(({ status }) => status)).toEqual([201, 200]);
  } finally {
    await back();
  }
  await expect.poll(async () => (await there.get('/v1/accounts?limit=1')).status, { interval: 50, timeout: 30_000 }).toBe(200);
});

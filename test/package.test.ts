// The packages as they are published: npx in an empty folder, a first payment, a second start.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../src/platform/postgres/cluster.js';
import { openRegistry, type Packed } from './package-registry.js';
import { buildOnce, isAlive, Program, postmasterPid } from './process.js';
import { isSlow } from './slow.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const within = { timeout: 180_000, interval: 50 };

/** Where npm gets packages; null where nobody answers. */
async function registryOf(): Promise<string | null> {
  const url = (await execute('npm', ['config', 'get', 'registry'], { cwd: root })).stdout.trim();
  return execute('npm', ['view', 'nodemailer', 'version', '--fetch-retries=0', '--fetch-timeout=15000'], { cwd: root }).then(
    () => url,
    () => null,
  );
}

describe.skipIf(!isSlow)('the packages', () => {
  const packed: Packed[] = [];
  let folder = '';
  let registry: { url: string; close(): void } | undefined;
  let server: Program | undefined;

  beforeAll(async () => {
    await buildOnce();
    folder = await mkdtemp(path.join(tmpdir(), 'published-'));
    await chmod(folder, 0o755);
    const to = path.join(folder, 'packed');
    await mkdir(to);
    await execute(process.execPath, ['scripts/pack.mjs', '--to', to], { cwd: root });
    for (const name of await readdir(to)) {
      const { stdout } = await execute('tar', ['xzOf', path.join(to, name), 'package/package.json']);
      packed.push({
        manifest: JSON.parse(stdout),
        content: await readFile(path.join(to, name)),
      });
    }
    const beyond = await registryOf();
    if (beyond !== null) registry = await openRegistry(packed, beyond);
  }, 300_000);

  afterAll(async () => {
    registry?.close();
    if (server?.isRunning) await server.kill('SIGKILL');
    const postmaster = await postmasterPid(path.join(folder, 'new', '.data')).catch(() => undefined);
    if (postmaster !== undefined && isAlive(postmaster)) process.kill(postmaster, 'SIGINT');
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program of npm in the new folder. */
  const run = (program: 'npm' | 'npx', args: readonly string[], env: Record<string, string> = {}) => {
    const settings = { npm_config_registry: registry?.url ?? '', npm_config_update_notifier: 'false', ...env };
    return new Program(args[0] ?? '', args.slice(1), settings, { bin: program, cwd: path.join(folder, 'new') });
  };

  /** Ends a server that npm has started, which hands no signal on: a terminal sends it to all of them. */
  async function end(npx: Program): Promise<string> {
    const childOf = async (pid: number): Promise<number> => Number.parseInt((await execute('pgrep', ['-P', String(pid)])).stdout, 10);
    // npm runs a shell, which runs the server.
    const shell = await childOf(npx.child.pid ?? 0);
    const pid = await childOf(shell);
    process.kill(pid, 'SIGINT');
    return (await npx.ended).stdout;
  }

  it('say nothing of a checkout: no scripts, no workspaces, no packages for development', () => {
    const [own] = packed.filter(({ manifest }) => manifest.name === 'agent-payments');
    expect(Object.keys(own?.manifest ?? {}).sort()).toEqual(
      [
        'bin',
        'dependencies',
        'description',
        'engines',
        'files',
        'license',
        'name',
        'optionalDependencies',
        'repository',
        'type',
        'version',
      ].sort(),
    );
  });

  it('start by npx in an empty folder, take a payment by the SDK, and are found again', async (context) => {
    if (registry === undefined) return context.skip('the registry of npm does not answer');
    await mkdir(path.join(folder, 'new'));
    const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
    const begun = performance.now();
    server = run('npx', ['--yes', 'agent-payments'], ports);
    await expect.poll(() => `${server?.stdout}${server?.isRunning ? '' : server?.stderr}`, within).toContain('is ready');
    const startedIn = performance.now() - begun;
    expect(server.stdout).toContain(`Opening the database in ${path.join(folder, 'new', '.data')}.`);
    expect(server.stdout).toMatch(/Next: npx agent-payments demo .* npx agent-payments --help/);
    const key = /test {2}(pk_test_\S+)/.exec(server.stdout)?.[1] ?? '';

    await writeFile(path.join(folder, 'new', 'package.json'), '{ "type": "module" }');
    const installed = await run('npm', ['install', '--no-audit', '--no-fund', '@agent-payments/sdk', 'agent-payments']).ended;
    expect(installed.code, installed.stderr).toBe(0);
    const pay = `
      import { createClient } from '@agent-payments/sdk';
      const company = createClient({ baseUrl: '${/Sandbox +(\S+)/.exec(server.stdout)?.[1]}', credential: '${key}' });
      const { data: world } = await company.POST('/v1/test/seed', { body: { scenario: 'basic' } });
      const [own, till] = world.wallets.map(({ id }) => id);
      const body = { type: 'internal', from_wallet_id: own, to_wallet_id: till, amount: '2.00', currency: 'USD' };
      process.stdout.write((await company.POST('/v1/transfers', { body })).data.status);`;
    await writeFile(path.join(folder, 'new', 'pay.js'), pay);
    const paid = await new Program('pay.js', [], {}, { cwd: path.join(folder, 'new') }).ended;
    const paidIn = performance.now() - begun;
    await context.annotate(`ready ${Math.round(startedIn / 1_000)} s after npx, paid after ${Math.round(paidIn / 1_000)} s`);
    expect(paid, paid.stderr).toMatchObject({ code: 0, stdout: 'completed' });

    const help = await run('npx', ['agent-payments', '--help']).ended;
    expect(help.stdout).toContain('Usage: npx agent-payments <command>');
    expect(help.stdout).not.toMatch(/npm run|npm start/);
    expect(await end(server)).not.toContain('Error');

    server = run('npx', ['agent-payments'], ports);
    await expect.poll(() => `${server?.stdout}${server?.isRunning ? '' : server?.stderr}`, within).toContain('is ready');
    expect(server.stdout).not.toContain('A demo tenant was made');
    const known = await fetch(`${/Sandbox +(\S+)/.exec(server.stdout)?.[1]}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    expect(known.status).toBe(200);
    await end(server);
  }, 600_000);

  it('bring the packages that this release was tested with, and none for development', async (context) => {
    if (registry === undefined) return context.skip('the registry of npm does not answer');
    const modules = path.join(folder, 'new', 'node_modules');
    const own = JSON.parse(await readFile(path.join(modules, 'agent-payments', 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(own.dependencies).length).toBeGreaterThan(3);
    for (const [name, version] of Object.entries(own.dependencies))
      expect([name, JSON.parse(await readFile(path.join(modules, name, 'package.json'), 'utf8')).version]).toEqual([name, version]);
    const unwanted = ['typescript', 'vitest', 'prisma', 'tsx', 'viem', 'graphql-yoga', '@whatwg-node/promise-helpers'];
    expect(unwanted.filter((name) => existsSync(path.join(modules, name)))).toEqual([]);
    const { stdout } = await execute('du', ['-sm', path.join(folder, 'new', 'node_modules')]);
    await context.annotate(`${stdout.split('\t')[0]} MB`);
    expect(Number(stdout.split('\t')[0])).toBeLessThan(250);
  });
});

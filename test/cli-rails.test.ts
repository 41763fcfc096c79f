// The commands about rails of production, and what a start says of a file that is wrong.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { addCell } from '../src/cli/cell.js';
import { checkRailsFile } from '../src/cli/rails-command.js';
import { loadConfig } from '../src/config.js';
import { manifest } from '../src/contexts.js';
import { runHere } from './command.js';
import { dataOf, farSide, plenty, railsText, useRails } from './contexts/rails/test-kind.js';
import { saveWorld } from './saved-world.js';

const secret = 'a secret that nobody reads 8f3c';
const folder = mkdtempSync(path.join(tmpdir(), 'cli-rails-'));
writeFileSync(path.join(folder, 'secret'), secret, { mode: 0o600 });
const rails = useRails([
  `usdc-base: {kind: test, ${plenty}, secret: {file: ${path.join(folder, 'secret')}}}`,
  `usdc-far: {kind: test, ${plenty}}`,
]);
const { harness } = rails;
afterAll(() => rmSync(folder, { recursive: true }));

/** A command with the settings of the server. */
async function run(...args: string[]) {
  const text = readFileSync(rails.file, 'utf8');
  // Two tenants: the file says who runs the platform.
  const file = path.join(folder, 'named.yaml');
  writeFileSync(file, `operator: ${harness.tenantId}\n${text}`);
  const { databaseUrl, secretsKey, memoryDir } = harness.platform.config;
  const settings = { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '', PLATFORM_MEMORY: memoryDir, RAILS_FILE: file };
  return runHere(args, { ...settings, LOG_LEVEL: 'silent' });
}
const line = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

describe('rails', () => {
  it('doctor, on, drain, off and status: exit 0, and what a program reads', async () => {
    expect(await run('rails', 'on', 'usdc-base')).toMatchObject({ code: 1, stderr: expect.stringContaining('not found in order') });
    expect(await run('rails', 'doctor', 'usdc-base')).toMatchObject({ code: 0, stdout: 'ok     usdc-base  far side: it answers\n' });
    expect(await run('rails', 'on', 'usdc-base')).toMatchObject({ code: 0, stdout: 'usdc-base is on; it was off.\n' });
    const drained = await run('rails', 'drain', 'usdc-base', '--reason', 'enough for today', '--json');
    expect(line(drained.stdout)).toEqual({ rail: 'usdc-base', from: 'on', to: 'draining', in_flight: [] });
    const { stdout } = await run('rails', 'status', '--json');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one)),
    ).toMatchObject([
      { rail: 'usdc-base', status: 'draining', reason: 'enough for today', used_today: { amount: '0.00', count: 0 } },
      { rail: 'usdc-far', status: 'off', reason: null },
    ]);
    expect((await run('rails', 'off', 'usdc-base')).stdout).toBe('usdc-base is off; it was draining.\n');
    const switched = await harness.platform.database.unscoped.railSwitch.findMany({ orderBy: { id: 'asc' } });
    expect(switched.map(({ to, by }) => [to, by])).toEqual([
      ['on', 'system'],
      ['draining', 'system'],
      ['off', 'system'],
    ]);
    expect((await harness.live.get('/v1/audit-log?action=switchRail')).body.data).toHaveLength(3);
  });

  it('exit 1 where the doctor finds something wrong, which --force writes down', async () => {
    farSide.problem = 'it is silent';
    expect(await run('rails', 'doctor', 'usdc-far')).toMatchObject({
      code: 1,
      stdout: 'WRONG  usdc-far  far side: it is silent; wanted an answer\n       Mend it.\n',
    });
    expect((await run('rails', 'on', 'usdc-far')).code).toBe(1);
    expect((await run('rails', 'on', 'usdc-far', '--force')).code).toBe(0);
    const [forced] = await harness.platform.database.unscoped.railSwitch.findMany({ where: { rail: 'usdc-far' } });
    expect(forced?.reason).toBe('command line (by force)');
    await run('rails', 'off', 'usdc-far');
  });

  it('refuse to go on after a restore until what was open was seen', async () => {
    farSide.problem = null;
    await run('rails', 'doctor');
    await run('rails', 'on', 'usdc-base');
    const wallet = await rails.wallet();
    await harness.runDue();
    dataOf(await rails.payout(wallet));
    farSide.follow = async () => {};
    const restore = await saveWorld(harness.platform);
    await harness.runDue();
    expect(farSide.arrived).toHaveLength(1);
    await restore();
    await harness.runDue();
    await harness.runDue();
    expect(farSide.arrived).toHaveLength(1);
    for (const verb of ['on', 'drain'])
      expect(await run('rails', verb, 'usdc-base')).toMatchObject({ code: 1, stderr: expect.stringMatching(/put back.*--yes/s) });
    expect((await run('rails', 'on', 'usdc-base', '--yes')).stdout).toBe('usdc-base is on; it was off.\n');
    await run('rails', 'off', 'usdc-base');
  });

  it('prove: exit 0 where nothing differs, 1 where something does, 2 where it could not be found out', async () => {
    farSide.money = 500n;
    const far = await run('rails', 'prove', 'usdc-far');
    expect(far).toMatchObject({ code: 0, stdout: expect.stringContaining('usdc-far  USDC at block 7') });
    farSide.money = 501n;
    const proven = await run('rails', 'prove', 'usdc-far', '--json');
    expect([proven.code, line(proven.stdout)]).toMatchObject([1, { rail: 'usdc-far', ledger: '0.00', difference: '0.000001' }]);
    farSide.money = null;
    expect(await run('rails', 'prove')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usdc-far could not be proven: the far side is silent'),
    });
    expect(await run('rails', 'prove', 'usdc-nowhere')).toMatchObject({ code: 2 });
    expect(await run('rails', 'resume-reading', 'usdc-far', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reads no blocks'),
    });
  });

  it('say which rails there are, and that there is no file', async () => {
    expect(await run('rails', 'off', 'usdc-nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it has usdc-base, usdc-far'),
    });
    expect(await run('rails', 'off')).toMatchObject({ code: 1 });
    const { databaseUrl, secretsKey } = harness.platform.config;
    const without = await runHere(['rails', 'status'], {
      DATABASE_URL: databaseUrl ?? '',
      SECRETS_KEY: secretsKey ?? '',
      LOG_LEVEL: 'silent',
    });
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('RAILS_FILE is not set') });
  });

  it('check reads a file without a database', async () => {
    // Vite puts a BASE_URL of its own into the environment.
    vi.stubEnv('BASE_URL', '');
    const said: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = (text: string | Uint8Array) => said.push(String(text)) > 0;
    try {
      await checkRailsFile([rails.file, '--json']);
    } finally {
      process.stdout.write = write;
    }
    expect(JSON.parse(said.join(''))).toMatchObject({ operator: null, rails: [{ rail: 'usdc-base' }, { rail: 'usdc-far' }] });
    const wrong = path.join(folder, 'wrong.yaml');
    writeFileSync(wrong, railsText('usdc-base: {kind: tset}'));
    await expect(checkRailsFile([wrong])).rejects.toThrow('did you mean test?');
    vi.unstubAllEnvs();
  });
});

describe('a start', () => {
  it('ends with one message for a file that is wrong', async () => {
    const wrong = path.join(folder, 'wrong.yaml');
    writeFileSync(wrong, railsText('usdc-base: {kind: test}', 'usdc-far: {kind: tset}'));
    await expect(manifest.configured(loadConfig({ RAILS_FILE: wrong }))).rejects.toThrow(
      `${wrong} does not say what rails there are:\n  - line 3: rails.usdc-base.limits is required\n  - line 4: rails.usdc-far.kind must be one of`,
    );
  });

  it('is refused where several tenants are there and the file names none of them, or a stranger', async () => {
    const { databaseUrl, secretsKey, memoryDir } = harness.platform.config;
    const settings = { DATABASE_URL: databaseUrl ?? '', SECRETS_KEY: secretsKey ?? '', PLATFORM_MEMORY: memoryDir, LOG_LEVEL: 'silent' };
    const tenants = await harness.platform.database.unscoped.tenant.count();
    expect(tenants).toBeGreaterThan(1);
    const sentence = `there are ${tenants} tenants, and RAILS_FILE does not say which of them runs the platform`;
    const started = await runHere(['rails', 'status'], { ...settings, RAILS_FILE: rails.file });
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
    const stranger = path.join(folder, 'stranger.yaml');
    writeFileSync(stranger, `operator: 01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d\n${readFileSync(rails.file, 'utf8')}`);
    const refused = await runHere(['rails', 'status'], { ...settings, RAILS_FILE: stranger });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is no tenant of this database') });
    vi.stubEnv('BASE_URL', '');
    vi.stubEnv('DATABASE_URL', databaseUrl ?? '');
    vi.stubEnv('SECRETS_KEY', secretsKey ?? '');
    await expect(checkRailsFile([rails.file])).rejects.toThrow(sentence);
    vi.unstubAllEnvs();
  });

  it('has no secret of the file in what it knows, nor in a log of it', async () => {
    const out = new PassThrough();
    const config = loadConfig({ RAILS_FILE: rails.file });
    pino(out).info({
      config,
      extensions: [
        ...(await manifest.configured(config))
          .of((await import('../src/contexts/rails/configured-rails.js')).configuredRails)
          .byName.values(),
      ],
    });
    expect(String(out.read())).toContain('usdc-base');
    for (const { stdout, stderr } of [await run('rails', 'status', '--json'), await run('rails', 'doctor')])
      expect(stdout + stderr).not.toContain(secret);
  });
});

describe('cells', () => {
  it('are refused beside rails', async () => {
    const cell = { name: 'second', url: 'postgresql://nowhere/none' };
    await expect(addCell(harness.platform, cell)).rejects.toThrow('rails of production need an installation of one cell');
    const config = { ...harness.platform.config, railsFile: null };
    const without = { ...harness.platform, config, cells: harness.platform.cells };
    await expect(addCell(without, cell)).rejects.toThrow('usdc-base, usdc-far were switched on: rails of production need');
  });

  it('stop the start where there is more than one', async () => {
    const { platform } = harness;
    const url = platform.vault.seal('postgresql://nobody@127.0.0.1:1/none', 'cell second');
    await platform.database.pool.query(`INSERT INTO cell (name, sealed_url, created_at) VALUES ('second', $1, now())`, [url]);
    await expect.poll(() => platform.cells.listed.length).toBe(2);
    const started = await run('rails', 'status');
    await platform.database.pool.query(`DELETE FROM cell WHERE name = 'second'`);
    await expect.poll(() => [platform.cells.listed.length, platform.cells.served.length]).toEqual([1, 1]);
    expect(started).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there are 2 cells: rails of production need an installation of one cell'),
    });
  });
});

// The Dockerfile by its own steps, without a container engine: what it copies is there, builds, and starts on a root that nobody may write.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../src/config.js';
import { freePort } from '../src/platform/postgres/cluster.js';
import { programOf, type Stage, stages } from './dockerfile.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { node22 } from './oracles/installed.js';
import { Program } from './process.js';
import { isSlow } from './slow.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const own = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  description: string;
  license: string;
  repository: { url: string };
  scripts: Record<string, string>;
};
const image = stages.at(-1) as Stage;
const stageNamed = (name: string) => stages.find((stage) => stage.name === name) as Stage;

describe('the Dockerfile', () => {
  it('is built from one exact release of Node, an even one that is maintained', () => {
    const [base, ...others] = new Set(stages.map((stage) => stage.base));
    expect(others).toEqual([]);
    expect(base).toMatch(/^node:\d+\.\d+\.\d+-slim$/);
    const major = Number(/^node:(\d+)\./.exec(base ?? '')?.[1]);
    expect(major).toBeGreaterThanOrEqual(24);
    expect(major % 2).toBe(0);
    expect(image.labels['org.opencontainers.image.base.name']).toBe(`docker.io/library/${base}`);
  });

  it('runs as nobody special, by a number', () => {
    expect(image.last['USER']).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('says what package.json says of the platform', () => {
    const said = Object.fromEntries(
      Object.entries(image.labels).map(([name, value]) => [name.replace(/^org\.opencontainers\.image\./, ''), value]),
    );
    expect(said).toEqual({
      title: own.name,
      description: own.description,
      version: own.version,
      licenses: own.license,
      source: own.repository.url.replace(/^git\+|\.git$/g, ''),
      'base.name': expect.any(String),
    });
  });

  it('sets settings that there are, and the ports that it exposes', () => {
    const preset = Object.fromEntries(settings.map((setting) => [setting.name, setting.default]));
    const { NODE_ENV: _, ...env } = image.env;
    expect(Object.keys(env).filter((name) => preset[name] === undefined)).toEqual([]);
    const ports = ['PORT', 'SANDBOX_PORT', 'METRICS_PORT'].map((name) => env[name] ?? preset[name]);
    expect(image.last['EXPOSE']?.split(' ')).toEqual(ports);
  });

  it('copies what is there, and what .dockerignore lets through', async () => {
    const ignored = (await readFile(path.join(root, '.dockerignore'), 'utf8')).split('\n');
    const copied = stages.flatMap(({ copies }) => copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources));
    expect(copied.length).toBeGreaterThan(10);
    for (const name of copied) {
      expect(existsSync(path.join(root, name)), name).toBe(true);
      expect(
        ignored.some((line) => line.startsWith('!') && `${name}/`.startsWith(`${line.slice(1)}/`)),
        name,
      ).toBe(true);
    }
  });

  it('starts as npm does, and asks the process by the command line', () => {
    expect(`exec ${programOf(image.last['CMD']).join(' ')}`).toBe(own.scripts['start']);
    expect(programOf(image.last['HEALTHCHECK'])).toEqual(['node', 'dist/cli.js', 'health']);
  });
});

/** Copies what a stage takes out of the folder that is built. */
async function copyInto(folder: string, { copies }: Stage, fromStage: (name: string) => string): Promise<void> {
  for (const { from, sources, to } of copies)
    for (const source of sources) {
      const origin = from === null ? path.join(root, source) : path.join(fromStage(from), source.replace(/^\/app\//, ''));
      const target = to.endsWith('/') ? path.join(folder, to, path.basename(source)) : path.join(folder, to);
      const generated = path.join(root, 'src', 'generated');
      const filter = (file: string) => file !== generated && file !== path.join(root, 'verify', 'dist');
      await cp(origin, target, { recursive: true, ...(from === null && { filter }) });
    }
}

/** The packages of package-lock.json that `npm ci --omit=dev --omit=optional` installs. */
async function installInto(folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true; link?: true }>;
  };
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (!name.startsWith('node_modules/') || entry.dev || entry.optional || entry.devOptional || entry.link) continue;
    const origin = path.join(root, name);
    const isWithin = (file: string) => !path.relative(origin, file).split(path.sep).includes('node_modules');
    await cp(origin, path.join(folder, name), { recursive: true, filter: isWithin });
  }
}

const nodes = [['the Node of the tests', process.execPath], ...(node22 === undefined ? [] : [['Node 22', node22] as const])] as const;

describe.skipIf(!isSlow)('the image, put together by the steps of the Dockerfile', () => {
  /** Of a user who owns nothing here. */
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
  let folder: string;
  let database: NewDatabase;
  let env: Record<string, string>;
  let running: Program | undefined;
  const app = () => path.join(folder, 'app');

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'image-'));
    await chmod(folder, 0o755);
    const built = path.join(folder, 'build');
    await copyInto(built, stageNamed('build'), () => built);
    await symlink(path.join(root, 'node_modules'), path.join(built, 'node_modules'));
    for (const step of stageNamed('build').runs.filter((run) => run.startsWith('node '))) {
      const { code, stderr } = await new Program('-c', [step], {}, { bin: 'sh', cwd: built }).ended;
      expect(code, stderr).toBe(0);
    }
    const packages = path.join(folder, 'packages');
    await installInto(packages);
    await copyInto(app(), image, (name) => (name === 'packages' ? packages : built));
    const memory = path.join(folder, 'memory');
    await mkdir(memory, { mode: 0o700 });
    if (nobody !== undefined) await chown(memory, nobody, nobody);
    database = await newDatabase({ empty: true });
    env = {
      ...image.env,
      PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      METRICS_PORT: String(await freePort()),
      PLATFORM_MEMORY: memory,
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('hex'),
      BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
      LOG_LEVEL: 'warn',
      HOME: '/nonexistent',
    };
  }, 600_000);
  afterEach(async () => {
    if (running?.isRunning) await running.kill('SIGKILL');
  });
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A program of the image, in a folder that its user may not write. */
  const start = (node: string, [, ...args]: string[], extra: Record<string, string> = {}) =>
    new Program(args[0] ?? '', args.slice(1), { ...env, ...extra }, { bin: node, cwd: app(), user: nobody });
  const health = (node: string, extra: Record<string, string> = {}) => start(node, programOf(image.last['HEALTHCHECK']), extra).ended;

  it.each(nodes)('serves on %s, is asked whether it is well, and writes to its memory alone', { timeout: 300_000 }, async (_name, node) => {
    expect(await health(node)).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing listens') });
    running = start(node, programOf(image.last['CMD']));
    await expect.poll(() => `${running?.stdout}${running?.isRunning ? '' : running?.stderr}`, { timeout: 120_000 }).toContain('is ready');
    expect(await health(node)).toMatchObject({ code: 0, stdout: 'ready\n' });
    const sandbox = `http://127.0.0.1:${env['SANDBOX_PORT']}`;
    const statusOf = async (place: string) =>
      (await fetch(`${sandbox}${place}`, { headers: { Authorization: `Bearer ${env['BOOTSTRAP_TEST_KEY']}` } })).status;
    // What is read from files: documents, pages, the schema.
    const places = [
      '/v1/me',
      '/v1/evidence',
      '/v1/openapi.json',
      '/docs',
      '/docs/reference',
      '/console',
      '/receipt',
      '/graphql?query=%7B__typename%7D',
      '/llms.txt',
    ];
    const answers = await Promise.all(places.map(async (place) => [place, await statusOf(place)]));
    expect(answers).toEqual(places.map((place) => [place, 200]));
    expect((await running.kill('SIGTERM')).code, running.stderr).toBe(0);
    expect(running.stderr).toBe('');
  });

  it('asks a worker too, and says what keeps one from being asked', { timeout: 120_000 }, async () => {
    const worker = { ROLE: 'worker' };
    running = start(process.execPath, programOf(image.last['CMD']), worker);
    await expect.poll(() => `${running?.stdout}${running?.isRunning ? '' : running?.stderr}`, { timeout: 60_000 }).toContain('Working.');
    expect(await health(process.execPath, worker)).toMatchObject({ code: 0, stdout: 'ready\n' });
    expect(await health(process.execPath, { ...worker, METRICS_PORT: '' })).toMatchObject({
      code: 1,
      stderr: 'A worker answers probes at METRICS_PORT alone: set it.\n',
    });
    expect(await health(process.execPath, { METRICS_PORT: '0' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('METRICS_PORT'),
    });
  });
});

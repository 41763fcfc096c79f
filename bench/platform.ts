// What the benches run against: a PostgreSQL of their own, and the built platform in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';

/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export interface BenchDatabase {
  url: string;
  /** A folder for files of the bench. */
  scratch: string;
  stop(): Promise<void>;
}

/** An embedded PostgreSQL with fsync on, deleted in the end, unless DATABASE_URL names a database that may be filled. */
export async function openBenchDatabase(): Promise<BenchDatabase> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'payments-bench-'));
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(scratch, 0o711);
  const given = process.env['DATABASE_URL'];
  const postgres = given ? undefined : await startEmbeddedPostgres({ dataDir: path.join(scratch, 'data'), notice: say });
  return {
    url: given || (postgres?.url ?? ''),
    scratch,
    async stop() {
      await postgres?.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** The API key of the sandbox. */
export const testKey = 'pk_test_benchmark_0123456789abcdef';

/** The key of production. */
export const liveKey = 'pk_live_benchmark_0123456789abcdef';

/** The sandbox of the platform that was built, without limits of rate. */
export class Sandbox {
  readonly url: URL;
  /** Where production is served. */
  readonly live: URL;
  readonly #env: NodeJS.ProcessEnv;
  readonly #child: ChildProcess;

  private constructor({ url, live }: { url: URL; live: URL }, env: NodeJS.ProcessEnv, child: ChildProcess) {
    this.url = url;
    this.live = live;
    this.#env = env;
    this.#child = child;
  }

  /** `settings` come beside those that every bench needs. */
  static async start(databaseUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
    const plenty = '100000000';
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: '00'.repeat(32),
      PORT: '0',
      SANDBOX_PORT: '0',
      BOOTSTRAP_TEST_KEY: testKey,
      BOOTSTRAP_LIVE_KEY: liveKey,
      RATE_LIMIT_SANDBOX: plenty,
      RATE_LIMIT_GENERAL: plenty,
      RATE_LIMIT_AUTH: plenty,
      LOG_LEVEL: 'warn',
      ...settings,
    };
    const args = ['--enable-source-maps', '--max-semi-space-size=32', 'dist/main.js'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    const url = await new Promise<string | undefined>((resolve) => {
      // It goes on to say things: nobody who stops reading may close its output.
      child.stdout.on('data', (chunk: Buffer) => {
        printed += String(chunk);
        if (printed.includes('First call')) resolve(/Sandbox\s+(http:\S+)/.exec(printed)?.[1]);
      });
      child.once('exit', () => resolve(undefined));
    });
    const live = /Production\s+(http:\S+)/.exec(printed)?.[1];
    if (url !== undefined && live !== undefined) return new Sandbox({ url: new URL(url), live: new URL(live) }, env, child);
    throw new Error(`the server did not start:\n${printed}`);
  }

  /** What a POST with the API key answers. Fails unless it succeeds. */
  async make<T>(target: string, body: object): Promise<T> {
    const response = await fetch(new URL(target, this.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer as T;
  }

  /** Runs a command of the platform with the settings of the server. Fails unless it succeeds. */
  async command(...args: string[]): Promise<void> {
    const child = spawn(process.execPath, ['dist/cli.js', ...args], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${printed}`);
  }

  /** Deletes what is at `target` with the API key. */
  async remove(target: string): Promise<void> {
    const response = await fetch(new URL(target, this.url), { method: 'DELETE', headers: { Authorization: `Bearer ${testKey}` } });
    if (!response.ok) throw new Error(await response.text());
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** The middle one of `values`. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

// The gateway of docker-compose.yml, by the nginx of this machine: nginx.conf as it stands, with the addresses of the test in it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NameServer } from './name-server.js';
import { Program } from './process.js';

const nginx = '/usr/sbin/nginx';

/** False where this machine has no nginx, or no loopback addresses beside 127.0.0.1, on which processes with one port stand. */
export const hasGateway = process.platform === 'linux' && existsSync(nginx) && spawnSync(nginx, ['-v']).status === 0;

export interface Upstream {
  /** Where the processes stand, as containers of one service do: each at an address of its own. The gateway has the same ports at 127.0.0.1. */
  addresses: readonly string[];
  port: number;
  sandboxPort: number;
}

export class Gateway {
  readonly live: string;
  readonly test: string;
  readonly #names: NameServer;
  readonly #folder: string;
  readonly #program: Program;

  private constructor(ports: { live: number; test: number }, names: NameServer, folder: string, program: Program) {
    this.live = `http://127.0.0.1:${ports.live}`;
    this.test = `http://127.0.0.1:${ports.test}`;
    this.#names = names;
    this.#folder = folder;
    this.#program = program;
  }

  static async start({ addresses, port, sandboxPort }: Upstream): Promise<Gateway> {
    const names = await NameServer.start();
    names.lead('api', addresses);
    const folder = await mkdtemp(path.join(tmpdir(), 'gateway-'));
    await chmod(folder, 0o777);
    const settings = readFileSync(new URL('../nginx.conf', import.meta.url), 'utf8')
      .replaceAll('/tmp/', `${folder}/`)
      .replace('127.0.0.11', names.address)
      .replace('listen 4000', `listen 127.0.0.1:${port}`)
      .replace('listen 4001', `listen 127.0.0.1:${sandboxPort}`)
      // Where the packaged one writes, only root may.
      .replace('http {', `http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};`);
    await writeFile(path.join(folder, 'nginx.conf'), settings);
    const log = path.join(folder, 'error.log');
    const args = ['-p', folder, '-e', log, '-g', `daemon off; error_log ${log};`];
    const gateway = new Gateway(
      { live: port, test: sandboxPort },
      names,
      folder,
      new Program('-c', [path.join(folder, 'nginx.conf'), ...args], {}, { bin: nginx }),
    );
    await gateway.#untilAlive();
    return gateway;
  }

  async #untilAlive(): Promise<void> {
    while (this.#program.isRunning) {
      const answer = await fetch(`${this.live}/health`).catch(() => undefined);
      if (answer?.status === 200) return;
    }
    throw new Error(`nginx does not run: ${this.#program.stderr}${await this.errors()}`);
  }

  /** What it has logged. */
  errors(): Promise<string> {
    return readFile(path.join(this.#folder, 'error.log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    await this.#program.kill('SIGTERM');
    await this.#names.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

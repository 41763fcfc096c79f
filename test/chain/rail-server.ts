// A server in a process of its own with a rail over a chain: its workers read the chain and send by themselves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { configuredRail } from '../../src/contexts/rails/configured-rails.js';
import { examine } from '../../src/contexts/rails/doctor.js';
import { operatorWorkspace } from '../../src/contexts/rails/operator.js';
import { switchRail } from '../../src/contexts/rails/switch.js';
import { fundWallet } from '../../src/contexts/transfers/funding.js';
import type { Ctx, Platform } from '../../src/platform/ctx.js';
import { systemCtx } from '../../src/platform/due/step.js';
import { createLogger } from '../../src/platform/log.js';
import { closePlatform, openPlatform } from '../../src/server.js';
import { Client, type Json } from '../harness.js';
import { ServerOnDatabase } from '../server-database.js';
import { type ChainRail, railName } from './rail.js';

/** The server, and what it is made of in the process of the test. */
export class RailServer {
  readonly server: ServerOnDatabase;
  readonly platform: Platform;
  /** Production, with its key. */
  readonly live: Client;
  readonly #memory: string;

  private constructor(server: ServerOnDatabase, platform: Platform, memory: string) {
    this.server = server;
    this.platform = platform;
    this.live = new Client(server.live.url, server.live.key);
    this.#memory = memory;
  }

  /** Starts the chain of a rail, and a server with it. */
  static async start(rail: ChainRail, env: Readonly<Record<string, string>> = {}): Promise<RailServer> {
    await rail.start();
    const memory = mkdtempSync(path.join(tmpdir(), 'memory-'));
    const server = await ServerOnDatabase.start({
      RAILS_FILE: rail.file,
      PLATFORM_MEMORY: memory,
      RATE_LIMIT_GENERAL: '1000000',
      ...env,
    });
    const { DATABASE_URL: databaseUrl = '', SECRETS_KEY: secretsKey = '' } = server.env;
    const config = { ...loadConfig(server.env), databaseUrl, secretsKey };
    return new RailServer(server, await openPlatform({ config, log: createLogger('fatal') }), memory);
  }

  /** Has the doctor look at the rail until it is in order, and switches it on. */
  async switchOn(): Promise<void> {
    const configured = configuredRail({ platform: this.platform }, railName);
    if (configured === undefined) throw new Error('the file names no such rail');
    await vi.waitUntil(async () => (await examine(this.platform, configured)).every(({ ok }) => ok), { timeout: 60_000, interval: 500 });
    await switchRail(await this.#ctx('rail_switch'), { rail: railName, to: 'on', reason: 'test' });
    const isRead = async () => (await this.counted('SELECT count(*) FROM chain_watch WHERE deposits_to IS NOT NULL')) > 0;
    await vi.waitUntil(isRead, { timeout: 60_000, interval: 250 });
  }

  /** A wallet in production with money that came from nowhere. */
  async fundedWallet(amount: string): Promise<Json> {
    const account = await this.live.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const wallet = await this.live.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USDC' });
    const ctx = await this.#ctx('transfer');
    await fundWallet({ ...ctx, workspace: { ...ctx.workspace, environment: 'test' } }, { id: wallet.id, amount });
    return wallet;
  }

  /** A number that a statement counts. */
  async counted(text: string): Promise<number> {
    return Number((await this.server.db.query(text)).rows[0].count);
  }

  async stop(): Promise<void> {
    await closePlatform(this.platform);
    await this.server.stop();
    rmSync(this.#memory, { recursive: true, force: true });
  }

  async #ctx(resourceType: string): Promise<Ctx> {
    const workspace = await operatorWorkspace(this.platform);
    if (workspace === null) throw new Error('nobody is the operator');
    return systemCtx(this.platform, workspace, { action: 'test', resourceType });
  }
}

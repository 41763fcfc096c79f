// The channel through cuts, restarts and several processes: real servers on one database, a real EventSource, and a door
// between them that cuts.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { EventSource } from 'eventsource';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { createLogger } from '../../../src/platform/log.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { Client, type Json } from '../../harness.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';
import { isSlow } from '../../slow.js';
import { enrol, sign, signIn, type TestAgent } from './identity.js';
import { connect } from './stream.js';

/** A door whose connections can be cut and which can be shut. */
class Door {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#forward(socket));
  target: number | null = null;

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #forward(socket: Socket): void {
    if (this.target === null) {
      socket.destroy();
      return;
    }
    const behind = connectSocket(this.target, '127.0.0.1');
    for (const end of [socket, behind]) {
      this.#sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        socket.destroy();
        behind.destroy();
      });
    }
    socket.pipe(behind).pipe(socket);
  }
}

/** A Redis that keeps nothing, or null where there is no redis-server. */
class FleetingRedis {
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(port: number) {
    this.port = port;
  }

  async start(): Promise<boolean> {
    const child = spawn('redis-server', ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#child = child;
    return new Promise((resolve) => {
      child.once('error', () => resolve(false));
      child.stdout?.on('data', (said: Buffer) => {
        if (said.toString().includes('Ready to accept connections')) resolve(true);
      });
    });
  }

  async stop(): Promise<void> {
    const ended = this.#child && once(this.#child, 'exit');
    this.#child?.kill('SIGKILL');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

const redis = new FleetingRedis(await freePort());
const fleetingUrl = (await redis.start()) ? `redis://127.0.0.1:${redis.port}/10` : null;
afterAll(() => redis.stop());

const events = isSlow ? 600 : 200;

describe.each([
  ['PostgreSQL alone', null],
  ['Redis beside it', fleetingUrl],
] as const)('the channel between processes, with %s', (name, url) => {
  const skipped = name !== 'PostgreSQL alone' && url === null;
  const secretsKey = randomBytes(32).toString('hex');
  const running = new Set<RunningServer>();
  let database: NewDatabase;
  let client: Client;
  let tenantKey: string;

  const start = async (redisUrl: string | null = url): Promise<RunningServer> => {
    const databaseUrl = database.url;
    const limits = { RATE_LIMIT_GENERAL: '1000000', RATE_LIMIT_SANDBOX: '1000000', RATE_LIMIT_AUTH: '1000000' };
    const config = loadConfig({
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: secretsKey,
      PORT: '0',
      SANDBOX_PORT: '0',
      ...limits,
      ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    });
    const server = await startServer({ config: { ...config, databaseUrl, secretsKey }, log: createLogger('fatal') });
    running.add(server);
    return server;
  };
  const stop = async (server: RunningServer) => {
    running.delete(server);
    await server.stop();
  };

  beforeAll(async () => {
    if (skipped) return;
    database = await newDatabase();
    const server = await start();
    tenantKey = (await createTenant(server.platform, { name: 'Tenant' })).testKey;
    client = new Client(server.urls.test ?? '', tenantKey);
  });
  afterAll(async () => {
    for (const server of running) await stop(server);
    await database?.drop();
  });

  interface Payer extends TestAgent {
    pay(): Promise<Json>;
  }
  const payer = async (): Promise<Payer> => {
    const agent = await enrol(client, { wallet: { currency: 'USD' } });
    const other = await enrol(client, { wallet: { currency: 'USD' } });
    await client.make(`/v1/wallets/${other.agent.default_wallet_id}/fund`, { amount: '10000.00' });
    const body = { type: 'internal', from_wallet_id: other.agent.default_wallet_id, to_wallet_id: agent.agent.default_wallet_id };
    return { ...agent, pay: () => client.make('/v1/transfers', { ...body, amount: '1.00', currency: 'USD' }) };
  };

  it.skipIf(skipped)(
    `shows ${events} events once, in order and without a hole, to an EventSource that is cut and away across a restart`,
    async () => {
      const agent = await payer();
      const session = await signIn(client, agent);
      const gate = new Door();
      const door = await gate.open();
      let reader = await start();
      const portOf = (server: RunningServer) => Number(new URL(server.urls.test ?? '').port);
      gate.target = portOf(reader);

      const ids: number[] = [];
      const gaps: string[] = [];
      let told: () => void = () => {};
      const headers = { Authorization: `Bearer ${session}` };
      const source = new EventSource(`${door}/v1/agents/${agent.id}/connect`, {
        fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
      });
      const opened = new Promise<void>((resolve) => source.addEventListener('connected', () => resolve(), { once: true }));
      source.addEventListener('gap', ({ data }) => gaps.push(data));
      source.addEventListener('transfer_completed', ({ lastEventId }) => {
        ids.push(Number(lastEventId));
        told();
      });
      const seen = (count: number) =>
        new Promise<void>((resolve) => {
          told = () => ids.length >= count && resolve();
          told();
        });
      await opened;

      let made = 0;
      const make = async (count: number) => {
        for (let n = 0; n < count; n += 1) await agent.pay();
        made += count;
      };
      for (const round of [0, 1, 2, 3, 4, 5]) {
        // Never more than the hundred that can be read again while the client is away.
        await make(5 + Math.floor(Math.random() * 10));
        if (round === 3) {
          gate.target = null;
          await stop(reader);
          await make(20);
          reader = await start();
          gate.target = portOf(reader);
        } else gate.cut();
        if (round === 5 && url !== null) {
          await redis.stop();
          await make(10);
          expect(await redis.start()).toBe(true);
        }
        await make(10);
        await seen(made);
      }
      await make(events - made);
      await seen(events);
      source.close();
      gate.close();
      await stop(reader);
      expect(gaps).toEqual([]);
      expect(ids).toEqual(Array.from({ length: events }, (_, n) => n + 1));
      if (url !== null) {
        // It is used again, once the server has found it.
        const admin = new Redis(url);
        const announced = () => agent.pay().then(() => admin.xlen('agent-payments:fanout'));
        await expect.poll(announced).toBeGreaterThan(0);
        admin.disconnect();
      }
    },
    300_000,
  );

  it.skipIf(skipped)('works, and ends, without the Redis that it is told of', async () => {
    const agent = await payer();
    const alone = await start('redis://127.0.0.1:1/10');
    const stream = await connect(new Client(alone.urls.test ?? '', tenantKey), agent.id, await signIn(client, agent));
    await stream.first('connected');
    await agent.pay();
    await stream.first('transfer_completed');
    await stop(alone);
    await stream.ended;
  });

  it.skipIf(skipped)('ends streams of another process: a second connection of the session, a rotation, a shutdown', async () => {
    const agent = await payer();
    const elsewhere = await start();
    const there = new Client(elsewhere.urls.test ?? '', tenantKey);
    const session = await signIn(client, agent);
    const first = await connect(there, agent.id, session);
    await first.first('connected');
    const second = await connect(client, agent.id, session);
    await first.ended;
    await second.leave();

    const third = await connect(there, agent.id, session);
    await third.first('connected');
    const begun = performance.now();
    await client.post(`/v1/agents/${agent.id}/auth-keys/rotate`, { proof: sign(`rotate:${agent.id}`, agent.privateKey) }, { as: null });
    await third.ended;
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(third.events.map(({ event }) => event)).toEqual(['connected', 'key_rotated']);

    const other = await payer();
    const fourth = await connect(there, other.id, await signIn(client, other));
    await fourth.first('connected');
    await stop(elsewhere);
    await fourth.ended;
    expect(fourth.events.at(-1)).toMatchObject({ event: 'reconnect', data: { reason: 'shutdown' } });
    expect((await client.get(`/v1/agents/${other.id}/liveness`)).body.data.connected).toBe(false);
  });
});

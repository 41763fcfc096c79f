// A Redis that takes connections and never answers, and one that goes silent in the middle of things: requests go on without it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Handler } from '../../src/http/state.js';
import { createLogger } from '../../src/platform/log.js';
import { openRedis, type Redis } from '../../src/platform/redis.js';
import { asAda, type RunningServer, startServer } from './notes.js';
import { findRedis } from './redis.js';

/** Passes on what a Redis is asked and what it answers, or keeps what it is asked to itself. Without a Redis it only hangs. */
class HangingRedis {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: URL | null;
  #isHanging = false;
  connections = 0;
  /** What was asked and not passed on. */
  kept = '';
  /** What was passed on. */
  passed = '';

  constructor(target: string | null) {
    this.#target = target === null ? null : new URL(target);
    this.#isHanging = target === null;
    this.#server = createServer((socket) => this.#take(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as { port: number };
    return `redis://127.0.0.1:${port}${this.#target?.pathname ?? ''}`;
  }

  #take(socket: Socket): void {
    const upstream = this.#target === null ? null : connect(Number(this.#target.port), this.#target.hostname);
    this.#sockets.add(socket);
    this.connections += 1;
    socket.on('error', () => {}).on('close', () => upstream?.destroy());
    upstream?.on('error', () => {});
    socket.on('data', (data) => {
      if (this.#isHanging) {
        this.kept += data.toString();
        return;
      }
      this.passed += data.toString();
      upstream?.write(data);
    });
    upstream?.on('data', (data) => {
      if (!this.#isHanging) socket.write(data);
    });
  }

  hang(): void {
    this.#isHanging = true;
  }

  goOn(): void {
    this.#isHanging = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** How often a budget was asked for. */
const questions = (text: string) => text.match(/\beval(sha)?\b/gi)?.length ?? 0;

const found = await findRedis();
afterAll(() => found?.stop());

let hanging: HangingRedis;
let redis: Redis;
let server: RunningServer;
afterEach(async () => {
  await server.close();
  redis.disconnect();
  await hanging.close();
});

const answerOk: Handler = (http) => {
  http.body = {};
};
const start = async (target: string | null) => {
  hanging = new HangingRedis(target);
  redis = openRedis(await hanging.listen(), createLogger('silent'));
  server = await startServer({ handler: answerOk, limits: { general: 1_000, auth: 1_000 }, redis, keyPrefix: `test-${randomUUID()}` });
};
/** The statuses of `count` requests that come at once; each draws on two budgets. */
const ask = async (count: number) => {
  const answers = await Promise.all(Array.from({ length: count }, () => fetch(`${server.url}/a`, { headers: asAda })));
  return answers.map(({ status }) => status);
};
const all = (count: number) => Array.from({ length: count }, () => 200);

describe('a Redis that takes connections and never answers', () => {
  it('is asked for no budget', async () => {
    await start(null);
    await expect.poll(() => hanging.kept).not.toBe('');
    expect(await ask(20)).toEqual(all(20));
    expect(redis.status).not.toBe('ready');
    expect(questions(hanging.kept)).toBe(0);
  });
});

describe.skipIf(found === null)('a Redis that goes silent', () => {
  it('is waited for once by each of those that asked, by nobody after them, and counts again when it is back', async () => {
    await start(found?.url ?? '');
    await once(redis, 'ready');
    expect(await ask(1)).toEqual(all(1));
    const before = questions(hanging.passed);
    expect(before).toBeGreaterThan(0);

    hanging.hang();
    expect(await ask(100)).toEqual(all(100));
    const waited = questions(hanging.kept);
    expect(waited).toBeGreaterThan(0);
    // Each asks for two budgets: the second is counted in memory at once.
    expect(waited).toBeLessThanOrEqual(100);
    // Connections ask again and again whether it is back; no request does.
    await expect.poll(() => hanging.connections).toBeGreaterThan(2);
    expect(await ask(100)).toEqual(all(100));
    expect(questions(hanging.kept)).toBe(waited);

    hanging.goOn();
    await expect.poll(() => redis.status).toBe('ready');
    expect(await ask(1)).toEqual(all(1));
    expect(questions(hanging.passed)).toBe(before + 2);
  });
});

// An endpoint in a process of its own, that counts what it is sent, answers 200, and notes when it first saw each event.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** JavaScript for `node -e`: a loader would only cost it start-up time and memory. */
const program = `
const { createServer } = require('node:http');
let count = 0;
let seen = new Map();
const server = createServer((request, response) => {
  const id = request.headers['x-svc-event-id'];
  if (!seen.has(id)) seen.set(id, performance.timeOrigin + performance.now());
  request.resume();
  request.on('end', () => { count += 1; response.end('ok'); });
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('message', (question) => {
  process.send(question === 'count' ? count : [...seen]);
  if (question === 'seen') seen = new Map();
});
process.on('disconnect', () => process.exit());`;

export class BenchReceiver {
  readonly #child: ChildProcess;
  readonly host: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.host = `127.0.0.1:${port}`;
  }

  static async start(): Promise<BenchReceiver> {
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [port] = await once(child, 'message');
    return new BenchReceiver(child, port as number);
  }

  /** Requests so far. */
  count(): Promise<number> {
    return this.#ask('count');
  }

  /** When each event was first seen, in milliseconds since 1970, since this was last asked. */
  async seen(): Promise<Map<string, number>> {
    return new Map(await this.#ask<[string, number][]>('seen'));
  }

  async #ask<T>(question: string): Promise<T> {
    const answered = once(this.#child, 'message');
    this.#child.send(question);
    const [answer] = await answered;
    return answer as T;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

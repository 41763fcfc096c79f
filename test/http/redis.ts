// Where there is a Redis for tests: REDIS_URL, else one on 127.0.0.1:6379, else a redis-server from PATH, else none (null).
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

export interface FoundRedis {
  /** Names database 9. */
  url: string;
  stop(): Promise<void>;
}

function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 500 }, () => socket.write('PING\r\n'));
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

export async function findRedis(): Promise<FoundRedis | null> {
  const nothing = async () => {};
  const given = process.env['REDIS_URL'];
  if (given !== undefined && given !== '') return { url: given, stop: nothing };
  if (await answers(6379)) return { url: 'redis://127.0.0.1:6379/9', stop: nothing };
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
  let failed = false;
  child.once('error', () => {
    failed = true;
  });
  for (let tries = 0; tries < 50 && !failed; tries += 1) {
    if (await answers(port)) {
      const stop = () =>
        new Promise<void>((resolve) => {
          child.once('exit', () => resolve());
          child.kill();
        });
      return { url: `redis://127.0.0.1:${port}/9`, stop };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill();
  return null;
}

// A lean load: keep-alive connections that each send the next request when the answer is there. Bare sockets, so that the
// client takes as little of the machine as pgbench does.
import { connect, type Socket } from 'node:net';

export interface Load {
  requests: number;
  failures: number;
  seconds: number;
}

/** Sends what `next` makes over `connections` for `seconds`; an answer whose status does not begin with `status` is a failure. */
export async function sendLoad(url: URL, connections: number, seconds: number, next: () => string, status = '2'): Promise<Load> {
  const load: Load = { requests: 0, failures: 0, seconds: 0 };
  const from = process.hrtime.bigint();
  const until = from + BigInt(Math.round(seconds * 1e9));
  await Promise.all(Array.from({ length: connections }, () => converse(url, until, next, load, status)));
  load.seconds = Number(process.hrtime.bigint() - from) / 1e9;
  return load;
}

function converse(url: URL, until: bigint, next: () => string, load: Load, status: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(url.port), url.hostname);
    socket.setNoDelay(true);
    let got = '';
    const send = () => {
      if (process.hrtime.bigint() >= until) {
        socket.end();
        resolve();
      } else socket.write(next());
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      got += chunk;
      const head = got.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(got)?.[1] ?? 0);
      if (got.length < head + 4 + length) return;
      load.requests += 1;
      if (got[9] !== status) load.failures += 1;
      got = '';
      send();
    });
  });
}

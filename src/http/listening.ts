// Opening the sockets of the process, and closing them in order.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { listeningOrigin } from '../platform/authority.js';

/** Where to listen; `setting` names the port. */
interface Place {
  setting: string;
  port: number;
  host: string;
}

/** Rejects, with what a person can do about it, where it is not possible to listen. */
export async function checkPort({ port, host, ...place }: Place): Promise<void> {
  const trial = createServer().listen(port, host);
  await once(trial, 'listening').catch((error) => {
    throw plainly(error, { ...place, port, host });
  });
  trial.close();
  await once(trial, 'close');
}

/** Listens. Rejects, with what a person can do about it, where that is not possible. */
export async function listen(server: Server, place: Place): Promise<Server> {
  server.listen(place.port, place.host);
  await once(server, 'listening').catch((error) => {
    throw plainly(error, place);
  });
  return server;
}

function plainly(error: NodeJS.ErrnoException, { setting, port, host }: Place): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${setting} ${port} is in use on ${host}: stop what listens there, or set ${setting} to another port (0 picks a free one).`,
    EACCES: `${setting} ${port} may not be listened on by this user: set ${setting} to a port from 1024 on.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
  };
  return new Error(reasons[error.code ?? ''] ?? `HOST ${host} with ${setting} ${port} cannot be listened on: ${error.message}`, {
    cause: error,
  });
}

/** Where a caller on this machine reaches it. */
export function addressOf(server: Server, host: string): string {
  return listeningOrigin(host, (server.address() as AddressInfo).port);
}

const graceMs = 5_000;

/** Tells callers to come by another connection, which a balancer leads elsewhere, for so many seconds. What comes is still served. */
export async function drain(servers: readonly Server[], seconds: number): Promise<void> {
  if (seconds === 0) return;
  for (const server of servers) tellToClose(server);
  await pause(seconds * 1_000);
}

/** A connection that is kept alive would stay when its last answer is sent. */
function tellToClose(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
}

/** Lets requests in flight end, for so many ms; then cuts what is left. A connection that has just come, and asks now, is in flight too. */
export async function close(server: Server, forMs = graceMs): Promise<void> {
  tellToClose(server);
  const closed = once(server, 'close');
  const cut = setTimeout(() => server.closeAllConnections(), forMs);
  await stopListening(server);
  // What has arrived is read first: the turn of a timer begins before that.
  const idle = setInterval(() => void setImmediate(() => server.closeIdleConnections()), 50);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** How long a turn is looked for in which nobody comes. */
const longestSearchMs = 2_000;
const shortTurnMs = 0.2;

/**
 * Closes the socket that listens. The system resets what is connected and not accepted, and a process accepts one
 * connection in a turn of its event loop. So the socket is closed right after a turn in which nobody came, a short one if there is one: from
 * then on connections are refused, and a balancer tries the next process. Requests wait meanwhile, which makes the turns short.
 */
async function stopListening(server: Server): Promise<void> {
  const serve = holdRequests(server);
  let came = 0;
  server.on('connection', () => {
    came += 1;
  });
  const started = performance.now();
  for (let isQuiet = false; !isQuiet; ) {
    const [before, begun] = [came, performance.now()];
    await nextTurn();
    const [turnMs, searchMs] = [performance.now() - begun, performance.now() - started];
    isQuiet = searchMs > longestSearchMs || (came === before && turnMs < shortTurnMs + searchMs / 100);
  }
  // That of HTTP looks over all connections before it closes the socket, and others may come meanwhile.
  NetServer.prototype.close.call(server);
  serve();
  server.close();
}

/** Keeps requests that come from now on; returns what serves them, and all later ones. */
function holdRequests(server: Server): () => void {
  const held: Parameters<RequestListener>[] = [];
  const listeners = server.rawListeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (...exchange) => void held.push(exchange));
  return () => {
    server.removeAllListeners('request');
    for (const listener of listeners) server.on('request', listener);
    for (const exchange of held) server.emit('request', ...exchange);
  };
}

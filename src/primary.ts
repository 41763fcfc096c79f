// The first of several processes (decision 0064). It serves nothing itself: it starts the others, hands them connections, counts what they share,
// and starts again what has died.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { budgetSubject, countBudgets } from './http/budget.js';
import { SharedMetrics } from './http/shared-metrics.js';
import { SharedStreams } from './http/stream-count.js';
import type { ReadyConfig } from './platform/data-home.js';
import type { Logger } from './platform/log.js';
import { Line } from './platform/processes/line.js';
import { type Launched, Place } from './platform/processes/place.js';
import { closePlatform, openPlatform, type RunningServer, type ServerOptions } from './server.js';

/** What a process that was started by the first one says when it listens. */
export type Addresses = Pick<RunningServer, 'urls' | 'metricsUrl'>;

/** What a process that was started by the first one begins with. */
export interface Assignment {
  number: number;
  config: ReadyConfig;
}

export interface RunningProcesses extends Addresses {
  /** Resolves to the reason when one of the processes cannot be started any more. */
  lost: Promise<Error>;
  stop(): Promise<void>;
}

/** The argument of a process that was started by the first one. */
const argument = 'process-of-several';
const program = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'main.ts' : 'main.js', import.meta.url));

/** How a process speaks to the first one, where that has started it. */
export function lineToPrimary(): Line | undefined {
  if (!cluster.isWorker || process.argv[2] !== argument) return undefined;
  const line = new Line((message) => void process.send?.(message, undefined, undefined, () => {}));
  process.on('message', (message) => line.hear(message));
  return line;
}

/** Calls `end` when the first process has ended, however. Node would end this one at once, in the middle of its requests. */
export function onOrphaned(line: Line, end: () => void): void {
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true;
    line.close();
    end();
  });
}

/** Starts as many processes as are wanted. Resolves when all of them listen. */
export async function startProcesses(options: ServerOptions): Promise<RunningProcesses> {
  const { config, log } = options;
  await prepareOnce(options);
  cluster.setupPrimary({ exec: program, args: [argument] });
  const shared = { budgets: countBudgets(), streams: new SharedStreams(), metrics: new SharedMetrics() };
  const places = Array.from({ length: config.processes }, (_, index) => {
    const number = index + 1;
    // Background work of one process is enough; the others would only ask what there is.
    const role = config.role === 'all' && number > 1 ? 'api' : config.role;
    return new Place({ number, log, launch: () => launch({ number, config: { ...config, role } }, shared, log) });
  });
  const stop = async () => void (await Promise.all(places.map((place) => place.stop())));
  try {
    const [addresses] = await Promise.all(places.map(({ first }) => first));
    return { ...(addresses as Addresses), lost: Promise.race(places.map(({ lost }) => lost)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What comes once, before anything listens. */
async function prepareOnce({ prepare, ...options }: ServerOptions): Promise<void> {
  const platform = await openPlatform(options);
  try {
    await prepare?.(platform);
  } finally {
    await closePlatform(platform);
  }
}

interface Shared {
  budgets: ReturnType<typeof countBudgets>;
  streams: SharedStreams;
  metrics: SharedMetrics;
}

function launch(assignment: Assignment, { budgets, streams, metrics }: Shared, log: Logger): Launched<Addresses> {
  const worker = cluster.fork();
  // A message that does not arrive is told here; the end of the process follows.
  worker.on('error', (error) => log.debug({ err: error, process: assignment.number }, 'a process was not told'));
  const joined = streams.join();
  const line = new Line((message) => void (worker.isConnected() && worker.send(message)), {
    ...joined.answerers,
    ...metrics.answerers,
    [budgetSubject]: budgets,
    assignment: () => assignment,
    failed: (message: string) => {
      failure = message;
    },
  });
  let failure: string | undefined;
  const leaveMetrics = metrics.join(line);
  worker.on('message', (message) => line.hear(message));
  const ready = new Promise<Addresses>((resolve) => line.answer('ready', resolve));
  const ended = once(worker, 'exit').then(async ([code, signal]) => {
    line.close();
    joined.leave();
    await leaveMetrics();
    return failure ?? (signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
  });
  return { ready, ended, kill: (signal) => void worker.process.kill(signal) };
}

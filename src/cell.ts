// The cells of a process: what rests on the database of each, and what is done for it. Nothing of that is shared with another cell, so one that
// hangs takes nothing from the others.
import { manifest } from './contexts.js';
import { hasUnheard } from './events/listener.js';
import { IdempotencyKeys } from './http/idempotency.js';
import { endToolStreams } from './mcp/tool-stream.js';
import { endWaits } from './mcp/waiting.js';
import { CoherentCache } from './platform/cache.js';
import { Cells, homeCell } from './platform/cell/cells.js';
import { Directory, type ListedCell } from './platform/cell/directory.js';
import { endStreamsOfMoved } from './platform/cell/move/departure.js';
import type { Agenda, Platform } from './platform/ctx.js';
import type { ReadyConfig } from './platform/data-home.js';
import { DueBell } from './platform/due/due-bell.js';
import { Loop } from './platform/due/loop.js';
import { DependencyUnavailable } from './platform/errors.js';
import { Fanout } from './platform/fanout.js';
import type { Idempotency } from './platform/idempotency.js';
import { openDatabase } from './platform/postgres/database.js';
import type { Redis } from './platform/redis.js';
import { openRing } from './platform/secrets/key-ring.js';
import { Signal } from './platform/signal.js';
import { publishAll, startWorker, type Worker, work } from './worker.js';

/** What the process has once, for all of its cells. */
export type Shared = Omit<Platform, 'cell' | 'cells' | 'database' | 'cache' | 'fanout' | 'agenda' | 'due' | 'published'> & {
  config: ReadyConfig;
};

/** Opens the first cell, and the others that the directory lists and this process serves. Answers the platform of the first. */
export async function openCells(shared: Shared, redis: Redis | undefined): Promise<Platform> {
  const { config, log, vault } = shared;
  const made: { cells?: Cells<Platform> } = {};
  const make = (name: string, url: string): Platform => makeCell(shared, () => made.cells as Cells<Platform>, { name, url, redis });
  const home = make(homeCell, config.databaseUrl);
  try {
    await home.cache.open();
    await openRing(home.database.pool, vault, { secretsKey: config.secretsKey, secretsKeysOld: config.secretsKeysOld });
    const directory = new Directory(home);
    const name = await directory.begin(homeCell);
    if (name !== homeCell) throw new Error(`DATABASE_URL is the cell ${name} of another installation: it names the first cell of one`);
    made.cells = new Cells<Platform>({ directory, home, serves: config.cells, open: (cell) => openListed(cell), close: closeCell });
    const { cells } = made;
    const reload = async () => {
      await cells.reload();
      if (cells.only === undefined) for (const platform of [home, ...cells.served]) platform.database.hurry();
    };
    await reload();
    refuseRails(config, cells.listed);
    for (const holds of manifest.conditions) await holds(home);
    endStreamsOfMoved(home);
    // A notice may have been missed while nobody listened.
    const tryReload = () => void reload().catch((error: unknown) => log.warn({ err: error }, 'the list of cells was not read'));
    home.cache.onDrop((tag) => void (tag.startsWith('cell:') && tryReload()));
    home.cache.onNotice((notice) => void (notice === null && tryReload()));
    return home;
  } catch (error) {
    await closeCell(home);
    throw error;
  }

  async function openListed({ name, sealedUrl }: ListedCell): Promise<Platform> {
    if (sealedUrl === null) throw new Error(`the cell ${name} has no address`);
    const platform = make(name, vault.open(sealedUrl, `cell ${name}`));
    // One that is away is tried again for as long as it is listed.
    await platform.cache.open().catch((error: unknown) => platform.log.warn({ err: error }, 'the cell is away'));
    return platform;
  }
}

/** Limits of a day, the switch and what is leaving stand in one database. */
function refuseRails({ railsFile }: ReadyConfig, listed: readonly { name: string }[]): void {
  if (railsFile === null || listed.length < 2) return;
  throw new Error(`RAILS_FILE names rails, and there are ${listed.length} cells: rails of production need an installation of one cell`);
}

function makeCell(
  shared: Shared,
  cells: () => Cells<Platform>,
  { name, url, redis }: { name: string; url: string; redis: Redis | undefined },
): Platform {
  const log = shared.log.child({ cell: name });
  const database = openDatabase(url, { poolSize: shared.config.databasePool, log });
  const cache = new CoherentCache(url, log);
  const fanout = new Fanout({ pool: database.pool, cache, redis, log, ...(name !== homeCell && { cell: name }) });
  const listenerNames = manifest.listeners.map((listener) => listener.name);
  const agenda: Agenda = {
    tables: manifest.due.map(({ table }) => table),
    publish: async (workspaceId) => void (await publishAll(platform, manifest.followers, workspaceId)),
    settle: (workspaceId) => work(platform, { followers: manifest.followers, due: manifest.due }, workspaceId),
    isUnheard: (workspaceId) => hasUnheard(database.pool, workspaceId, listenerNames),
  };
  const own = { cell: name, log, database, cache, fanout, agenda, due: new DueBell(), published: new Signal() };
  const platform: Platform = Object.defineProperty({ ...shared, ...own } as Platform, 'cells', { get: cells, enumerable: true });
  return platform;
}

/** Lets go of the connections of a cell. */
async function closeCell({ fanout, cache, database }: Platform): Promise<void> {
  fanout.close();
  await cache.close();
  await database.close();
}

/** What is done for a cell while it is served. */
interface RunningCell {
  platform: Platform;
  keys: IdempotencyKeys;
  worker: Worker | undefined;
  writing: { stop(): Promise<void> };
}

/** How long deliveries may go on waiting for their answers when the process ends. */
const sendGraceMs = 2_000;

/** The cells that a process serves, at work. */
export class RunningCells {
  readonly #home: Platform;
  readonly #pollMs: number | undefined;
  readonly #running = new Map<Platform, RunningCell>();

  /** @param pollMs see ServerOptions */
  constructor(home: Platform, pollMs: number | undefined) {
    this.#home = home;
    this.#pollMs = pollMs;
    for (const platform of home.cells.served) this.#start(platform);
    home.cells.follow(
      (platform) => this.#start(platform),
      (platform) => this.#leave(platform),
    );
  }

  /** Runs a mutation under its key, by the keys of its cell. */
  readonly idempotency: Idempotency = (ctx, request, run) => {
    const cell = this.#running.get(ctx.platform);
    // Of a cell that was let go of a moment ago.
    if (cell === undefined) return Promise.reject(new DependencyUnavailable('The database of this tenant'));
    return cell.keys.run(ctx, request, run);
  };

  /** The workers of the process; none in a process that only serves. */
  get workers(): readonly { cell: string; worker: Worker }[] {
    return [...this.#running.values()].flatMap(({ platform, worker }) => (worker === undefined ? [] : [{ cell: platform.cell, worker }]));
  }

  async endStreams(): Promise<void> {
    for (const { platform } of this.#running.values()) await endStreamsOf(platform);
  }

  /** Ends the work for every cell: workers, then what is still to be written. */
  async stop(): Promise<void> {
    const cells = [...this.#running.values()];
    const { outbound } = this.#home;
    // Deliveries that get no answer for so long are given back, and sent again by the next process.
    const impatience = setTimeout(() => void outbound.close(), sendGraceMs);
    await Promise.all(cells.map(({ worker }) => worker?.stop()));
    clearTimeout(impatience);
    for (const { platform } of cells) platform.fanout.close();
    await outbound.close();
    await Promise.all(cells.map(({ keys }) => keys.close()));
    await this.#home.schemas.close();
    await Promise.all(cells.map(({ writing }) => writing.stop()));
  }

  #start(platform: Platform): void {
    const { role } = platform.config;
    shareBell(platform, role);
    const isWorking = role !== 'api' && this.#pollMs !== 0;
    this.#running.set(platform, {
      platform,
      keys: new IdempotencyKeys(platform),
      worker: isWorking ? startWorker(platform, manifest, this.#pollMs) : undefined,
      writing: startWriting(platform, this.#pollMs === 0 ? [] : manifest.regularWrites),
    });
  }

  /** Ends what is done for one cell that the process serves no longer. */
  async #leave(platform: Platform): Promise<void> {
    const cell = this.#running.get(platform);
    this.#running.delete(platform);
    await endStreamsOf(platform);
    await cell?.worker?.stop();
    await cell?.keys.close();
    await cell?.writing.stop();
  }
}

async function endStreamsOf(platform: Platform): Promise<void> {
  for (const endStreams of [...manifest.streamEnds, endToolStreams, endWaits]) await endStreams(platform);
}

const writeEveryMs = 3_000;

/** Writes what the process keeps in memory, every few seconds and when it ends. */
function startWriting(platform: Platform, writes: typeof manifest.regularWrites): { stop: () => Promise<void> } {
  const loops = writes.map((write) => {
    const round = async () => {
      await write(platform);
      return Number.POSITIVE_INFINITY;
    };
    return new Loop({ name: write.name, pollMs: writeEveryMs, log: platform.log }, round);
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      for (const write of manifest.lastWrites) await write(platform);
    },
  };
}

/** A process that does not work wakes those that do; a failure leaves them to their poll. */
function shareBell({ database, fanout, log }: Platform, role: ReadyConfig['role']): void {
  if (role !== 'api') {
    fanout.onWake(() => database.written.ring());
    return;
  }
  let waking = false;
  let rung = false;
  const wake = async () => {
    waking = true;
    while (rung) {
      rung = false;
      await fanout.wakeWorkers().catch((error: unknown) => log.warn({ err: error }, 'the workers were not woken'));
    }
    waking = false;
  };
  database.written.listen(() => {
    rung = true;
    if (!waking) void wake();
  });
}

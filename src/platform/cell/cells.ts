// The cells of a process: a platform for each database that it serves, and the way from what a caller shows to the platform of its tenant.
// With one cell that way is a constant.
import { DependencyUnavailable, declareError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Directory, ListedCell, Trace } from './directory.js';

/** The first cell: the database of DATABASE_URL, where the directory is too. */
export const homeCell = 'main';

/** 503: the tenant is in a cell that this process does not serve. A gateway routes by the header. */
export class OtherCell extends declareError(503, 'dependency_unavailable') {
  constructor(cell: string) {
    super('Another process serves this tenant; nothing was changed. Send it to that one.', {
      headers: { 'X-Cell': cell, 'Retry-After': '1' },
      details: { reason: 'other_cell', retry: { safe: true, after_s: 1 } },
    });
  }
}

/** What is asked of a platform here. */
interface Member {
  cell: string;
  log: Logger;
}

/** How long a cell may take to say that it is there. */
const patienceMs = 1_500;

export interface CellsOptions<Platform extends Member> {
  directory: Directory;
  /** The platform of the first cell. It is open in every process. */
  home: Platform;
  /** Names of the cells that the process serves; null: all that are listed. */
  serves: readonly string[] | null;
  /** Opens another cell that is listed. */
  open: (cell: ListedCell) => Promise<Platform>;
  close: (platform: Platform) => Promise<void>;
}

type Listener<Platform> = (platform: Platform) => void;

export class Cells<Platform extends Member> {
  readonly directory: Directory;
  readonly home: Platform;
  readonly #options: CellsOptions<Platform>;
  readonly #open = new Map<string, Platform>();
  /** The address of each cell that is open, as it is listed. */
  readonly #addresses = new Map<string, ListedCell['sealedUrl']>();
  /** Platforms that are being let go of, because their cell is elsewhere. */
  readonly #ending = new Set<Promise<void>>();
  #listed: readonly ListedCell[] = [];
  #only: Platform | undefined;
  #opened: Listener<Platform> = () => {};
  #leaving: (platform: Platform) => Promise<void> = async () => {};
  #reloading: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(options: CellsOptions<Platform>) {
    this.#options = options;
    this.directory = options.directory;
    this.home = options.home;
    this.#only = options.home;
    if (this.isServed(homeCell)) this.#open.set(homeCell, options.home);
  }

  /** The platform of every tenant, where there is no other; undefined where it has to be looked for. */
  get only(): Platform | undefined {
    return this.#only;
  }

  /** The platforms of the cells that this process serves. */
  get served(): readonly Platform[] {
    return [...this.#open.values()];
  }

  /** Every cell that the directory lists. */
  get listed(): readonly ListedCell[] {
    return this.#listed;
  }

  isServed(name: string): boolean {
    return this.#options.serves?.includes(name) ?? true;
  }

  // Gap G-761: With several cells what nobody knows costs a question to the directory more than what is known.
  /** The platform of the tenant that a trace leads to. What leads nowhere is asked of the first cell, which knows it as little. */
  async find(trace: Trace | undefined): Promise<Platform> {
    if (this.#only !== undefined) return this.#only;
    const name = trace === undefined ? homeCell : await this.directory.cellOf(trace);
    return name === undefined ? this.home : this.named(name);
  }

  /** The platform of a cell. 503 for one that this process does not serve, or cannot. */
  named(name: string): Platform {
    const platform = this.#open.get(name);
    if (platform !== undefined) return platform;
    if (!this.isServed(name)) throw new OtherCell(name);
    throw new DependencyUnavailable('The database of this tenant');
  }

  /** Asks every cell that is served, or one. Answers which have failed; rejects where all have. */
  async ask(question: (platform: Platform) => Promise<unknown>, name?: string): Promise<Record<string, unknown> | undefined> {
    if (name !== undefined) return void (await question(this.named(name)));
    if (this.#only !== undefined) return void (await question(this.#only));
    const wanted = this.#listed.filter((cell) => this.isServed(cell.name));
    const states = await Promise.all(wanted.map(async (cell) => [cell.name, await this.#answers(cell.name, question)] as const));
    if (!states.some(([, isGood]) => isGood)) throw new Error('no cell answers');
    return { cells: Object.fromEntries(states.map(([cell, isGood]) => [cell, isGood ? 'ok' : 'failed'])) };
  }

  async #answers(name: string, question: (platform: Platform) => Promise<unknown>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    const ask = async (): Promise<boolean> => {
      await question(this.named(name));
      return true;
    };
    const answer = ask().catch(() => false);
    return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
  }

  /** Reads the list again: opens what is new in it, or at another address, and lets go of what has left it. One look at a time. */
  reload(): Promise<void> {
    this.#isStale = true;
    this.#reloading ??= this.#look().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  /** What is done with a cell that is opened from now on, and before one is let go of. */
  follow(opened: Listener<Platform>, leaving: (platform: Platform) => Promise<void>): void {
    this.#opened = opened;
    this.#leaving = leaving;
  }

  /** Lets go of every cell, the first one last. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reloading?.catch(() => {});
    await Promise.all(this.#ending);
    const others = this.served.filter((platform) => platform !== this.home);
    await Promise.all(others.map((platform) => this.#options.close(platform)));
    await this.#options.close(this.home);
  }

  async #look(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#reload();
    }
  }

  async #reload(): Promise<void> {
    this.#listed = await this.directory.cells();
    const wanted = this.#listed.filter(({ name }) => this.isServed(name));
    for (const cell of wanted) {
      const before = this.#open.get(cell.name);
      const isThere =
        before !== undefined && (before === this.home || this.#addresses.get(cell.name)?.equals(cell.sealedUrl ?? Buffer.of()));
      if (isThere || this.#isClosed) continue;
      const platform = await this.#options.open(cell).catch((error: unknown) => {
        this.home.log.error({ err: error, cell: cell.name }, 'a cell cannot be opened');
      });
      if (platform === undefined) continue;
      this.#open.set(cell.name, platform);
      this.#addresses.set(cell.name, cell.sealedUrl);
      this.#opened(platform);
      if (before !== undefined) this.#end(before);
    }
    for (const [name, platform] of this.#open) {
      if (platform === this.home || wanted.some((cell) => cell.name === name)) continue;
      this.#open.delete(name);
      this.#end(platform);
    }
    this.#only = this.#listed.length <= 1 && this.isServed(homeCell) ? this.home : undefined;
  }

  /** Lets go of a platform. A database that is away keeps nobody waiting. */
  #end(platform: Platform): void {
    const end = async () => {
      await this.#leaving(platform);
      await this.#options.close(platform);
    };
    const ending = end()
      .catch((error: unknown) => platform.log.warn({ err: error }, 'a cell was let go of, and something of it was not written'))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

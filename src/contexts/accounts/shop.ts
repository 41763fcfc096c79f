// A shop: a host at which one merchant alone is seen (decision 0088). Of whom a host is stands in the directory, like whatever is shown before
// a workspace is known, so that it is one merchant's in its environment, whichever cells there are.
import { LRUCache } from 'lru-cache';
import { homeCell } from '../../platform/cell/cells.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Environment, Platform } from '../../platform/ctx.js';
import { declareError } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { isUniqueViolation } from '../../platform/postgres/failure.js';
import { addEntry, removeEntries } from '../identity/directory.js';
import { entryOf, entryWithin, type ShopEntry } from './shop.sql.js';

/** 409: the host is another merchant's, of whichever tenant. */
export class ShopHostTaken extends declareError(409, 'shop_host_taken') {
  constructor(host: string) {
    super(`${host} is the host of another merchant in this environment.`, {
      details: { host, terminal: true },
    });
  }
}

/** Under what the directory knows a host. */
const hashOf = (environment: Environment, host: string): Buffer<ArrayBuffer> => sha256(`shop ${environment} ${host}`);

/**
 * Makes `wanted` the hosts of a merchant, in the transaction that writes them there and holds its row. 409 `shop_host_taken`. What the
 * directory of another database was told, and the transaction does not keep, the sweep of pending entries deletes.
 */
export async function enterHosts(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { held, wanted }: Record<'held' | 'wanted', readonly string[]>,
): Promise<void> {
  const { cell, cells } = ctx.platform;
  const { environment } = ctx.workspace;
  const isHere = cell === homeCell;
  const look = (hash: Buffer) => (isHere ? entryWithin(tx, hash) : entryOf(cells.directory.database.pool, hash));
  // In one order, so that no two wait for each other.
  for (const host of wanted.filter((one) => !held.includes(one)).sort()) {
    const hash = hashOf(environment, host);
    const known = await look(hash);
    if (known !== null && !isOf(ctx, known, id)) throw new ShopHostTaken(host);
    await addEntry(ctx, tx, { kind: 'shop_host', id, hash }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? new ShopHostTaken(host) : error;
    });
    // Another one may have been faster there.
    const entered = isHere ? null : await look(hash);
    if (entered !== null && !isOf(ctx, entered, id)) throw new ShopHostTaken(host);
  }
  const left = held.filter((one) => !wanted.includes(one)).map((host) => hashOf(environment, host));
  if (left.length > 0) await removeEntries(ctx, tx, { kind: 'shop_host', id, hashes: left });
}

const isOf = ({ workspace }: Ctx, entry: ShopEntry, merchantId: string) =>
  entry.workspaceId === workspace.id && entry.merchantId === merchantId;

const mostKept = 50_000;

/** Finds the merchants of hosts, for one listener. What was found is kept until the directory says that hosts have changed. */
export class Shops {
  readonly #home: Platform;
  readonly #environment: Environment;
  readonly #kept = new LRUCache<string, { entry: ShopEntry | null }>({ max: mostKept });
  #generation = 0;

  constructor({ cells: { home } }: Platform, environment: Environment) {
    this.#home = home;
    this.#environment = environment;
    const forget = () => {
      this.#generation += 1;
      this.#kept.clear();
    };
    home.cache.onDrop((tag) => void (tag.startsWith('shop_host:') && forget()));
    // A change may have been missed.
    home.cache.onNotice((notice) => void (notice === null && forget()));
  }

  /** Whose a host is, where that is known already; undefined: it has to be asked for. */
  peek(host: string): ShopEntry | null | undefined {
    return this.#kept.get(host)?.entry;
  }

  /** Whose a host is; null: nobody's. */
  async find(host: string): Promise<ShopEntry | null> {
    const generation = this.#generation;
    const entry = await entryOf(this.#home.cells.directory.database.pool, hashOf(this.#environment, host));
    if (generation === this.#generation && this.#home.cache.isListening) this.#kept.set(host, { entry });
    return entry;
  }
}

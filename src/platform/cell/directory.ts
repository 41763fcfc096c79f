// The directory (docs/architecture.md "Cells"): which cells there are, which tenant is in which, and to which workspace belongs what a caller
// shows. It stands in the database of DATABASE_URL. It is asked where a process knows of several cells, and never where there is one.
import { LRUCache } from 'lru-cache';
import type { CoherentCache } from '../cache.js';
import { DependencyUnavailable } from '../errors.js';
import type { Database, Statement } from '../postgres/database.js';
import { Signal } from '../signal.js';

/** What leads to a cell: the hash of what was shown, or the workspace or the tenant that it names itself. */
export type Trace = { hash: Buffer } | { workspaceId: string } | { tenantId: string };

/** A cell as it is listed. */
export interface ListedCell {
  name: string;
  /** Null: the database of the directory. */
  sealedUrl: Buffer | null;
  state: 'open' | 'drained';
}

/** How long a change waits while its tenant is being switched. */
const switchMs = 5_000;

/** Where something is: small, so that a process keeps those of all its callers. */
const mostKept = 200_000;

const found = {
  name: 'directory-found',
  text: `
    WITH own AS (
      INSERT INTO installation (id, cell, created_at) SELECT gen_random_uuid(), $1, now() WHERE NOT EXISTS (SELECT FROM installation)
      ON CONFLICT DO NOTHING RETURNING cell
    ), listed AS (
      INSERT INTO cell (name, created_at) VALUES ($1, now()) ON CONFLICT DO NOTHING
    )
    SELECT cell FROM own UNION ALL SELECT cell FROM installation`,
};

/** A process of the version before writes no places. */
const placeTenants = `
  WITH placed AS (
    INSERT INTO tenant_place (tenant_id, cell_name) SELECT id, $1 FROM tenant t
    WHERE NOT EXISTS (SELECT FROM tenant_place p WHERE p.tenant_id = t.id) ON CONFLICT DO NOTHING RETURNING tenant_id
  )
  INSERT INTO workspace_place (id, tenant_id) SELECT w.id, w.tenant_id FROM workspace w JOIN placed p USING (tenant_id)
  ON CONFLICT DO NOTHING`;

/** A credential, or what the authorization server keeps of a connection. */
const ofHash = {
  name: 'directory-of-hash',
  text: `
    SELECT k.workspace_id AS "workspaceId", t.cell_name AS cell
    FROM (SELECT workspace_id FROM credential WHERE hash = $1
          UNION ALL SELECT workspace_id FROM oauth_artifact WHERE hash = $1 AND workspace_id IS NOT NULL) k
      JOIN workspace_place w ON w.id = k.workspace_id JOIN tenant_place t ON t.tenant_id = w.tenant_id`,
};

const ofWorkspace = {
  name: 'directory-of-workspace',
  text: 'SELECT t.cell_name AS cell FROM workspace_place w JOIN tenant_place t ON t.tenant_id = w.tenant_id WHERE w.id = $1',
};

const ofTenant = { name: 'directory-of-tenant', text: 'SELECT cell_name AS cell FROM tenant_place WHERE tenant_id = $1' };

const ofTenants = {
  name: 'directory-of-tenants',
  text: 'SELECT tenant_id AS "tenantId", cell_name AS cell FROM tenant_place WHERE tenant_id = ANY ($1::uuid[])',
};

const emptiest = `
  SELECT c.name FROM cell c LEFT JOIN tenant_place t ON t.cell_name = c.name WHERE c.state = 'open'
  GROUP BY c.name, c.created_at ORDER BY count(t.tenant_id), c.created_at LIMIT 1`;

const pending = {
  name: 'directory-pending',
  text: `
    SELECT c.hash FROM credential c LEFT JOIN workspace_place w ON w.id = c.workspace_id LEFT JOIN tenant_place t ON t.tenant_id = w.tenant_id
    WHERE c.pending_since <= $2 AND (t.cell_name = $1 OR t.cell_name IS NULL) ORDER BY c.pending_since LIMIT $3`,
};

export class Directory {
  readonly database: Database;
  readonly #cache: CoherentCache;
  /** The workspace of a hash, which never changes. */
  readonly #workspaces = new LRUCache<string, string>({ max: mostKept });
  /** The cell of a workspace. They are kept while the directory is away: who asks a cell that a tenant has left finds nothing there. */
  readonly #places = new LRUCache<string, string>({ max: mostKept });
  #generation = 0;
  /** Tenants that are being switched to another cell: their changes wait. */
  #switching: ReadonlySet<string> = new Set();
  readonly #switched = new Signal();

  constructor({ database, cache }: { database: Database; cache: CoherentCache }) {
    this.database = database;
    this.#cache = cache;
    const forget = () => {
      this.#generation += 1;
      this.#places.clear();
    };
    const look = () => void this.#readSwitching().catch(() => {});
    cache.onDrop((tag) => {
      if (tag.startsWith('place:')) forget();
      if (tag.startsWith('moving:')) look();
    });
    // A change may have been missed.
    cache.onNotice((notice) => {
      if (notice !== null) return;
      forget();
      look();
    });
  }

  /** Enters the first cell and what is in it already. Says under which name the database stands in its installation. */
  async begin(name: string): Promise<string> {
    const { pool } = this.database;
    const { rows } = await pool.query<{ cell: string }>({ ...found, values: [name] });
    const cell = rows[0]?.cell ?? name;
    if (cell === name) await pool.query(placeTenants, [name]);
    return cell;
  }

  async cells(): Promise<ListedCell[]> {
    const text = 'SELECT name, sealed_url AS "sealedUrl", state FROM cell ORDER BY created_at, name';
    return (await this.database.pool.query<ListedCell>(text)).rows;
  }

  /** Hashes of entries that have been pending since `until`, of workspaces of a cell, or of none: their tenant was never made. */
  async pendingEntries(cell: string, until: Date, most: number): Promise<Buffer<ArrayBuffer>[]> {
    const { rows } = await this.database.pool.query<{ hash: Buffer<ArrayBuffer> }>({ ...pending, values: [cell, until, most] });
    return rows.map(({ hash }) => hash);
  }

  /** Lets a cell take new tenants or none; false where there is no such cell. */
  async setState(name: string, state: ListedCell['state']): Promise<boolean> {
    const { rowCount } = await this.database.pool.query('UPDATE cell SET state = $2::cell_state WHERE name = $1', [name, state]);
    return rowCount === 1;
  }

  /** How many tenants a cell has; undefined where there is no such cell. */
  async tenantsIn(name: string): Promise<number | undefined> {
    const text = 'SELECT (SELECT count(*) FROM tenant_place WHERE cell_name = c.name)::int AS tenants FROM cell c WHERE name = $1';
    return (await this.database.pool.query<{ tenants: number }>(text, [name])).rows[0]?.tenants;
  }

  /** Takes a cell from the list. The database refuses that for one that has tenants. */
  async remove(name: string): Promise<void> {
    await this.database.pool.query('DELETE FROM cell WHERE name = $1', [name]);
  }

  /** The open cell with the fewest tenants; undefined where all are drained. */
  async emptiest(): Promise<string | undefined> {
    return (await this.database.pool.query<{ name: string }>(emptiest)).rows[0]?.name;
  }

  /** The cells of some tenants. */
  async placesOf(tenantIds: readonly string[]): Promise<{ tenantId: string; cell: string }[]> {
    const { rows } = await this.database.pool.query<{ tenantId: string; cell: string }>({ ...ofTenants, values: [tenantIds] });
    return rows;
  }

  /** The cell of what was shown, kept or asked for; undefined where nobody knows it. */
  async cellOf(trace: Trace): Promise<string | undefined> {
    if ('workspaceId' in trace) return this.#cellIn(ofWorkspace, trace.workspaceId);
    if ('tenantId' in trace) return this.#cellIn(ofTenant, trace.tenantId);
    const key = trace.hash.toString('base64');
    const workspaceId = this.#workspaces.get(key);
    if (workspaceId !== undefined) return this.#cellIn(ofWorkspace, workspaceId);
    const generation = this.#generation;
    const { rows } = await this.database.pool.query<{ workspaceId: string; cell: string }>({ ...ofHash, values: [trace.hash] });
    const [row] = rows;
    if (row === undefined) return undefined;
    this.#workspaces.set(key, row.workspaceId);
    this.#keep(row.workspaceId, row.cell, generation);
    return row.cell;
  }

  /**
   * Waits while a tenant is being switched to another cell.
   * @returns whether it has waited: then the tenant may be elsewhere
   * @throws 503 after five seconds
   */
  async awaitSwitch(tenantId: string): Promise<boolean> {
    if (!this.#switching.has(tenantId)) return false;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => {
        silence();
        clearTimeout(patience);
        settle();
      };
      const patience = setTimeout(() => end(() => reject(new DependencyUnavailable('This tenant moves to another cell. It'))), switchMs);
      const silence = this.#switched.listen(() => {
        if (!this.#switching.has(tenantId)) end(resolve);
      });
    });
    return true;
  }

  async #readSwitching(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>("SELECT tenant_id AS id FROM tenant_move WHERE step = 'switching'");
    this.#switching = new Set(rows.map(({ id }) => id));
    this.#switched.ring();
  }

  async #cellIn(statement: Statement, id: string): Promise<string | undefined> {
    const kept = this.#places.get(id);
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const { rows } = await this.database.pool.query<{ cell: string }>({ ...statement, values: [id] });
    const cell = rows[0]?.cell;
    if (cell !== undefined) this.#keep(id, cell, generation);
    return cell;
  }

  #keep(workspaceId: string, cell: string, generation: number): void {
    if (this.#cache.isListening && generation === this.#generation) this.#places.set(workspaceId, cell);
  }
}

// Moves that have begun and are not over, as the directory notes them: one for a tenant.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../../postgres/database.js';
import { inTransaction } from '../../postgres/database.js';
import { isUniqueViolation } from '../../postgres/failure.js';
import type { MoveRecord, MoveStep } from './move.js';
import { MoveRefused } from './refused.js';
import type { MovingTenant } from './tenant-table.js';

interface Row {
  source: string;
  target: string;
  step: MoveStep;
}

/** A tenant and the cell that it is in. */
export interface PlacedTenant extends MovingTenant {
  cell: string;
}

/** A tenant as the directory has it; null where it has none of this id. */
export async function placedTenant({ pool }: Database, id: string | null): Promise<PlacedTenant | null> {
  const { rows } = await pool.query<PlacedTenant>(
    `SELECT t.tenant_id AS id, t.cell_name AS cell, array_agg(w.id ORDER BY w.id) AS "workspaceIds"
     FROM tenant_place t JOIN workspace_place w USING (tenant_id) WHERE t.tenant_id = $1 GROUP BY t.tenant_id`,
    [id],
  );
  return rows[0] ?? null;
}

/** How long a command that was killed may take to let go of its tenant. */
const lockPatienceMs = 5_000;
const lookEveryMs = 100;

/**
 * One command moves a tenant at a time: the directory keeps its lock for as long as the connection lives. Returns what lets go of it.
 * @throws MoveRefused while another command has it
 */
export async function holdMove({ url }: Pick<Database, 'url'>, tenantId: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'tenant move' });
  // A directory that is lost fails the next step.
  client.on('error', () => {});
  await client.connect();
  const begun = performance.now();
  for (;;) {
    const text = "SELECT pg_try_advisory_lock(hashtextextended('tenant move ' || $1, 0)) AS held";
    const { rows } = await client.query<{ held: boolean }>(text, [tenantId]);
    if (rows[0]?.held) return () => client.end();
    if (performance.now() - begun > lockPatienceMs) break;
    await pause(lookEveryMs);
  }
  await client.end();
  throw new MoveRefused('Another command moves this tenant now: wait until it ends.');
}

export class StoredMove implements MoveRecord {
  readonly source: string;
  readonly target: string;
  readonly #pool: pg.Pool;
  readonly #tenantId: string;
  #step: MoveStep;

  private constructor(pool: pg.Pool, tenantId: string, { source, target, step }: Row) {
    this.#pool = pool;
    this.#tenantId = tenantId;
    this.source = source;
    this.target = target;
    this.#step = step;
  }

  /** The move of a tenant that is under way; null where there is none. */
  static async find({ pool }: Database, tenantId: string): Promise<StoredMove | null> {
    const { rows } = await pool.query<Row>('SELECT source, target, step FROM tenant_move WHERE tenant_id = $1', [tenantId]);
    return rows[0] === undefined ? null : new StoredMove(pool, tenantId, rows[0]);
  }

  /** Begins a move. One tenant moves once at a time. */
  static async begin({ pool }: Database, tenantId: string, ends: Pick<Row, 'source' | 'target'>): Promise<StoredMove> {
    const insert = `INSERT INTO tenant_move (tenant_id, source, target, step, created_at, changed_at) VALUES ($1, $2, $3, 'copying', now(), now())`;
    try {
      await pool.query(insert, [tenantId, ends.source, ends.target]);
    } catch (error) {
      if (isUniqueViolation(error)) throw new MoveRefused('This tenant is moving already: --resume goes on with it, --abort gives it up.');
      throw error;
    }
    return new StoredMove(pool, tenantId, { ...ends, step: 'copying' });
  }

  get step(): MoveStep {
    return this.#step;
  }

  async note(step: MoveStep): Promise<void> {
    await this.#update(this.#pool, step);
    this.#step = step;
  }

  async switch(): Promise<void> {
    await inTransaction(this.#pool, async (tx) => {
      const { rowCount } = await tx.query('UPDATE tenant_place SET cell_name = $2 WHERE tenant_id = $1 AND cell_name = $3', [
        this.#tenantId,
        this.target,
        this.source,
      ]);
      if (rowCount !== 1) throw new MoveRefused(`The directory does not have this tenant in ${this.source}.`);
      await this.#update(tx, 'switched');
    });
    this.#step = 'switched';
  }

  async end(): Promise<void> {
    await this.#pool.query('DELETE FROM tenant_move WHERE tenant_id = $1', [this.#tenantId]);
  }

  async #update(db: pg.Pool | pg.ClientBase, step: MoveStep): Promise<void> {
    const { rowCount } = await db.query('UPDATE tenant_move SET step = $2, changed_at = now() WHERE tenant_id = $1', [
      this.#tenantId,
      step,
    ]);
    if (rowCount !== 1) throw new MoveRefused('The directory knows of this move no more: somebody has ended it.');
  }
}

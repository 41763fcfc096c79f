// Listeners hear every published event exactly once and write what follows from it: rollups, settlement rules. A listener has a stored
// position in each workspace, which moves in the transaction of what it writes. The publisher never waits for it.
import type pg from 'pg';
import { hasLeft } from '../platform/cell/present.js';
import type { Platform } from '../platform/ctx.js';
import { inTransaction } from '../platform/postgres/database.js';
import type { PublishedEvent } from './publication.js';

/** A stretch of the publications of a workspace: those with a number above `after`, up to `upTo`. */
export interface Stretch {
  workspaceId: string;
  after: string;
  upTo: string;
}

/** Hears published events. The context.ts of its context lists it. */
export interface EventListener {
  /** The name of its stored position. A listener with a new name begins with the oldest publication that is kept, a day ago. */
  name: string;
  /** Milliseconds that it leaves between its rounds, where it should hear in longer stretches than others. */
  paceMs?: number;
  /**
   * Writes what follows from a stretch, in the transaction that moves the position. Where there is much of it, in one statement
   * that reads `heard_events(workspace, after, up_to)`; else from what eventsOf() returns. Nothing of it may leave the
   * database: when the transaction fails, the stretch is heard again.
   */
  hear(tx: pg.ClientBase, stretch: Stretch): Promise<void>;
}

/** The events of a stretch, in the order of their publication. */
export async function eventsOf(tx: pg.ClientBase, { workspaceId, after, upTo }: Stretch): Promise<PublishedEvent[]> {
  const { rows } = await tx.query<PublishedEvent>({
    name: 'events-of-stretch',
    text: `SELECT workspace_id AS "workspaceId", id, type, data, object_id AS "objectId", agent_id AS "agentId", created_at AS "createdAt"
           FROM heard_events($1, $2, $3)`,
    values: [workspaceId, after, upTo],
  });
  return rows;
}

/** Publications in a stretch, at most. */
const stretchSize = 100;
/** Workspaces in a round, at most. */
const roundSize = 200;
/** How often a round reads all publications again, and not only those after the ones it has seen read. */
const fullRoundEveryMs = 60_000;

const behindQuery = { name: 'listener-behind', text: `SELECT heard, behind FROM listener_behind($1, $2, ${roundSize})` };

const takeStretch = { name: 'listener-take', text: `SELECT after, up_to FROM take_stretch($1, $2, ${stretchSize})` };

/** True while one of these listeners has something to hear in a workspace. */
export async function hasUnheard(pool: pg.Pool, workspaceId: string, names: readonly string[]): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'listener-unheard',
    text: `SELECT FROM unnest($2::text[]) AS l (name) CROSS JOIN LATERAL (
             SELECT FROM publication p WHERE p.workspace_id = $1 AND p.number > coalesce(
               (SELECT e.number FROM event_listener e WHERE e.workspace_id = $1 AND e.name = l.name), 0) LIMIT 1
           ) unheard LIMIT 1`,
    values: [workspaceId, names],
  });
  return rowCount === 1;
}

/** Brings one listener up to date, in this process. Any number of processes may do so beside each other. */
export class Listening {
  readonly #platform: Pick<Platform, 'database' | 'log'>;
  readonly #listener: EventListener;
  /** The listener has read everything up to this number, in every workspace. */
  #readUpTo = '0';
  #fullRoundAt = Number.NEGATIVE_INFINITY;

  constructor(platform: Pick<Platform, 'database' | 'log'>, listener: EventListener) {
    this.#platform = platform;
    this.#listener = listener;
  }

  /** Hears one stretch in each workspace that has one. Returns how many were heard. */
  async round(): Promise<number> {
    const { pool } = this.#platform.database;
    if (performance.now() - this.#fullRoundAt >= fullRoundEveryMs) {
      this.#fullRoundAt = performance.now();
      this.#readUpTo = '0';
    }
    const { rows } = await pool.query<{ heard: string; behind: string[] }>({
      ...behindQuery,
      values: [this.#listener.name, this.#readUpTo],
    });
    const { heard: readUpTo = '0', behind = [] } = rows[0] ?? {};
    this.#readUpTo = readUpTo;
    let heard = 0;
    for (const workspaceId of behind) if (await this.#hearWorkspace(workspaceId)) heard += 1;
    return heard;
  }

  /** Hears everything that is published by now and that no other process is hearing. */
  async drain(): Promise<number> {
    let heard = 0;
    for (let round = await this.round(); round > 0; round = await this.round()) heard += round;
    return heard;
  }

  /** The same for one workspace. Returns how many stretches were heard. */
  async drainWorkspace(workspaceId: string): Promise<number> {
    const { pool } = this.#platform.database;
    let heard = 0;
    while ((await hasUnheard(pool, workspaceId, [this.#listener.name])) && (await this.#hearWorkspace(workspaceId))) heard += 1;
    return heard;
  }

  /** False when there was nothing to hear, another process is hearing it, or it failed: the next round tries again. */
  async #hearWorkspace(workspaceId: string): Promise<boolean> {
    const { database, log } = this.#platform;
    const { name } = this.#listener;
    try {
      const heard = await inTransaction(database.pool, (tx) => this.#hearStretch(tx, workspaceId));
      if (heard !== undefined) return heard;
      const made = await database.pool.query('INSERT INTO event_listener (workspace_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        workspaceId,
        name,
      ]);
      if (made.rowCount === 0) return false;
      return (await inTransaction(database.pool, (tx) => this.#hearStretch(tx, workspaceId))) ?? false;
    } catch (error) {
      if (await hasLeft(database, workspaceId)) return false;
      log.error({ err: error, listener: name, workspaceId }, 'a listener failed; the next round tries again');
      return false;
    }
  }

  /** Undefined where the listener has no position yet. */
  async #hearStretch(tx: pg.ClientBase, workspaceId: string): Promise<boolean | undefined> {
    const { name } = this.#listener;
    const { rows } = await tx.query<{ after: string | null; up_to: string | null }>({ ...takeStretch, values: [workspaceId, name] });
    const [next] = rows;
    if (next === undefined) return undefined;
    const { after, up_to: upTo } = next;
    if (after === null || upTo === null) return false;
    await this.#listener.hear(tx, { workspaceId, after, upTo });
    return true;
  }
}

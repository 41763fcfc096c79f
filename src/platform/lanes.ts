// Due rows that run beside each other, in lanes: at most so many of one lane at a time, and a slow lane keeps nobody else waiting
// (docs/architecture.md "Time"). Claim, load, take, record: no transaction is open while a row is taken.
import { LRUCache } from 'lru-cache';
import type { Ctx, Environment, Platform } from './ctx.js';
import { systemCtx } from './due.js';
import { byIndex } from './lookup-plan.js';
import { Recorder } from './recorder.js';

/** A kind of row that is taken beside others of its kind. */
export interface LaneStep<Job = unknown, Outcome = unknown> {
  table: 'webhook_delivery';
  lane: { column: 'webhook_id'; size: number };
  /** Assignments that go with the claim, and with giving a row back that was not taken. */
  onClaim: string;
  onRelease: string;
  /** What is needed to take the rows, by id. A row that is left out is not due any more. */
  load(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Job>>;
  /** Does what is due; the slow part. Must not throw. Undefined: nothing was done, the row is given back. */
  take(ctx: Ctx, job: Job): Promise<Outcome | undefined>;
  /** Writes what became of rows, with their next due_at, and ends their leases. */
  record(ctx: Ctx, outcomes: readonly Outcome[]): Promise<void>;
}

/** A row is taken within `freshMs` of its claim or given back, so with a take of 10 s a lease is always long enough. */
const leaseSeconds = 30;
const freshMs = 2_000;
/** Rows of one lane that are claimed ahead, at most; lanes that are slow claim no more than they run at once. */
const widest = 100;
const inFlightMost = 1_000;
/** One process claims at a time, so that each sees the leases of the others. */
const claimLock = 0x6c61_6e65;

interface ClaimedRow {
  workspace_id: string;
  id: string;
  lane: string;
  tenant_id: string;
  environment: Environment;
  offset_ms: string;
}

/** Of each lane the rows that are due, as many as fit; none of a lane that another process holds. $1 now, $2 lanes, $3 held, $4 width. */
const claim = ({ table, lane: { column, size }, onClaim }: LaneStep) => `
  WITH RECURSIVE lane AS (
    (SELECT ${column} AS id FROM ${table} WHERE due_at IS NOT NULL ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT d.${column} FROM ${table} d WHERE d.due_at IS NOT NULL AND d.${column} > lane.id ORDER BY d.${column} LIMIT 1)
    FROM lane WHERE lane.id IS NOT NULL
  ), free AS (
    SELECT lane.id, CASE WHEN (SELECT count(*) FROM ${table} b WHERE b.${column} = lane.id AND b.lease_until > clock_timestamp())
      > coalesce(known.held, 0) THEN 0 ELSE greatest(0, coalesce(known.width, ${size}) - coalesce(known.held, 0)) END AS room
    FROM lane LEFT JOIN unnest($2::uuid[], $3::int[], $4::int[]) AS known (id, held, width) ON known.id = lane.id
    WHERE lane.id IS NOT NULL
  ), due AS (
    SELECT found.* FROM free CROSS JOIN LATERAL (
      SELECT d.workspace_id, d.id, w.tenant_id, w.environment, w.clock_offset_ms
      FROM ${table} d JOIN workspace w ON w.id = d.workspace_id
      WHERE d.${column} = free.id AND d.due_at <= $1::timestamptz + w.clock_offset_ms * interval '1 millisecond'
        AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
      ORDER BY d.due_at LIMIT free.room
    ) found WHERE free.room > 0 LIMIT $5
  )
  UPDATE ${table} t SET lease_until = clock_timestamp() + interval '${leaseSeconds} seconds', ${onClaim}
  FROM due WHERE t.workspace_id = due.workspace_id AND t.id = due.id
    AND t.due_at IS NOT NULL AND (t.lease_until IS NULL OR t.lease_until < clock_timestamp())
  RETURNING t.workspace_id, t.id, t.${column} AS lane, due.tenant_id, due.environment, due.clock_offset_ms::text AS offset_ms`;

const release = ({ table, onRelease }: LaneStep) => `
  UPDATE ${table} t SET lease_until = NULL, ${onRelease}
  FROM unnest($1::uuid[], $2::uuid[]) AS back (workspace_id, id)
  WHERE t.workspace_id = back.workspace_id AND t.id = back.id AND t.due_at IS NOT NULL`;

/** What this process holds of a lane. */
interface Lane {
  held: number;
  running: number;
  /** How many rows it may hold: grows while they are taken in time, falls back when some were not. */
  width: number;
  waiting: (() => void)[];
}

/** The lanes of one kind of row, as far as this process runs them. */
export class Lanes {
  readonly #platform: Platform;
  readonly #step: LaneStep;
  readonly #lanes = new Map<string, Lane>();
  readonly #batches = new Set<Promise<void>>();
  /** Few enough to keep: one for each workspace that has had deliveries of late. */
  readonly #recorders = new LRUCache<string, Recorder>({ max: 2_000 });
  #held = 0;
  #stopped = false;
  #look = false;
  #looking: Promise<void> | undefined;
  /** Called when rows have been recorded: there is room again. */
  onRoom: () => void = () => {};

  constructor(platform: Platform, step: LaneStep) {
    this.#platform = platform;
    this.#step = step;
  }

  /** Claims what is due and fits, and starts it without waiting for its end. Returns how many rows it was. */
  async fill(): Promise<number> {
    const room = inFlightMost - this.#held;
    if (room <= 0 || this.#stopped) return 0;
    const rows = await this.#claim(room);
    for (const row of rows) this.#hold(row.lane);
    const byWorkspace = new Map<string, ClaimedRow[]>();
    for (const row of rows) byWorkspace.set(row.workspace_id, [...(byWorkspace.get(row.workspace_id) ?? []), row]);
    for (const batch of byWorkspace.values()) {
      const running = this.#run(batch).finally(() => {
        this.#batches.delete(running);
        this.onRoom();
      });
      this.#batches.add(running);
    }
    return rows.length;
  }

  /** Starts what is due, as long as there is some. Calls that come meanwhile are one more look together. */
  wake(): void {
    this.#look = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookOn(): Promise<void> {
    while (this.#look && !this.#stopped) {
      this.#look = false;
      try {
        if ((await this.fill()) > 0) this.#look = true;
      } catch (error) {
        this.#platform.log.warn({ err: error, table: this.#step.table }, 'nothing was claimed; the next look tries again');
      }
    }
  }

  /** Takes everything that is due, to the end. Returns how many rows it was. */
  async drain(): Promise<number> {
    let room = false;
    let wake = () => {};
    this.onRoom = () => {
      room = true;
      wake();
    };
    for (let taken = 0; ; ) {
      room = false;
      const started = await this.fill();
      taken += started;
      if (started === 0 && this.#batches.size === 0) return taken;
      if (started > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (room) resolve();
      });
    }
  }

  /** Takes nothing new, gives back what has not begun, and waits for the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await Promise.all(this.#batches);
  }

  async #claim(room: number): Promise<ClaimedRow[]> {
    const { database, clock } = this.#platform;
    const known = [...this.#lanes];
    return byIndex(database.pool, async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(${claimLock})`);
      const { rows } = await tx.query<ClaimedRow>({
        name: `claim-${this.#step.table}`,
        text: claim(this.#step),
        values: [clock.now(), known.map(([id]) => id), known.map(([, { held }]) => held), known.map(([, { width }]) => width), room],
      });
      return rows;
    });
  }

  async #run(rows: readonly ClaimedRow[]): Promise<void> {
    const [head] = rows;
    if (head === undefined) return;
    const { workspace_id: id, tenant_id: tenantId, environment, offset_ms } = head;
    const ctx = systemCtx(this.#platform, { id, tenantId, environment, clockOffsetMs: Number(offset_ms) });
    const staleAt = performance.now() + freshMs;
    const held = new Set(rows);
    const letGo = (done: readonly ClaimedRow[]) => {
      for (const row of done) if (held.delete(row)) this.#letGo(row.lane);
      this.onRoom();
    };
    const recorder = this.#recorderOf(id);
    const back: ClaimedRow[] = [];
    try {
      const jobs = await this.#step.load(
        ctx,
        rows.map((row) => row.id),
      );
      await Promise.all(
        rows.map(async (row) => {
          const job = jobs.get(row.id);
          const outcome = job === undefined ? undefined : await this.#inTurn(row.lane, staleAt, () => this.#step.take(ctx, job));
          if (outcome === undefined) back.push(row);
          else await recorder.add({ ctx, id: row.id, outcome, recorded: () => letGo([row]) });
        }),
      );
    } catch (error) {
      // The leases run out and the rows are taken again.
      this.#platform.log.error({ err: error, table: this.#step.table, workspaceId: id }, 'due rows failed');
    }
    await this.#giveBack(back);
    letGo(back);
    // Whatever else is held has no end that was written: it counts for as long as it is leased.
    if (held.size > 0) setTimeout(() => letGo([...held]), leaseSeconds * 1000).unref();
  }

  async #giveBack(rows: readonly ClaimedRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await this.#platform.database.pool.query(release(this.#step), [rows.map((row) => row.workspace_id), rows.map(({ id }) => id)]);
    } catch (error) {
      this.#platform.log.warn({ err: error, table: this.#step.table }, 'leases were not given back; they run out');
    }
  }

  /** Takes a row when its lane has a place; undefined when that came too late. */
  async #inTurn<T>(id: string, staleAt: number, take: () => Promise<T>): Promise<T | undefined> {
    const lane = this.#lane(id);
    if (lane.running >= this.#step.lane.size) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    try {
      if (this.#stopped) return undefined;
      if (performance.now() <= staleAt) return await take();
      lane.width = this.#step.lane.size;
      return undefined;
    } finally {
      const next = lane.waiting.shift();
      if (next === undefined) lane.running -= 1;
      else next();
    }
  }

  #recorderOf(workspaceId: string): Recorder {
    let recorder = this.#recorders.get(workspaceId);
    if (recorder === undefined) {
      recorder = new Recorder(this.#step);
      this.#recorders.set(workspaceId, recorder);
    }
    return recorder;
  }

  #lane(id: string): Lane {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { held: 0, running: 0, width: this.#step.lane.size, waiting: [] };
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  #hold(id: string): void {
    this.#lane(id).held += 1;
    this.#held += 1;
  }

  #letGo(id: string): void {
    const lane = this.#lane(id);
    lane.held -= 1;
    this.#held -= 1;
    lane.width = Math.min(widest, lane.width + 1);
    if (lane.held === 0 && this.#lanes.size > inFlightMost) this.#lanes.delete(id);
  }
}

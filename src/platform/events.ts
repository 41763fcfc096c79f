// Events: what happened, as a row written in the transaction of the change it tells of (SPEC.md "Events"). What there is to
// tell is in event-catalog.ts.
import type { Ctx } from './ctx.js';
import type { Tx } from './database.js';
import type { EventData, EventType } from './event-catalog.js';
import { newId } from './ids.js';

/** How long events are kept. */
export const eventRetentionSeconds = 30 * 86_400;

/** Agents whose channels show an event, by the side of it that they are on. An agent on both is told once, as `from`. */
export interface Sides {
  from: readonly string[];
  to: readonly string[];
}

interface About {
  /** Bare id of what it is about. */
  objectId?: string | undefined;
  agentId?: string | null;
  sides?: Sides | null;
}

/** An event before it is written. */
export interface EventRow {
  id: string;
  type: string;
  data: object;
  objectId: string | null;
  agentId: string | null;
  createdAt: Date;
  sides: Sides | null;
}

/** An event of now, typed by the catalog. The caller writes it: with a posting, or through `emit`. */
export function event<T extends EventType>(at: Date, type: T, data: EventData<T>, about: About = {}): EventRow {
  return eventRow(at, type, data, about);
}

/** The same for a type that is known at run time only. */
export function eventRow(at: Date, type: string, data: object, { objectId, agentId, sides }: About): EventRow {
  return { id: newId(at), type, data, objectId: objectId ?? null, agentId: agentId ?? null, createdAt: at, sides: sides ?? null };
}

/** The sides of those events that have some, by event; null when none has. */
export function sidesById(rows: readonly EventRow[]): string | null {
  const shown = rows.flatMap(({ id, sides }) => (sides === null ? [] : [[id, sides] as const]));
  return shown.length === 0 ? null : JSON.stringify(Object.fromEntries(shown));
}

/** Writes events of one workspace, and their line in the outbox, in the transaction of the change that they tell of. */
export async function writeEvents(tx: Tx, workspaceId: string, rows: readonly EventRow[]): Promise<void> {
  const column = <K extends keyof EventRow>(name: K): EventRow[K][] => rows.map((row) => row[name]);
  const data = rows.map((row) => JSON.stringify(row.data));
  await tx.$executeRaw`
    WITH told AS (
      INSERT INTO event (workspace_id, id, type, data, object_id, agent_id, created_at)
      SELECT ${workspaceId}::uuid, e.* FROM unnest(${column('id')}::uuid[], ${column('type')}::text[], ${data}::json[],
        ${column('objectId')}::uuid[], ${column('agentId')}::uuid[], ${column('createdAt')}::timestamptz[]) AS e
    )
    INSERT INTO outbox (workspace_ids, event_ids, sides)
    SELECT array_fill(${workspaceId}::uuid, ARRAY[${rows.length}::int]), ${column('id')}::uuid[], ${sidesById(rows)}::jsonb`;
}

/** Writes an event of now in the transaction of the change it tells of. */
export function emit<T extends EventType>(ctx: Ctx, tx: Tx, type: T, data: EventData<T>, about: About = {}): Promise<void> {
  return writeEvents(tx, ctx.workspace.id, [event(ctx.clock.now(), type, data, about)]);
}

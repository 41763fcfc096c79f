// An event says what happened. Its row is written in the transaction of the change that it reports, with a line in the outbox
// (SPEC.md "Events"). Contexts declare their events with declaration.ts and emit them with the functions they get from it.
import { addSeconds } from '../platform/clock.js';
import type { Ctx, Platform } from '../platform/ctx.js';
import { printTime, type Row, rowOf } from '../platform/postgres/column.js';
import type { Tx } from '../platform/postgres/database.js';
import { newId } from '../platform/schema/id.js';
import { isSampled, placeOf, printTraceparent, type TracePlace } from '../platform/trace.js';

/** From when on events are kept at a time of their workspace: for RETENTION_EVENTS_DAYS. */
export function oldestEvents({ config }: Pick<Platform, 'config'>, at: Date): Date {
  return addSeconds(at, -config.retentionEventsDays * 86_400);
}

/** The agents whose channels show an event, by their id; the value is the agent's role in it (ChannelLine in definition.ts). */
export type Roles = Readonly<Record<string, string>>;

/** What an event is about. */
export interface About {
  /** Now by default. */
  at?: Date;
  /** Bare id of the object. */
  objectId?: string | null;
  /** The agent that may read it. */
  agentId?: string | null;
  /** The agents whose channels show it. */
  roles?: Roles;
}

/** A limit, of which an event says what is left: `maximum` minor units, less what its counter stands at. */
export interface LimitLeft {
  counter: string;
  window: string;
  maximum: string;
  currency: string;
}

/** An event before it is written. */
export interface EventRow {
  id: string;
  type: string;
  data: object;
  objectId: string | null;
  agentId: string | null;
  /** Trace of the request that made it: 32 hexadecimal digits. */
  traceId: string | null;
  /** The span in it, with its flags, where that is known. */
  traceSpan: string | null;
  createdAt: Date;
  roles: Roles | null;
  /** The event of the same posting, made after it, that holds the data of both: it is stored once. */
  dataOf?: string;
  /** Members of its data that only the posting knows which the event is written with: what limits have left after it. */
  left?: Readonly<Record<string, LimitLeft>>;
}

/** What an event takes from the ctx of whoever makes it. */
type Made = Pick<Ctx, 'clock' | 'traceId' | 'trace' | 'span'>;

/** An event of a type that is known at run time only; typed ones come from a declaration. */
export function eventRow(ctx: Made, type: string, data: object, about: About = {}): EventRow {
  const { at = ctx.clock.now(), objectId = null, agentId = null, roles } = about;
  const shown = roles !== undefined && Object.keys(roles).length > 0;
  const place = placeOf(ctx);
  const trace = { traceId: place?.traceId ?? ctx.traceId ?? null, traceSpan: place?.span ?? null };
  return { id: newId(at), type, data, objectId, agentId, ...trace, createdAt: at, roles: shown ? roles : null };
}

/** The roles of those events that have some, by event; null when none has. */
function rolesByEvent(rows: readonly EventRow[]): Readonly<Record<string, Roles>> | null {
  const shown = rows.flatMap(({ id, roles }) => (roles === null ? [] : [[id, roles] as const]));
  return shown.length === 0 ? null : Object.fromEntries(shown);
}

/** The traceparents below which the publication of events shows: of what is sampled, each once. */
function tracesOf(rows: readonly EventRow[]): string[] | null {
  const sampled = rows.flatMap(({ traceId, traceSpan }) => {
    const place = traceId === null || traceSpan === null ? undefined : { traceId, span: traceSpan };
    return place !== undefined && isSampled(place) ? [printTraceparent(place)] : [];
  });
  return sampled.length === 0 ? null : [...new Set(sampled)];
}

/** Records of a posting as if their events had been made at `place`: below the span of the posting, which begins after they were drafted. */
export function recordsAt<T extends { event?: readonly Row[]; outbox?: readonly Row[] }>(records: T, place: TracePlace): T {
  const { event, outbox } = records;
  if (event === undefined) return records;
  const traces = [printTraceparent(place)];
  return {
    ...records,
    event: event.map((row) => ({ ...row, trace_id: place.traceId, trace_span: place.span })),
    ...(outbox && { outbox: outbox.map((line) => ({ ...line, traces })) }),
  };
}

/** Events of one workspace and their line in the outbox, as rows that a posting records. */
export function eventRecords(workspaceId: string, rows: readonly EventRow[]): { event: Row[]; outbox: Row[] } {
  if (rows.length === 0) return { event: [], outbox: [] };
  const line = { workspaceId, eventIds: rows.map(({ id }) => id), roles: rolesByEvent(rows), traces: tracesOf(rows) };
  return { event: rows.map((row) => recordOf(workspaceId, row)), outbox: [rowOf(line)] };
}

/** What rowOf() would make of it, spelled out: no other row is written as often. */
function recordOf(workspaceId: string, { id, type, data, objectId, agentId, traceId, traceSpan, createdAt, dataOf, left }: EventRow): Row {
  return {
    workspace_id: workspaceId,
    id,
    type,
    data: dataOf === undefined ? data : undefined,
    data_of: dataOf,
    object_id: objectId ?? undefined,
    agent_id: agentId ?? undefined,
    trace_id: traceId ?? undefined,
    trace_span: traceSpan ?? undefined,
    created_at: printTime(createdAt),
    left,
  };
}

interface OutboxLine {
  workspace_id: string;
  event_ids: string[];
  roles?: Record<string, Roles>;
  operation_ids?: string[];
  /** Of the audit log. */
  line_ids?: string[];
  traces?: string[];
}

/** The lines of the outbox for what a posting records: its events, operations, and lines of the audit log. */
export function outboxLines(records: { [T in 'outbox' | 'operation' | 'audit_entry']?: readonly Row[] }): Row[] {
  const { outbox = [], operation = [], audit_entry: lines = [] } = records;
  return [
    ...outbox,
    ...operation.map(({ workspace_id, id }) => ({ workspace_id, event_ids: [], operation_ids: [id] })),
    ...lines.map(({ workspace_id, id }) => ({ workspace_id, event_ids: [], line_ids: [id] })),
  ];
}

/** One line of the outbox per workspace, for the lines of several postings that are written together, as PostgreSQL reads it. */
export function joinLines(lines: readonly Row[]): Row[] {
  const joined = new Map<string, OutboxLine>();
  for (const { workspace_id, event_ids, roles, operation_ids, line_ids, traces } of lines as unknown as readonly OutboxLine[]) {
    let line = joined.get(workspace_id);
    if (line === undefined) {
      line = { workspace_id, event_ids: [], operation_ids: [], line_ids: [] };
      joined.set(workspace_id, line);
    }
    line.event_ids.push(...event_ids);
    if (roles !== undefined) line.roles = { ...line.roles, ...roles };
    if (operation_ids !== undefined) line.operation_ids?.push(...operation_ids);
    if (line_ids !== undefined) line.line_ids?.push(...line_ids);
    if (traces !== undefined) line.traces = [...(line.traces ?? []), ...traces];
  }
  return [...joined.values()].map(printLine);
}

/** Lists of ids as PostgreSQL spells arrays, which it reads in half the time that a list of JSON takes. */
const printLine = ({ event_ids, operation_ids = [], line_ids = [], ...line }: OutboxLine): Row => ({
  ...line,
  event_ids: `{${event_ids.join()}}`,
  operation_ids: `{${operation_ids.join()}}`,
  line_ids: `{${line_ids.join()}}`,
});

/** Writes events of one workspace, and their line in the outbox, in the transaction of the change that they report. */
export async function writeEvents(tx: Tx, workspaceId: string, rows: readonly EventRow[]): Promise<void> {
  const column = <K extends keyof EventRow>(name: K): EventRow[K][] => rows.map((row) => row[name]);
  const data = rows.map((row) => JSON.stringify(row.data));
  const shown = rolesByEvent(rows);
  const roles = shown === null ? null : JSON.stringify(shown);
  await tx.$executeRaw`
    WITH written AS (
      INSERT INTO event (workspace_id, id, type, data, object_id, agent_id, trace_id, trace_span, created_at)
      SELECT ${workspaceId}::uuid, e.* FROM unnest(${column('id')}::uuid[], ${column('type')}::text[], ${data}::json[],
        ${column('objectId')}::uuid[], ${column('agentId')}::uuid[], ${column('traceId')}::text[],
        ${column('traceSpan')}::text[], ${column('createdAt')}::timestamptz[]) AS e
    )
    INSERT INTO outbox (workspace_id, event_ids, roles, traces)
    VALUES (${workspaceId}::uuid, ${column('id')}::uuid[], ${roles}::jsonb, ${tracesOf(rows)}::text[])`;
}

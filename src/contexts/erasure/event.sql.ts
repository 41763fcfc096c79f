// The statements that erase what events, deliveries and kept answers say.
import type pg from 'pg';
import type { ErasureWork } from './work.js';

/** Events, or answers, that are looked at in a set. */
export const setSize = 2_000;
/** What ids look like wherever they stand. */
const uuids = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** SQL: the condition that a text names something that was noted, in a workspace and by an erasure. */
export const namesNoted = (text: string, [workspaceId, id] = ['$1', '$2']): string => `EXISTS (
  SELECT FROM regexp_matches(${text}, '${uuids}', 'g') AS m (found)
  JOIN erasure_subject x ON x.workspace_id = ${workspaceId} AND x.erasure_id = ${id} AND x.id = m.found[1]::uuid)`;

/** A set that was looked at. */
interface Seen {
  seen: number;
  last: string[] | null;
}

async function seenBy(tx: pg.ClientBase, text: string, values: unknown[]): Promise<Seen & { rows: number }> {
  const { rows } = await tx.query<Seen & { rows: number }>({ text, values });
  const [found] = rows;
  if (found === undefined) throw new Error('a set answers one row');
  return found;
}

/** Notes the events of a set that are of what was erased, or name something of it. */
export function noteEvents(tx: pg.ClientBase, { workspaceId, id, cursor }: ErasureWork) {
  const text = `WITH s AS MATERIALIZED (
      SELECT id, object_id, agent_id, data FROM event WHERE workspace_id = $1 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT ${setSize}
    ), own AS (
      INSERT INTO erasure_subject (workspace_id, erasure_id, id)
      SELECT $1, $2, s.id FROM s WHERE ${namesNoted("concat_ws(' ', s.object_id, s.agent_id, s.data)")}
      ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT (SELECT count(*)::int FROM s) AS seen, (SELECT count(*)::int FROM own) AS rows,
      (SELECT ARRAY[id::text] FROM s ORDER BY id DESC LIMIT 1) AS last`;
  return seenBy(tx, text, [workspaceId, id, cursor[0] ?? null]);
}

/** Whether deliveries of noted events wait to be sent. */
export async function deliveriesWait(tx: pg.ClientBase, { workspaceId, id }: ErasureWork): Promise<boolean> {
  const { rows } = await tx.query<{ wait: boolean }>({
    text: `SELECT EXISTS (
        SELECT FROM erasure_subject x JOIN webhook_delivery d ON d.workspace_id = $1 AND d.event_id = x.id
        WHERE x.workspace_id = $1 AND x.erasure_id = $2 AND d.status IN ('pending', 'processing', 'failed')
      ) AS wait`,
    values: [workspaceId, id],
  });
  return rows[0]?.wait === true;
}

/** Gives up the deliveries of noted events that wait. One that is being sent right now ends by itself. */
export async function giveUpDeliveries(tx: pg.ClientBase, { workspaceId, id }: ErasureWork, at: Date): Promise<void> {
  await tx.query({
    text: `UPDATE webhook_delivery d SET status = 'dlq', dlq_at = $3, dlq_reason = 'erased', due_at = NULL, waits_for = NULL
      FROM erasure_subject x WHERE x.workspace_id = $1 AND x.erasure_id = $2 AND d.workspace_id = $1 AND d.event_id = x.id
        AND d.status IN ('pending', 'failed') AND d.lease_until IS NULL`,
    values: [workspaceId, id, at],
  });
}

/** Rows of JSON that are rewritten. */
export interface JsonRow {
  id: string;
  value: unknown;
  /** The type of an event. */
  type?: string;
}

/** Noted events with data of their own, at most `most`. */
export async function notedEvents(tx: pg.ClientBase, { workspaceId, id, cursor }: ErasureWork, most: number): Promise<JsonRow[]> {
  const { rows } = await tx.query<JsonRow>({
    text: `SELECT e.id, e.type, e.data AS value FROM erasure_subject x JOIN event e ON e.workspace_id = $1 AND e.id = x.id
      WHERE x.workspace_id = $1 AND x.erasure_id = $2 AND ($3::uuid IS NULL OR x.id > $3) AND e.data IS NOT NULL ORDER BY x.id LIMIT ${most}`,
    values: [workspaceId, id, cursor[0] ?? null],
  });
  return rows;
}

/** Writes the data of events. */
export async function writeEventData(tx: pg.ClientBase, workspaceId: string, changed: readonly JsonRow[]): Promise<void> {
  await tx.query({
    text: `UPDATE event e SET data = u.value FROM unnest($2::uuid[], $3::json[]) AS u (id, value) WHERE e.workspace_id = $1 AND e.id = u.id`,
    values: [workspaceId, changed.map((row) => row.id), changed.map(({ value }) => JSON.stringify(value))],
  });
}

/** Noted disputes with evidence, at most `most`. */
export async function notedDisputes(tx: pg.ClientBase, { workspaceId, id, cursor }: ErasureWork, most: number): Promise<JsonRow[]> {
  const { rows } = await tx.query<JsonRow>({
    text: `SELECT d.id, d.evidence AS value FROM erasure_subject x JOIN dispute d ON d.workspace_id = $1 AND d.id = x.id
      WHERE x.workspace_id = $1 AND x.erasure_id = $2 AND ($3::uuid IS NULL OR x.id > $3) AND d.evidence <> '[]' ORDER BY x.id LIMIT ${most}`,
    values: [workspaceId, id, cursor[0] ?? null],
  });
  return rows;
}

/** Writes the evidence of disputes. */
export async function writeDisputeEvidence(tx: pg.ClientBase, workspaceId: string, changed: readonly JsonRow[]): Promise<void> {
  await tx.query({
    text: `UPDATE dispute d SET evidence = u.value FROM unnest($2::uuid[], $3::jsonb[]) AS u (id, value) WHERE d.workspace_id = $1 AND d.id = u.id`,
    values: [workspaceId, changed.map((row) => row.id), changed.map(({ value }) => JSON.stringify(value))],
  });
}

/** Deletes the kept answers of a set that name something noted: a replay renders what is there now. */
export function deleteAnswers(tx: pg.ClientBase, { workspaceId, id, cursor }: ErasureWork) {
  const text = `WITH s AS MATERIALIZED (
      SELECT expires_at, key, body FROM keyed_answer
      WHERE workspace_id = $1 AND ($3::timestamptz IS NULL OR (expires_at, key) > ($3, $4)) ORDER BY expires_at, key LIMIT ${setSize}
    ), gone AS (
      DELETE FROM keyed_answer k USING s
      WHERE k.workspace_id = $1 AND k.expires_at = s.expires_at AND k.key = s.key AND ${namesNoted('s.body')} RETURNING k.key
    )
    SELECT (SELECT count(*)::int FROM s) AS seen, (SELECT count(*)::int FROM gone) AS rows,
      (SELECT ARRAY[expires_at::text, key] FROM s ORDER BY expires_at DESC, key DESC LIMIT 1) AS last`;
  return seenBy(tx, text, [workspaceId, id, cursor[0] ?? null, cursor[1] ?? null]);
}

/** Forgets a set of what was noted; false where nothing is left. */
export async function forgetSubjects(tx: pg.ClientBase, { workspaceId, id }: ErasureWork): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: `DELETE FROM erasure_subject WHERE workspace_id = $1 AND erasure_id = $2 AND id IN (
        SELECT id FROM erasure_subject WHERE workspace_id = $1 AND erasure_id = $2 LIMIT ${setSize})`,
    values: [workspaceId, id],
  });
  return rowCount === setSize;
}

// The statements that erase rows of one table, as the classes of its columns say (src/generated/personal-data.ts). A set of rows is read by the
// key; those that belong to what was erased are noted by id, so that what belongs to them is found in turn, and their columns are emptied.
import type pg from 'pg';
import type { PersonalTable } from '../../generated/personal-data.js';
import { namesNoted } from './event.sql.js';
import type { ErasureWork, Progress } from './work.js';

/** Rows that are looked at in a set. */
const setSize = 5_000;

/** What is emptied by a stage of its own, because not all of it goes. */
const byItself: ReadonlySet<string> = new Set(['event.data', 'dispute.evidence']);

/** The columns of a table that its own set empties. */
export function emptied({ table, erased }: PersonalTable) {
  return erased.filter(({ column }) => !byItself.has(`${table}.${column}`));
}

/** SQL: the condition that `id` was noted. $2 and $3 are the workspace and the id of the erasure. */
const isNoted = (id: string) =>
  `EXISTS (SELECT FROM erasure_subject x WHERE x.workspace_id = $2 AND x.erasure_id = $3 AND x.id = ANY (${id}))`;

/** SQL: the condition that a row `s` of the table belongs to what was erased. */
function belongs({ key, owners }: PersonalTable): string {
  const byId = owners.filter(({ of }) => of.every((name) => !name.includes('.') && name !== '~')).map(({ column }) => `s.${column}`);
  const byText = owners.filter(({ of }) => of.includes('~')).map(({ column }) => namesNoted(`s.${column}::text`, ['$2', '$3']));
  const own = key.some(({ column }) => column === 'id') && owners.length === 0 ? ['s.id'] : [];
  // What a row names by id is meant before what it has in common with another.
  const namesNone = byId.map((column) => `${column} IS NULL AND `).join('');
  const byValue = owners.flatMap(({ column, of }) =>
    of.filter((name) => name.includes('.')).map((name) => `${namesNone}${sharesValue(column, name.split('.') as [string, string])}`),
  );
  const ids = [...own, ...byId];
  return [...(ids.length === 0 ? [] : [isNoted(`ARRAY[${ids.join(', ')}]`)]), ...byValue, ...byText].join(' OR ');
}

/** SQL: the condition that a row has the same value as a noted row of another table. */
function sharesValue(column: string, [table, other]: [string, string]): string {
  const scope = table === 'member' ? 'tenant_id' : 'workspace_id';
  return `s.${column} IN (SELECT o.${other} FROM ${table} o JOIN erasure_subject x ON x.workspace_id = $2 AND x.erasure_id = $3 AND x.id = o.id
    WHERE o.${scope} = $1)`;
}

/** SQL: what is done to the rows `o` that belong to what was erased. */
function changeOf(table: PersonalTable): string {
  const { table: name, scope, key, isGone } = table;
  const columns = emptied(table);
  const same = key.map(({ column }) => `t.${column} = o.${column}`).join(' AND ');
  if (isGone)
    return `DELETE FROM ${name} t USING own o WHERE t.${scope} /* workspace_id or tenant_id */ = $1 AND ${same} RETURNING o.fields`;
  if (columns.length === 0) return 'VALUES (0)';
  const set = columns.map(({ column, value, holds }) => `${column} = CASE WHEN ${holds} THEN ${value} ELSE t.${column} END`);
  return `UPDATE ${name} t SET ${set.join(', ')} FROM own o
      WHERE t.${scope} /* workspace_id or tenant_id */ = $1 AND ${same} AND o.fields > 0 RETURNING o.fields`;
}

function statementOf(table: PersonalTable): string {
  const { table: name, scope, key, owners, isGone } = table;
  const keys = key.map(({ column }) => column);
  const begin = key.map(({ type }, n) => `$${n + 5}::text::${type}`).join(', ');
  const fields = emptied(table)
    .map(({ holds }) => `coalesce((${holds}), false)::int`)
    .join(' + ');
  const last = key.at(-1);
  const isNotable = last?.column === 'id' && last.type === 'uuid';
  const columns = [...new Set([...keys, ...owners.map(({ column }) => column)])].join(', ');
  const [of, own, change] = [keys.join(', '), keys.map((column) => `s.${column}`).join(', '), changeOf(table)];
  const [texts, backwards] = [keys.map((column) => `${column}::text`).join(', '), keys.map((column) => `${column} DESC`).join(', ')];
  return `WITH s AS MATERIALIZED (
      SELECT ${columns}, ${fields || '0'} AS fields FROM ${name}
      WHERE ${scope} /* workspace_id or tenant_id */ = $1 AND ($4::boolean OR (${of}) > (${begin})) ORDER BY ${of} LIMIT ${setSize}
    ), own AS MATERIALIZED (
      SELECT ${own}, s.fields FROM s WHERE ${belongs(table)}
    ), noted AS (
      INSERT INTO erasure_subject (workspace_id, erasure_id, id)
      SELECT $2::uuid, $3::uuid, ${isNotable ? 'id' : 'NULL'} FROM own WHERE ${isNotable} ON CONFLICT DO NOTHING
    ), changed AS (${change})
    SELECT (SELECT count(*)::int FROM s) AS seen, (SELECT count(*)::int FROM own WHERE fields > 0 OR ${isGone}) AS rows,
      (SELECT coalesce(sum(fields), 0)::int FROM own) AS fields,
      (SELECT ARRAY[${texts}] FROM s ORDER BY ${backwards} LIMIT 1) AS last`;
}

/** Looks at the next set of rows of a table, and empties those that belong to what was erased. */
export async function eraseSet(tx: pg.ClientBase, table: PersonalTable, work: ErasureWork): Promise<Progress> {
  const { workspaceId, tenantId, id, cursor } = work;
  const scope = table.scope === 'workspace_id' ? workspaceId : tenantId;
  const begin = table.key.map(({ type }, n) => cursor[n] ?? lowest[type]);
  const { rows } = await tx.query<{ seen: number; rows: number; fields: number; last: string[] | null }>({
    text: statementOf(table),
    values: [scope, workspaceId, id, cursor.length === 0, ...begin],
  });
  const [found] = rows;
  if (found === undefined) throw new Error('a set answers one row');
  return { isOver: found.seen < setSize, cursor: found.last ?? [], rows: found.rows, fields: found.fields };
}

/** A value of each type of key, for where there is no cursor yet. */
const lowest: Readonly<Record<string, string>> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  text: '',
  int4: '0',
  int8: '0',
  timestamptz: '-infinity',
};

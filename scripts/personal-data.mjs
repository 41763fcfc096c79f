// Prints src/generated/personal-data.ts: what of the data model is personal, and whose it is, as the Prisma schema says of each column. What
// erases an account or a member reads it (src/contexts/erasure): there is no other list.
//
//   /// @personal account|agent|member   says who somebody is
//   /// @free                            text or JSON as people have written it
//   /// @plain                           a code, an id, a currency, a hash, a name that the tenant gave to a thing of its own
//   /// @owner table [table.column ...]  names what the row belongs to; `*` is anything that was erased, `~` anything that its text names. Columns
//                                        that end in account_id, agent_id, wallet_id or merchant_id, and member_id, need no mark.
//   /// @gone                            of a model: its rows go as a whole
//
// What follows a class is what stands there afterwards (`@free []`), or members of a JSON object that go while the others stay
// (`@personal account .card_brand`). By default it is null; where a column cannot be, it is `erased`, or an empty list or object.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const classes = new Set(['account', 'agent', 'member', 'free']);
const sqlTypes = { String: 'text', Int: 'int4', BigInt: 'int8', DateTime: 'timestamptz', Bytes: 'bytea', Json: 'jsonb', Boolean: 'bool' };
const owning = /(?:^|_)(account|agent|wallet|merchant)_id$/;
/** Money and what moved it stay as they are: the database refuses any change. */
const outOfReach = new Set(['ledger']);

/** The models of a schema file. */
function modelsIn(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, doc, name, body]) => ({
    name,
    file: path.basename(file, '.prisma'),
    isGone: doc.includes('@gone'),
    table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
    columns: body.split('\n').flatMap(columnOf),
    key: /@@id\(\[([^\]]*)\]/.exec(body)?.[1].split(', '),
  }));
}

function columnOf(line) {
  const [, field, type, suffix] = /^\s+(\w+)\s+(\w+)(\[\]|\?)?(?:\s|$)/.exec(line) ?? [];
  if (field === undefined || line.trim().startsWith('//') || line.includes('@relation')) return [];
  const [, marks = ''] = /\/\/\/ (@.*)$/.exec(line) ?? [];
  const [, owners] = /@owner ([^@]*)/.exec(marks) ?? [];
  const [, kind, rest = ''] = /@(?:personal )?(account|agent|member|free|plain)\b([^@]*)/.exec(marks) ?? [];
  return [
    {
      field,
      name: /@map\("(\w+)"\)/.exec(line)?.[1] ?? field,
      type,
      sqlType: line.includes('@db.Uuid') ? 'uuid' : line.includes('@db.Json') && !line.includes('@db.JsonB') ? 'json' : sqlTypes[type],
      isList: suffix === '[]',
      isNullable: suffix === '?',
      isId: line.includes(' @id'),
      kind,
      after: rest.trim(),
      owners: owners?.trim().split(' '),
    },
  ];
}

/** Whether a column has to say what it holds: text, JSON, and what is sealed. */
const isText = ({ type, sqlType, name }) =>
  (type === 'String' && sqlType !== 'uuid') || type === 'Json' || (type === 'Bytes' && /seal|secret$/.test(name));

/** What of the models is wrong, a sentence each. */
export function unclassified(models) {
  return models.flatMap(({ name, columns }) =>
    columns
      .filter((column) => isText(column) && column.kind === undefined)
      .map(({ field }) => `${name}.${field} does not say what it holds: /// @personal account|agent|member, /// @free or /// @plain`),
  );
}

/** The models of all files of a folder. */
export function readModels(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .flatMap((name) => modelsIn(path.join(folder, name)));
}

/** The columns that say what the rows of a table belong to. */
function ownersOf({ columns }) {
  return columns.flatMap(({ name, sqlType, owners }) => {
    const of = owners ?? (sqlType !== 'uuid' ? [] : name === 'member_id' ? ['member'] : [owning.exec(name)?.[1]].filter(Boolean));
    return of.length === 0 ? [] : [{ column: name, of }];
  });
}

/** SQL: what stands in a column afterwards, and the condition that something is to go. */
function erasedOf({ name, type, sqlType, isList, isNullable, kind, after }) {
  if (after.startsWith('.')) {
    const members = after.split(' ').map((member) => member.slice(1));
    return { column: name, kind, value: `${name} - '{${members.join(',')}}'::text[]`, holds: `${name} ?| '{${members.join(',')}}'` };
  }
  const text = after !== '' ? after : isList ? '{}' : isNullable ? null : type === 'Json' ? '{}' : 'erased';
  const value = text === null ? 'NULL' : `'${text}'${isList ? `::${sqlType}[]` : type === 'Json' ? `::${sqlType}` : ''}`;
  // JSON has no equality; its text does.
  const isJson = type === 'Json' && text !== null;
  const differs = text === null ? '' : ` AND ${name}${isJson ? '::text' : ''} <> ${isJson ? `'${text}'` : value}`;
  return { column: name, kind, value, holds: `${name} IS NOT NULL${differs}` };
}

function tableOf(model) {
  const { table, columns, key, isGone } = model;
  const scope = columns.find(({ name }) => name === 'workspace_id') ?? columns.find(({ name }) => name === 'tenant_id');
  const keyFields = key ?? columns.filter(({ isId }) => isId).map(({ field }) => field);
  return {
    table,
    scope: scope?.name ?? null,
    key: keyFields
      .map((field) => columns.find((column) => column.field === field))
      .filter((column) => column !== undefined && column !== scope)
      .map(({ name, sqlType }) => ({ column: name, type: sqlType })),
    owners: ownersOf(model),
    erased: columns.filter(({ kind }) => classes.has(kind)).map(erasedOf),
    isGone,
  };
}

const isAny = (name) => name === '*' || name === '~';

/** Tables with something to erase, and those through which their rows belong to somebody: each after those that it refers to. */
function inOrder(tables) {
  const byName = new Map(tables.map((each) => [each.table, each]));
  const done = new Map();
  const visit = (each, path = []) => {
    if (done.has(each.table)) return;
    if (path.includes(each.table)) throw new Error(`rows belong to each other in a circle: ${[...path, each.table].join(', ')}`);
    const targets = each.owners.flatMap(({ of }) => of).flatMap((name) => (isAny(name) ? [] : [name.split('.')[0]]));
    for (const name of targets) {
      const target = byName.get(name);
      if (target === undefined) throw new Error(`${each.table} belongs to ${name}, which is no table`);
      if (target !== each) visit(target, [...path, each.table]);
    }
    done.set(each.table, each);
  };
  const whatever = (each) => each.owners.some(({ of }) => of.some(isAny));
  const erased = tables.filter((each) => each.erased.length > 0);
  for (const each of [...erased.filter((one) => !whatever(one) && !refersToAny(one, byName, whatever)), ...erased]) visit(each);
  return [...done.values()];
}

/** True for a table that belongs to one whose rows belong to anything. */
function refersToAny({ owners }, byName, whatever) {
  return owners
    .flatMap(({ of }) => of)
    .some((name) => {
      const target = byName.get(name.split('.')[0]);
      return (
        target !== undefined &&
        (whatever(target) || refersToAny({ owners: target.owners.filter(({ of }) => !of.includes(target.table)) }, byName, whatever))
      );
    });
}

const types = `/** A column that is erased: what stands there afterwards, and the condition that something is to go, both SQL. */
export interface ErasedColumn {
  column: string;
  kind: 'account' | 'agent' | 'member' | 'free';
  value: string;
  holds: string;
}

/** A table with something to erase, or through which rows of such a table belong to somebody. */
export interface PersonalTable {
  table: string;
  /** The column that says in which workspace or of which tenant a row is. */
  scope: 'workspace_id' | 'tenant_id';
  /** The rest of its key. */
  key: readonly { column: string; type: string }[];
  /** Columns that name what a row belongs to: tables, or columns of tables; \`*\` is anything, and \`~\` anything that the text of the column names. */
  owners: readonly { column: string; of: readonly string[] }[];
  erased: readonly ErasedColumn[];
  /** Its rows go as a whole. */
  isGone: boolean;
}
`;

/** The text of src/generated/personal-data.ts for the schema in `folder`. Throws for a column that says nothing of what it holds. */
export function printPersonalData(folder) {
  const models = readModels(folder);
  const wrong = unclassified(models);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  const tables = inOrder(models.filter(({ file }) => !outOfReach.has(file)).map(tableOf));
  const list = `/** Each after those that it refers to. */\nexport const personalTables: readonly PersonalTable[] = ${JSON.stringify(tables, null, 2)};\n`;
  return `// Printed by scripts/personal-data.mjs from prisma/schema.\n${types}\n${list}`;
}

// What a new migration may say (decision 0093), beside what squawk knows: checked over PostgreSQL's own parser.
import { type Migration, mustSayKind } from '../src/platform/postgres/migration-file.js';
import { type SqlNode, type Statement, statementsOf } from '../src/platform/postgres/sql-statement.js';
import { type Catalog, locksOf } from '../src/platform/postgres/statement-lock.js';

/** A lint has no database: what a statement does not say by itself is not known. */
const noCatalog: Catalog = { tableOf: () => undefined, referenced: () => [], partitionsOf: () => [] };

const typeOf = ({ node }: Statement): string => Object.keys(node)[0] ?? '';
const bodyOf = ({ node }: Statement): SqlNode => (Object.values(node)[0] ?? {}) as SqlNode;
const shown = ({ sql }: Statement): string => sql.replace(/^(--.*\n|\s)+/, '').split('\n')[0] ?? '';

const drops = (statement: Statement, ...what: string[]) =>
  typeOf(statement) === 'DropStmt' && what.some((kind) => bodyOf(statement)['removeType'] === kind);
const dropsFunction = (statement: Statement) => drops(statement, 'OBJECT_FUNCTION', 'OBJECT_PROCEDURE', 'OBJECT_ROUTINE');
const parts = (statement: Statement) =>
  typeOf(statement) === 'AlterTableStmt'
    ? (bodyOf(statement)['cmds'] as SqlNode[]).map((part) => (part['AlterTableCmd'] as { subtype: string }).subtype)
    : [];

/** What processes of the release before may still need. */
const takesAway = (statement: Statement) =>
  drops(statement, 'OBJECT_TABLE', 'OBJECT_TYPE', 'OBJECT_VIEW', 'OBJECT_SEQUENCE') ||
  dropsFunction(statement) ||
  ['RenameStmt', 'TruncateStmt'].includes(typeOf(statement)) ||
  parts(statement).some((part) => ['AT_DropColumn', 'AT_AlterColumnType', 'AT_SetNotNull', 'AT_DropDefault'].includes(part));

/** May be done again after an attempt that was interrupted. */
function isRepeatable(statement: Statement): boolean {
  const type = typeOf(statement);
  if (type === 'IndexStmt') return bodyOf(statement)['concurrent'] === true && bodyOf(statement)['idxname'] !== undefined;
  if (drops(statement, 'OBJECT_INDEX')) return bodyOf(statement)['concurrent'] === true && bodyOf(statement)['missing_ok'] === true;
  if (type === 'AlterTableStmt') return parts(statement).every((part) => ['AT_ValidateConstraint', 'AT_SetNotNull'].includes(part));
  if (['UpdateStmt', 'DeleteStmt', 'InsertStmt'].includes(type)) return JSON.stringify(statement.node).includes('"limitCount"');
  return type === 'VacuumStmt';
}

function expandFaults(statements: readonly Statement[]): string[] {
  const made = new Set(statements.filter((each) => typeOf(each) === 'CreateStmt').map((each) => relationOf(each)));
  const locks = locksOf(statements, noCatalog);
  const long = locks.tables.filter(({ isLong }) => isLong === true).map(({ table }) => table);
  return [
    ...statements
      .filter((each) => typeOf(each) === 'IndexStmt' && !made.has(relationOf(each)))
      .map((each) => `makes an index on a table that is there: make it CONCURRENTLY in a background migration (${shown(each)})`),
    ...statements.filter(takesAway).map((each) => `takes away what processes of before may need: that is a contract (${shown(each)})`),
    ...statements
      .filter((each) => ['UpdateStmt', 'DeleteStmt'].includes(typeOf(each)))
      .map((each) => `changes rows that are there: do it in sets, in a background migration (${shown(each)})`),
    ...(long.length > 0 && locks.tables.length > 1
      ? [`holds locks of ${locks.tables.map(({ table }) => table).join(', ')} while it reads or writes all rows of ${long.join(', ')}`]
      : []),
    ...locks.unknown.map((type) => `has a statement whose locks are not known: ${type}`),
  ];
}

const relationOf = (statement: Statement): string => (bodyOf(statement)['relation'] as { relname: string }).relname;

function backgroundFaults(statements: readonly Statement[]): string[] {
  return [
    ...statements
      .filter((each) => !isRepeatable(each))
      .map((each) => `has a statement that cannot be done again after an interruption, or has no LIMIT (${shown(each)})`),
    ...statements.filter(dropsFunction).map((each) => `drops a function: that is a contract (${shown(each)})`),
  ];
}

/** What is wrong with a migration. Its kind was read by `kindOf`, which refuses a wrong first line. */
export async function migrationFaults({ name, kind, sql }: Pick<Migration, 'name' | 'kind' | 'sql'>): Promise<string[]> {
  if (!mustSayKind(name)) return [];
  const statements = await statementsOf(sql);
  const faults = { expand: expandFaults, background: backgroundFaults, contract: () => [] }[kind](statements);
  return faults.map((fault) => `${name} ${fault}`);
}

/** A signature of an SQL function, and what a process that calls it relies on. */
export interface Signature {
  /** Name and types of the arguments. */
  signature: string;
  /** Its result, the names of its arguments, and how many of them may be left out. */
  returns: string;
  names: string[];
  defaults: number;
}

interface TypeName {
  names: SqlNode[];
  setof?: boolean;
  arrayBounds?: unknown[];
}

const namesOf = (list: unknown): string[] => (list as SqlNode[]).map((each) => (each['String'] as { sval: string }).sval);

function typeText(type: TypeName | undefined): string {
  const names = namesOf(type?.names ?? []);
  return `${type?.setof === true ? 'setof ' : ''}${names.at(-1) ?? 'void'}${type?.arrayBounds === undefined ? '' : '[]'}`;
}

interface Parameter {
  name?: string;
  mode?: string;
  argType?: TypeName;
  defexpr?: unknown;
}

/** The signatures that a file of prisma/functions makes. */
export async function signaturesOf(sql: string): Promise<Signature[]> {
  const made = (await statementsOf(sql)).filter((each) => typeOf(each) === 'CreateFunctionStmt').map(bodyOf);
  return made.map((body) => {
    const all = ((body['parameters'] ?? []) as SqlNode[]).map((each) => each['FunctionParameter'] as Parameter);
    const given = all.filter(({ mode }) => !['FUNC_PARAM_OUT', 'FUNC_PARAM_TABLE'].includes(mode ?? ''));
    const out = all.filter((each) => !given.includes(each)).map(({ name, argType }) => `${name} ${typeText(argType)}`);
    const [name = ''] = namesOf(body['funcname']).slice(-1);
    return {
      signature: `${name}(${given.map(({ argType }) => typeText(argType)).join(', ')})`,
      returns: [typeText(body['returnType'] as TypeName | undefined), ...out].join(', '),
      names: given.map(({ name: own = '' }) => own),
      defaults: given.filter(({ defexpr }) => defexpr !== undefined).length,
    };
  });
}

/**
 * What keeps processes of the release before from calling a function as they do: the same signature must return the same, name its
 * arguments alike, and let as many be left out. Another signature stands beside it; one that is gone is retired and leaves by itself.
 */
export async function functionFaults(file: { name: string; sql: string }, released: readonly Signature[]): Promise<string[]> {
  const statements = await statementsOf(file.sql);
  const before = new Map(released.map((each) => [each.signature, each]));
  const faults = (await signaturesOf(file.sql)).flatMap(({ signature, returns, names, defaults }) => {
    const old = before.get(signature);
    if (old === undefined) return [];
    return [
      ...(old.returns === returns ? [] : [`${signature} returned ${old.returns} in the release before, and now ${returns}`]),
      ...(old.names.join() === names.join() ? [] : [`${signature} names its arguments otherwise than in the release before`]),
      ...(old.defaults <= defaults ? [] : [`${signature} lets fewer arguments be left out than in the release before`]),
    ];
  });
  const dropped = statements
    .filter((each) => typeOf(each) === 'DropStmt')
    .map((each) => `drops something: the runner does (${shown(each)})`);
  return [...faults, ...dropped].map((fault) => `prisma/functions/${file.name}.sql ${fault}`);
}

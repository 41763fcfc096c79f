// Which locks on tables a statement of a migration takes: PostgreSQL's manual (13.3, and each command) as a table. A test holds it to what
// PostgreSQL itself shows in pg_locks for every migration of ours.
import type { SqlNode, Statement } from './sql-statement.js';

/** From weak to strong. */
const modes = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const;

export type LockMode = (typeof modes)[number];

export interface TableLock {
  table: string;
  mode: LockMode;
  /** Whether the rows are written again, or all of them are read, while the lock is held. */
  isLong?: true;
}

/** What the statements cannot say by themselves. */
export interface Catalog {
  /** The table of an index. */
  tableOf(index: string): string | undefined;
  /** The table that a constraint of `table` refers to; the tables that refer to it or that it refers to, without a constraint. */
  referenced(table: string, constraint?: string): readonly string[];
  /** The partitions of a table. */
  partitionsOf(table: string): readonly string[];
}

interface RangeVar {
  relname: string;
}

const named = (node: unknown): string => (node as RangeVar).relname;
const strings = (list: unknown): string[] => (list as SqlNode[]).map((item) => ((item['String'] ?? {}) as { sval?: string }).sval ?? '');

/** `ALTER TABLE` takes the strongest lock of its parts: ACCESS EXCLUSIVE, where the part is not among these. */
const partModes: Readonly<Record<string, LockMode>> = {
  AT_ValidateConstraint: 'SHARE UPDATE EXCLUSIVE',
  AT_SetStatistics: 'SHARE UPDATE EXCLUSIVE',
  AT_SetOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_ResetOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_SetRelOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_ResetRelOptions: 'SHARE UPDATE EXCLUSIVE',
  AT_AttachPartition: 'SHARE UPDATE EXCLUSIVE',
  AT_EnableTrig: 'SHARE ROW EXCLUSIVE',
  AT_DisableTrig: 'SHARE ROW EXCLUSIVE',
};

interface Constraint {
  contype: string;
  conname?: string;
  pktable?: RangeVar;
  skip_validation?: boolean;
  indexname?: string;
}

interface Part {
  subtype: string;
  name?: string;
  def?: SqlNode;
}

/** Functions whose result is the same for all rows of a statement: as a default they are stored once, and no row is written. */
const stable = ['now', 'transaction_timestamp', 'statement_timestamp'];

function isRewriting(def: unknown): boolean {
  const text = JSON.stringify(def ?? null);
  const calls = [...text.matchAll(/"funcname":\[(?:\{"String":\{"sval":"pg_catalog"\}\},)?\{"String":\{"sval":"(\w+)"\}\}/g)];
  return calls.some(([, name = '']) => !stable.includes(name)) || /"contype":"CONSTR_(GENERATED|IDENTITY)"/.test(text);
}

/** The locks of one part of an `ALTER TABLE`. */
function locksOfPart(table: string, { subtype, name, def }: Part, catalog: Catalog): TableLock[] {
  const constraint = def?.['Constraint'] as Constraint | undefined;
  if (subtype === 'AT_AddConstraint' && constraint !== undefined) {
    const isLong = constraint.skip_validation !== true && constraint.indexname === undefined;
    const mode = constraint.contype === 'CONSTR_FOREIGN' ? 'SHARE ROW EXCLUSIVE' : 'ACCESS EXCLUSIVE';
    const other = constraint.pktable === undefined ? [] : [{ table: named(constraint.pktable), mode } as const];
    return [{ table, mode, ...(isLong && { isLong }) }, ...other];
  }
  if (subtype === 'AT_ValidateConstraint')
    return [
      { table, mode: 'SHARE UPDATE EXCLUSIVE' },
      ...catalog.referenced(table, name).map((other) => ({ table: other, mode: 'ROW SHARE' }) as const),
    ];
  if (subtype === 'AT_DropConstraint' || subtype === 'AT_DropColumn') {
    const others = subtype === 'AT_DropConstraint' ? catalog.referenced(table, name) : [];
    return [table, ...others].map((each) => ({ table: each, mode: 'ACCESS EXCLUSIVE' }));
  }
  const column = def?.['ColumnDef'] as { constraints?: SqlNode[] } | undefined;
  const isLong =
    subtype === 'AT_AlterColumnType' ||
    subtype === 'AT_SetNotNull' ||
    subtype === 'AT_SetLogged' ||
    (subtype === 'AT_AddColumn' && isRewriting(column?.constraints));
  return [{ table, mode: partModes[subtype] ?? 'ACCESS EXCLUSIVE', ...(isLong && { isLong }) }];
}

type OfStatement = (node: SqlNode, catalog: Catalog) => TableLock[];

const lock = (table: string, mode: LockMode, isLong = false): TableLock => ({ table, mode, ...(isLong && { isLong }) });
const none: OfStatement = () => [];
const writes: OfStatement = (node) => [lock(named(node['relation']), 'ROW EXCLUSIVE')];

/** The objects of a `DROP`, by what they are. */
const dropped: OfStatement = (node, catalog) =>
  (node['objects'] as SqlNode[]).flatMap((object) => {
    const names = strings((object['List'] as { items?: unknown } | undefined)?.items ?? []);
    const kind = node['removeType'];
    if (kind === 'OBJECT_TABLE') {
      const table = names.at(-1) ?? '';
      return [table, ...catalog.referenced(table)].map((each) => lock(each, 'ACCESS EXCLUSIVE'));
    }
    if (kind === 'OBJECT_TRIGGER' || kind === 'OBJECT_POLICY' || kind === 'OBJECT_RULE')
      return [lock(names.at(-2) ?? '', 'ACCESS EXCLUSIVE')];
    if (kind !== 'OBJECT_INDEX') return [];
    const index = names.at(-1) ?? '';
    const mode = node['concurrent'] === true ? 'SHARE UPDATE EXCLUSIVE' : 'ACCESS EXCLUSIVE';
    return [lock(catalog.tableOf(index) ?? `the table of ${index}`, mode)];
  });

const renamed: OfStatement = (node, catalog) => {
  if (node['relation'] === undefined) return [];
  const name = named(node['relation']);
  if (node['renameType'] !== 'OBJECT_INDEX') return [lock(name, 'ACCESS EXCLUSIVE')];
  return [lock(catalog.tableOf(name) ?? `the table of ${name}`, 'SHARE UPDATE EXCLUSIVE')];
};

const commented: OfStatement = (node) => {
  const names = strings(((node['object'] as SqlNode)['List'] as { items?: unknown } | undefined)?.items ?? []);
  const table = {
    OBJECT_TABLE: names.at(-1),
    OBJECT_COLUMN: names.at(-2),
    OBJECT_TRIGGER: names.at(-2),
    OBJECT_TABCONSTRAINT: names.at(-2),
  }[node['objtype'] as string];
  return table === undefined ? [] : [lock(table, 'SHARE UPDATE EXCLUSIVE')];
};

/** By type of statement. One that is not here is told as unknown. */
const rules: Readonly<Record<string, OfStatement>> = {
  CreateStmt: (node) =>
    [...JSON.stringify(node).matchAll(/"pktable":\{[^{}]*"relname":"([^"]+)"/g)].map(([, table = '']) =>
      lock(table, 'SHARE ROW EXCLUSIVE'),
    ),
  IndexStmt: (node) => [lock(named(node['relation']), node['concurrent'] === true ? 'SHARE UPDATE EXCLUSIVE' : 'SHARE', true)],
  AlterTableStmt: (node, catalog) =>
    (node['cmds'] as SqlNode[]).flatMap((part) => locksOfPart(named(node['relation']), part['AlterTableCmd'] as Part, catalog)),
  CreateTrigStmt: (node, catalog) =>
    [named(node['relation']), ...catalog.partitionsOf(named(node['relation']))].map((each) => lock(each, 'SHARE ROW EXCLUSIVE')),
  CreatePolicyStmt: (node) => [lock(named(node['table']), 'ACCESS EXCLUSIVE')],
  DropStmt: dropped,
  RenameStmt: renamed,
  InsertStmt: writes,
  UpdateStmt: writes,
  DeleteStmt: writes,
  SelectStmt: none,
  TruncateStmt: (node) => (node['relations'] as SqlNode[]).map((relation) => lock(named(relation['RangeVar']), 'ACCESS EXCLUSIVE')),
  VacuumStmt: (node) =>
    ((node['rels'] ?? []) as SqlNode[]).map((each) =>
      lock(named((each['VacuumRelation'] as { relation: unknown }).relation), 'SHARE UPDATE EXCLUSIVE'),
    ),
  CommentStmt: commented,
  CreateEnumStmt: none,
  AlterEnumStmt: none,
  CreateFunctionStmt: none,
  CompositeTypeStmt: none,
  CreateSeqStmt: none,
  CreateDomainStmt: none,
  VariableSetStmt: none,
};

export interface Locks {
  /** The strongest one of each table that is there before the statements. */
  tables: TableLock[];
  /** Types of statements that nothing is known of. */
  unknown: string[];
}

const rank = ({ mode }: TableLock) => modes.indexOf(mode);

/** The locks that statements take together, but for those of tables that they make. */
export function locksOf(statements: readonly Statement[], catalog: Catalog): Locks {
  const own = new Set<string>();
  /** What a table was called before. */
  const earlier = new Map<string, string>();
  const unknown = new Set<string>();
  const strongest = new Map<string, TableLock>();
  for (const { node } of statements) {
    const [type = '', body] = Object.entries(node)[0] ?? [];
    const rule = rules[type];
    if (rule === undefined) unknown.add(type);
    for (const found of rule?.(body as SqlNode, catalog) ?? []) {
      if (own.has(found.table)) continue;
      const table = earlier.get(found.table) ?? found.table;
      const before = strongest.get(table);
      const isLong = before?.isLong === true || found.isLong === true;
      const { mode } = before !== undefined && rank(before) >= rank(found) ? before : found;
      strongest.set(table, { table, mode, ...(isLong && { isLong }) });
    }
    if (type === 'CreateStmt') own.add(named((body as SqlNode)['relation']));
    const { renameType, relation, newname } = (body ?? {}) as { renameType?: string; relation?: unknown; newname?: string };
    if (type === 'RenameStmt' && renameType === 'OBJECT_TABLE') earlier.set(newname ?? '', earlier.get(named(relation)) ?? named(relation));
  }
  return { tables: [...strongest.values()].sort((a, b) => a.table.localeCompare(b.table)), unknown: [...unknown] };
}

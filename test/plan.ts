// The plans that PostgreSQL makes of the statements of a request, with what each step really read.
import pg from 'pg';

/** A statement as it was sent: a name means that its plan is kept. */
export interface Recorded {
  name: string | undefined;
  text: string;
  values: readonly unknown[];
}

/** Notes every statement that the pool is given, until it is stopped. */
export function recordStatements(pool: pg.Pool): { statements: Recorded[]; stop(): void } {
  const statements: Recorded[] = [];
  const query = pool.query;
  const noting = (statement: unknown, values?: unknown) => {
    const { text, name, values: own } = typeof statement === 'string' ? { text: statement } : (statement as Partial<Recorded>);
    if (/^\s*(SELECT|WITH|\()/i.test(text ?? '')) statements.push({ name, text: text ?? '', values: (own ?? values ?? []) as unknown[] });
    return (query as (...args: unknown[]) => unknown).call(pool, statement, values);
  };
  pool.query = noting as typeof pool.query;
  return {
    statements,
    stop: () => {
      pool.query = query;
    },
  };
}

/** One step of a plan that was carried out. `rows` it gave on (a sort: that it sorted), `removed` it read and dropped. */
export interface PlanNode {
  type: string;
  table: string | undefined;
  rows: number;
  removed: number;
  /** It was begun at all. */
  isRun: boolean;
}

interface Explained {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Explained[];
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (value instanceof Uint8Array) return pg.escapeLiteral(`\\x${Buffer.from(value).toString('hex')}`);
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join(',')}}`);
  return pg.escapeLiteral(String(value));
}

function nodesOf(plan: Explained): PlanNode[] {
  const loops = plan['Actual Loops'];
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const node = {
    type: plan['Node Type'],
    table: plan['Relation Name'],
    rows: plan['Actual Rows'] * loops,
    removed: removed * loops,
    isRun: loops > 0,
  };
  // A sort under a limit gives few rows, however many it takes in.
  const sorted = plan['Node Type'] === 'Sort' ? (plan.Plans ?? []).map((child) => child['Actual Rows'] * child['Actual Loops']) : [];
  return [{ ...node, rows: Math.max(node.rows, ...sorted) }, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The steps of `statement` under a plan for its values (`force_custom_plan`) or for any (`force_generic_plan`). */
export async function explain(url: string, { text, values }: Recorded, mode: string): Promise<PlanNode[]> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    await db.query(`SET plan_cache_mode = ${mode}`);
    await db.query(`PREPARE asked AS ${text}`);
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await db.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked${given}`);
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await db.end();
  }
}

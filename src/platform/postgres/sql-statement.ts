// SQL taken apart by PostgreSQL's own parser (libpg-query). It is loaded when something asks: requests never do.

/** A node of the parse tree, as libpg-query prints it: one member, named after its type. */
export type SqlNode = Readonly<Record<string, unknown>>;

export interface Statement {
  /** Its text, without the semicolon. Comments before it belong to it. */
  sql: string;
  /** Lines of the text before it. */
  line: number;
  node: SqlNode;
}

/**
 * The statements of a text.
 * @throws where it is no SQL
 */
export async function statementsOf(text: string): Promise<Statement[]> {
  const { parse } = await import('libpg-query');
  const { stmts = [] } = (await parse(text)) as { stmts?: { stmt: SqlNode; stmt_location?: number; stmt_len?: number }[] };
  // The parser counts bytes.
  const bytes = Buffer.from(text);
  return stmts.map(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    const sql = bytes.subarray(from, length === undefined ? undefined : from + length).toString();
    const before = bytes.subarray(0, from).toString() + sql.slice(0, sql.length - sql.trimStart().length);
    return { sql: sql.trim(), line: before.split('\n').length - 1, node: stmt };
  });
}

// Asks the database over a connection of its own whether it answers at all, and what it is working on: so a statement that is slow is told
// from one whose connection has died without a word.
import pg from 'pg';

/** How long a probe waits for its answer. */
const probeMs = 2_000;

const question = `SELECT pg_backend_pid() AS own, ARRAY(
  SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state NOT LIKE 'idle%') AS working`;

export interface Report {
  /** The backends that are at work, by process id. Undefined behind a pooler, whose ids are not those of the server. */
  working: ReadonlySet<number> | undefined;
}

/** What the database reports. Undefined when it does not answer in time. */
export async function probe(url: string, withinMs = probeMs): Promise<Report | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'probe',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; working: number[] }>(question);
    const { own, working = [] } = rows[0] ?? {};
    return { working: own === (client as pg.Client & { processID?: number }).processID ? new Set(working) : undefined };
  } catch (error) {
    // A refusal is an answer: there are too many connections, or the server is starting.
    return error instanceof pg.DatabaseError ? { working: undefined } : undefined;
  } finally {
    client.connection.stream.destroy();
  }
}

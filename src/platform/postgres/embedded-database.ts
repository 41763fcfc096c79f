// The one database of an embedded server.
import pg from 'pg';

const database = 'payments';

/** Where a server is reached on this machine, and with which password. */
export const urlOf = (port: number, password: string, name = database) => `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`;

/** Makes the database on the first start; `url` names it. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  const open = async (name: string, use: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: urlOf(port, password, name) });
    client.on('error', () => {}); // told to the query as well
    await client.connect();
    await use(client).finally(() => client.end());
  };
  const codeOf = (error: unknown) => (error as { code?: string }).code;
  try {
    await open(database, async () => {});
  } catch (error) {
    if (codeOf(error) !== '3D000') throw error;
    await open('postgres', (client) => client.query(`create database ${database}`)).catch((failure: unknown) => {
      // 42P04, 23505: another start made it at the same moment.
      if (codeOf(failure) !== '42P04' && codeOf(failure) !== '23505') throw failure;
    });
  }
}

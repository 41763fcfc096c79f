// A PostgreSQL of the machine, whose version the machine's pg_dump and pg_restore know: they refuse the embedded one, which is newer.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { postgresUser, runAs } from '../src/platform/postgres/binary.js';
import { freePort } from '../src/platform/postgres/cluster.js';
import { admin, withDatabase } from './database.js';

const execute = promisify(execFile);

/** Where Debian has the programs of the server; undefined where they are not. */
const programs = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`).find((folder) => existsSync(folder));

/** False where this machine has no PostgreSQL of its own: what needs one is skipped. */
export const hasSystemPostgres = programs !== undefined && existsSync('/usr/bin/pg_dump');

/** A server of the machine with its databases. */
export class SystemPostgres {
  /** Of the database `postgres`. Its user may do everything. */
  readonly url: string;
  readonly #folder: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, folder: string, stop: () => Promise<void>) {
    this.url = url;
    this.#folder = folder;
    this.#stop = stop;
  }

  static async start(): Promise<SystemPostgres> {
    const [user, port] = [await postgresUser(), await freePort()];
    const folder = await mkdtemp(path.join(tmpdir(), 'system-postgres-'));
    await chmod(folder, 0o755);
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const [data, ctl] = [path.join(folder, 'data'), path.join(programs ?? '', 'pg_ctl')];
    await runAs(
      user,
      path.join(programs ?? '', 'initdb'),
      `--pgdata=${data}`,
      '--encoding=UTF8',
      '--locale=C',
      '--username=postgres',
      '--auth=trust',
      '--no-sync',
    );
    const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c full_page_writes=off -c autovacuum=off`;
    await runAs(user, ctl, 'start', '--wait', `--pgdata=${data}`, `--log=${path.join(folder, 'log')}`, `--options=${flags}`);
    const stop = async () => void (await runAs(user, ctl, 'stop', '--mode=immediate', `--pgdata=${data}`));
    // Nobody asks for the password: it is looked for in what the commands print.
    return new SystemPostgres(`postgresql://postgres:of-the-database@127.0.0.1:${port}/postgres`, folder, stop);
  }

  /** The address of a database. */
  urlOf(name: string): string {
    return withDatabase(this.url, name);
  }

  /** Makes a database, by default an empty one. Answers its address. */
  async create(name: string, template = 'template0'): Promise<string> {
    await admin(this.url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
    return this.urlOf(name);
  }

  /** Dumps a database into a file or folder beside it. Answers where. */
  async dump(name: string, format: 'custom' | 'directory' | 'plain' | 'tar' = 'custom'): Promise<string> {
    const file = path.join(this.#folder, `${name}.${format}`);
    await execute('pg_dump', [`--format=${format}`, `--file=${file}`, `--dbname=${this.urlOf(name)}`]);
    return file;
  }

  async stop(): Promise<void> {
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

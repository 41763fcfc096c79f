// What a request costs, wherever it is spent: the server says so itself, PostgreSQL's processes are found in /proc.
import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

export interface CpuSeconds {
  server: number;
  /** Of one PostgreSQL, or of all on the machine; NaN where there is no /proc. */
  postgres: number;
  load: number;
}

/** The parent of the process that serves a connection of `pool`. */
export async function postmasterOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const stat = await readFile(`/proc/${rows[0]?.pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** CPU seconds spent so far by the server at `url`, by PostgreSQL (as `postgresSeconds` counts) and by this process. */
export async function cpuSeconds(url: URL, postmaster?: number): Promise<CpuSeconds> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const { user, system } = process.cpuUsage();
  return {
    server: Number(/^process_cpu_seconds_total ([\d.]+)/m.exec(text)?.[1]),
    postgres: await postgresSeconds(postmaster).catch(() => Number.NaN),
    load: (user + system) / 1e6,
  };
}

/**
 * CPU seconds of PostgreSQL's processes so far: those of one server, by the process id of its parent, or all of the machine. Fails
 * where there is no /proc. Ticks are hundredths of a second on Linux.
 */
export async function postgresSeconds(postmaster?: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const ticks = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      if (!stat.includes('(postgres)')) return 0;
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (postmaster !== undefined && Number(fields[1]) !== postmaster) return 0;
      return Number(fields[11]) + Number(fields[12]);
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

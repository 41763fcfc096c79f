// The two ends of a move.
import type pg from 'pg';

/** One of the two cells of a move. `url` is how the other one reaches it; statements of the pool have no time limit. */
export interface MoveEnd {
  name: string;
  /** It is the first cell, which has the directory. */
  isHome: boolean;
  url: string;
  pool: pg.Pool;
}

/** Both of them. */
export interface Ends {
  source: MoveEnd;
  target: MoveEnd;
}

/** Lends a connection of `end`, without a time limit for statements. */
export async function withClient<T>({ pool }: MoveEnd, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

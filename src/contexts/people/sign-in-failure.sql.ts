// How often signing in with an e-mail has failed within an hour: counted in PostgreSQL, for all processes and over restarts. The rows are of
// no workspace_id: whose the e-mail is, if anybody's, is not known yet.
import type pg from 'pg';

/** A place among the failures of an hour is taken before the password is looked at, so that guesses at once are counted too. */
const takeStatement = {
  name: 'sign_in_failure_take',
  text: `
    -- Without a workspace_id: the e-mail may be nobody's.
    INSERT INTO sign_in_failure AS f (email_hash, count, since) VALUES ($1, 1, $2::timestamptz)
    ON CONFLICT (email_hash) DO UPDATE SET
      count = CASE WHEN f.since <= $2::timestamptz - interval '1 hour' THEN 1 ELSE f.count + 1 END,
      since = CASE WHEN f.since <= $2::timestamptz - interval '1 hour' THEN $2::timestamptz ELSE f.since END
    WHERE f.count < $3 OR f.since <= $2::timestamptz - interval '1 hour'
    RETURNING count`,
};

const sinceStatement = {
  name: 'sign_in_failure_since',
  text: '-- Without a workspace_id.\n SELECT since FROM sign_in_failure WHERE email_hash = $1',
};

const giveBackStatement = {
  name: 'sign_in_failure_give_back',
  text: '-- Without a workspace_id.\n UPDATE sign_in_failure SET count = count - 1 WHERE email_hash = $1 AND count > 0',
};

/** Takes a place among the `most` failures of an hour. Null; or when the hour began in which there is no place left. */
export async function takeFailure(pool: pg.Pool, emailHash: Buffer, at: Date, most: number): Promise<Date | null> {
  const { rowCount } = await pool.query({ ...takeStatement, values: [emailHash, at, most] });
  if (rowCount !== 0) return null;
  const { rows } = await pool.query<{ since: Date }>({ ...sinceStatement, values: [emailHash] });
  return rows[0]?.since ?? at;
}

/** Gives the place back of what was no failure. */
export async function giveFailureBack(pool: pg.Pool, emailHash: Buffer): Promise<void> {
  await pool.query({ ...giveBackStatement, values: [emailHash] });
}

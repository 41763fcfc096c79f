// Clients that registered themselves and have no grant yet: anybody can make them, so they are few and short-lived (CONTRACT.md 22).
import type pg from 'pg';
import { addSeconds } from '../../platform/clock.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { type NewArtifact, writeArtifact } from './artifact.sql.js';

/** Clients without a grant, in all. */
export const mostWaiting = 10_000;
/** Of one /24 or /48. */
export const mostOfNetwork = 100;
/** Registrations of one address in an hour. */
export const mostInHour = 20;
/** Seconds after which a client without a grant may have to make room. */
export const youngSeconds = 600;
/** Seconds after which it is swept. */
export const waitingSeconds = 86_400;

/** One registration after the other: what is counted stays so until it is written. The first statement waits, the second one looks. */
const lock = {
  name: 'lock-oauth-clients',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('oauth client', 0))",
};

const count = {
  name: 'count-oauth-clients',
  text: `
    SELECT count(*)::int AS waiting, count(*) FILTER (WHERE network = $1)::int AS "ofNetwork",
      (SELECT count(*)::int FROM oauth_artifact h WHERE h.kind = 'Client' AND h.network = $1 AND h.address = $2
        AND h.created_at > $3::timestamptz) AS "inHour"
    FROM oauth_artifact a WHERE a.kind = 'Client' AND a.consumed_at IS NULL AND a.workspace_id IS NULL`,
};

const makeRoom = {
  name: 'delete-oldest-oauth-client',
  text: `
    DELETE FROM oauth_artifact WHERE hash = (
      SELECT hash FROM oauth_artifact
      WHERE kind = 'Client' AND consumed_at IS NULL AND workspace_id IS NULL AND created_at <= $1::timestamptz
      ORDER BY created_at LIMIT 1)`,
};

const place = {
  name: 'place-oauth-client',
  text: `UPDATE oauth_artifact SET address = $2, network = $3 WHERE hash = $1 AND workspace_id IS NULL`,
};

interface Counts extends pg.QueryResultRow {
  waiting: number;
  ofNetwork: number;
  inHour: number;
}

/** Writes a client, where there is room for it; else what there are too many of. */
export function registerClient(
  pool: pg.Pool,
  artifact: NewArtifact,
  { address, network }: { address: string; network: string },
): Promise<'address' | 'network' | 'all' | undefined> {
  return inTransaction(pool, async (tx) => {
    await tx.query(lock);
    const hourAgo = addSeconds(artifact.at, -3_600);
    const { rows } = await tx.query<Counts>({ ...count, values: [network, address, hourAgo] });
    const { waiting = 0, ofNetwork = 0, inHour = 0 } = rows[0] ?? {};
    if (inHour >= mostInHour) return 'address';
    if (ofNetwork >= mostOfNetwork) return 'network';
    if (waiting >= mostWaiting) {
      const { rowCount } = await tx.query({ ...makeRoom, values: [addSeconds(artifact.at, -youngSeconds)] });
      if (rowCount === 0) return 'all';
    }
    await writeArtifact(tx, artifact);
    await tx.query({ ...place, values: [artifact.hash, address, network] });
    return undefined;
  });
}

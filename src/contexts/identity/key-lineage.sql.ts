// Which keys count as another one: those that it made or that took its place, however far down (CONTRACT.md 29). And which one stands for it.
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** `same`: the key, and those whose place it took. `own`: they, and all that were made by them or took their place. */
const lineageText = `
  WITH RECURSIVE same (id) AS (
    SELECT $2::uuid
    UNION
    SELECT k.rolled_from_id FROM same JOIN api_key k ON k.workspace_id = $1::uuid AND k.id = same.id WHERE k.rolled_from_id IS NOT NULL
  ), child AS (
    SELECT k.id, parent.id AS parent_id FROM api_key k CROSS JOIN LATERAL (VALUES (k.created_by_id), (k.rolled_from_id)) AS parent (id)
    WHERE k.workspace_id = $1::uuid AND parent.id IS NOT NULL
  ), own (id) AS (
    SELECT id FROM same
    UNION
    SELECT child.id FROM own JOIN child ON child.parent_id = own.id
  )
  SELECT EXISTS (SELECT FROM own WHERE id = $3::uuid) AS "isOwn", EXISTS (
    SELECT FROM api_key k WHERE k.workspace_id = $1::uuid AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $4::timestamptz)
      AND NOT EXISTS (SELECT FROM own WHERE own.id = k.id)
  ) AS "hasOther"`;

/** How one key stands to another. */
export interface KeyLineage {
  /** It is the other one, or counts as it. */
  isOwn: boolean;
  /** Some key works that does not count as the other one. */
  hasOther: boolean;
}

// Gap G-423: A JWT is its key; keys that it made, however far down, keys that it replaced and its successors count as the one that asked.
/** Whether `keyId` counts as `of`, at `at` in real time. */
export async function keyLineage(
  tx: Tx,
  workspaceId: string,
  { of, keyId, at }: { of: string; keyId: string; at: Date },
): Promise<KeyLineage> {
  const [found] = await runIn<KeyLineage>(tx, { name: 'key-lineage', text: lineageText }, [workspaceId, of, keyId, at]);
  if (found === undefined) throw new Error('the lineage of a key has no row');
  return found;
}

/** The key, and those that made it or whose place it took, however far up. */
const makersText = `
  WITH RECURSIVE above (id) AS (
    SELECT $2::uuid
    UNION
    SELECT parent.id FROM above JOIN api_key k ON k.workspace_id = $1::uuid AND k.id = above.id
    CROSS JOIN LATERAL (VALUES (k.created_by_id), (k.rolled_from_id)) AS parent (id) WHERE parent.id IS NOT NULL
  )
  SELECT DISTINCT k.created_by_member_id AS id FROM above JOIN api_key k ON k.workspace_id = $1::uuid AND k.id = above.id
  WHERE k.created_by_member_id IS NOT NULL`;

/** The members who made a key, one that it was made by, or one whose place it took. */
export async function makersOf(tx: Tx, workspaceId: string, keyId: string): Promise<string[]> {
  const rows = await runIn<{ id: string }>(tx, { name: 'key-makers', text: makersText }, [workspaceId, keyId]);
  return rows.map(({ id }) => id);
}

/** The key and those that took its place. One that works stands before one that does not, and then the newest. */
const standingText = `
  WITH RECURSIVE line (id) AS (
    SELECT $2::uuid
    UNION
    SELECT k.id FROM line JOIN api_key k ON k.workspace_id = $1::uuid AND k.rolled_from_id = line.id
  )
  SELECT k.scopes FROM line JOIN api_key k ON k.workspace_id = $1::uuid AND k.id = line.id
  ORDER BY k.revoked_at IS NULL DESC, k.id DESC LIMIT 1`;

/** The scopes of the key that stands for another one after it was rolled; null where there is none. */
export async function standingScopes(tx: Tx, workspaceId: string, keyId: string): Promise<readonly string[] | null> {
  const [found] = await runIn<{ scopes: string[] }>(tx, { name: 'standing-key', text: standingText }, [workspaceId, keyId]);
  return found?.scopes ?? null;
}

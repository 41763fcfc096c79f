// The statements of the public directory of keys, which is read over all workspaces of an environment: a key that two agents have is
// listed once, and nothing says whose it is.
import type { Environment, Platform } from '../../../platform/ctx.js';

const standing = `EXISTS (
    SELECT FROM agent a JOIN workspace w ON w.id = a.workspace_id
    WHERE a.workspace_id = k.workspace_id AND a.id = k.agent_id AND a.status IN ('active', 'frozen') AND w.environment = $1::environment)`;

/**
 * So many keys after `after`, in the order of their bytes, and the last key that was looked at; null when there are no more. A look reads
 * so many keys and no more, whatever their environment, so a page costs the same wherever it begins.
 */
export async function listedKeys(
  { database }: Platform,
  environment: Environment,
  after: Uint8Array,
  most: number,
): Promise<{ keys: Uint8Array[]; last: Uint8Array | null }> {
  const { rows } = await database.pool.query<{ public_key: Uint8Array; listed: boolean }>({
    name: 'list-directory-keys',
    text: `SELECT page.public_key, EXISTS (
        SELECT FROM agent_key k WHERE k.status = 'active' AND k.public_key = page.public_key AND k.workspace_id IS NOT NULL AND ${standing}) AS listed
      FROM (SELECT DISTINCT public_key FROM agent_key WHERE status = 'active' AND public_key > $2 ORDER BY public_key LIMIT $3) page
      ORDER BY page.public_key`,
    values: [environment, after, most],
  });
  const keys = rows.filter(({ listed }) => listed).map(({ public_key }) => public_key);
  return { keys, last: rows.length < most ? null : (rows.at(-1)?.public_key ?? null) };
}

// The statements of the public keys of agents, which are read over all workspaces of an environment. In the directory a key that two agents
// have is listed once, and nothing says whose it is.
import type { Environment, Platform } from '../../../platform/ctx.js';

const standing = `EXISTS (
    SELECT FROM agent a JOIN workspace w ON w.id = a.workspace_id
    WHERE a.workspace_id = k.workspace_id AND a.id = k.agent_id AND a.status IN ('active', 'frozen') AND w.environment = $1::environment)
    AND NOT EXISTS (SELECT FROM moved_workspace m WHERE m.workspace_id = k.workspace_id)`;

/** Keys in the order of their bytes, and the last that was looked at; null when there are no more. */
export interface KeyPage {
  keys: Uint8Array[];
  last: Uint8Array | null;
}

/**
 * So many keys after `after`, in the order of their bytes, and the last key that was looked at; null when there are no more. A look reads
 * so many keys and no more, whatever their environment, so a page costs the same wherever it begins.
 */
export async function listedKeys({ database }: Platform, environment: Environment, after: Uint8Array, most: number): Promise<KeyPage> {
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

/** A key of an agent, with where it is. */
export interface FoundKey {
  id: string;
  agentId: string;
  publicKey: Uint8Array;
}

/** The key that counts and has this thumbprint (32 bytes), in the environment; null where there is none, or more than one agent has it. */
export async function keyByThumbprint({ database }: Platform, environment: Environment, thumbprint: Uint8Array): Promise<FoundKey | null> {
  const { rows } = await database.pool.query<FoundKey>({
    name: 'agent-key-by-thumbprint',
    text: `SELECT k.id, k.agent_id AS "agentId", k.public_key AS "publicKey" FROM agent_key k
      WHERE sha256(('{"crv":"Ed25519","kty":"OKP","x":"' || rtrim(translate(encode(k.public_key, 'base64'), '+/', '-_'), '=') || '"}')::bytea) = $2
        AND k.status = 'active' AND k.workspace_id IS NOT NULL AND ${standing} LIMIT 2`,
    values: [environment, thumbprint],
  });
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

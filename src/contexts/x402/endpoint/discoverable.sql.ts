// What anybody may pay for: it is read over all workspaces of an environment, for nobody has shown a credential.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Environment, Platform } from '../../../platform/ctx.js';

/** What the document of an endpoint says, and what follows from it. */
export type DiscoveredEndpoint = Pick<
  X402Endpoint,
  'id' | 'name' | 'description' | 'method' | 'basePrice' | 'currency' | 'scheme' | 'network'
>;

/** The discoverable endpoints of an environment that take payments, newest first. */
export async function discoverableIn({ database }: Platform, environment: Environment, most: number): Promise<DiscoveredEndpoint[]> {
  const { rows } = await database.pool.query<Omit<DiscoveredEndpoint, 'basePrice'> & { basePrice: string }>({
    name: 'discoverable-endpoints',
    text: `SELECT e.id, e.name, e.description, e.method, e.base_price AS "basePrice", e.currency, e.scheme, e.network
      FROM x402_endpoint e JOIN workspace w ON w.id = e.workspace_id
      WHERE e.discoverable AND e.status = 'active' AND e.deleted_at IS NULL AND w.environment = $1::environment
        AND NOT EXISTS (SELECT FROM moved_workspace m WHERE m.workspace_id = e.workspace_id)
      ORDER BY e.id DESC LIMIT $2`,
    values: [environment, most],
  });
  return rows.map((row) => ({ ...row, basePrice: BigInt(row.basePrice) }));
}

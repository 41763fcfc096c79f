// What the audit log is asked about.
import type { Client } from '../harness.js';
import type { Seeds } from '../operation.js';

/** A portal token, and the entry of the audit log that says so, as paths and ids of it call it. */
export async function auditSeeds(client: Client): Promise<Seeds> {
  const { id } = await client.make('/v1/portal-tokens', { customer_reference: 'seed', scopes: ['agents:read'] });
  const [entry] = (await client.get(`/v1/audit-log?resource_id=${id}`)).body.data;
  return { portal_token: id, audit_log: entry.id, audit_entry: entry.id };
}

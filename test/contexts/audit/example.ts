// Entries of the audit log, as tests of every operation need them.
import type { Example } from '../../example.js';

export const example: Example = {
  // A portal token, and the entry that says that it was made, as paths and ids of it call it.
  stored: async ({ client }) => {
    const { id } = await client.make('/v1/portal-tokens', { customer_reference: 'seed', scopes: ['agents:read'] });
    const [entry] = (await client.get(`/v1/audit-log?resource_id=${id}`)).body.data;
    // A leaf of the log of evidence is found by its entry (its paths call leaves so).
    return { portal_token: id, audit_log: entry.id, audit_entry: entry.id, leaf: entry.id, leave: entry.id };
  },
};

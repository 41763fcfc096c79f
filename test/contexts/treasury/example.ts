// Snapshots, as tests of every operation need them.
import type { Example } from '../../example.js';

export const example: Example = { stored: async ({ client }) => ({ snapshot: (await client.post('/v1/treasury/snapshot', {})).body.id }) };

// Keys, as tests of every operation need them.
import type { Example } from '../../example.js';

export const example: Example = {
  stored: async ({ client }) => ({ api_key: (await client.make('/v1/api-keys', { name: 'Seed' })).id, own_key: client.key }),
  bodies: { createAuthSession: ({ own_key }) => ({ api_key: own_key }) },
};

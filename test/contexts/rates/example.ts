// Exchange rates, as tests of every operation need them.
import type { Example } from '../../example.js';

export const example: Example = {
  stored: async ({ client }) => ({
    rate: (await client.put('/v1/rates', { rates: [{ from: 'MXN', to: 'BRL', rate: '0.31' }] })).body.data[0].id,
  }),
};

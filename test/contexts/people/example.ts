// People, as tests of every operation need them.
import type { Example } from '../../example.js';
import { storedPeople } from './browser.js';

export const example: Example = {
  stored: async ({ harness, client }) => storedPeople(harness, client),
  bodies: {
    createInvitation: () => ({ email: `new-${Math.random().toString(36).slice(2)}@example.com`, role: 'viewer' }),
    updateMember: () => ({ role: 'viewer' }),
  },
};

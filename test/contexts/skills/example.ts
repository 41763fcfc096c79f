// Skills, as tests of every operation need them.
import { randomUUID } from 'node:crypto';
import type { Example } from '../../example.js';

export const example: Example = {
  stored: async ({ client, agent }) => {
    const skill = randomUUID();
    await client.make(`/v1/agents/${agent.id}/skills`, { id: skill, name: 'Seed', description: 'Seed' });
    return { skill };
  },
};

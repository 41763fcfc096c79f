// Operations, as tests of every operation need them.
import type { Example } from '../../example.js';
import { someTrace } from '../../factories/trace.js';

export const example: Example = { stored: async ({ client }) => ({ trace: await someTrace(client) }) };

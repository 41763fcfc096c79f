// Events, as tests of every operation need them. One of them is seeded with webhooks.
import type { Example } from '../../example.js';

// A test event is about what its caller says.
export const example: Example = { free: { triggerEvent: 'all' } };

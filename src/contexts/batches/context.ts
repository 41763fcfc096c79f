// What batches give to the process.
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { batch } from './noun.js';

export const batches = context({ nouns: [batch], events: [events] });

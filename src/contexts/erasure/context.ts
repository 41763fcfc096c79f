// What erasures give to the process.
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { erasure } from './noun.js';

export const erasures = context({ nouns: [erasure], events: [events] });

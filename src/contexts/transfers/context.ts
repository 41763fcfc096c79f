// What transfers give to the process.
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { quote, transfer } from './noun.js';
import { sweepQuotes } from './quote.sql.js';

export const transfers = context({ nouns: [transfer, quote], events: [events], sweeps: [sweepQuotes] });

// What reconciliation gives to the process.
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { discrepancy, railEntry, railImport, report } from './noun.js';

export const reconciliation = context({ nouns: [report, discrepancy, railEntry, railImport], events: [events] });

// What mandates give to the process.
import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { mandateReader } from '../spending/pipeline/mandate.js';
import { events } from './events.js';
import { endMandates } from './mandate-end.sql.js';
import { mandate, mandateExecution } from './noun.js';
import { readPresented } from './presentation.js';

export const mandates = context({
  nouns: [mandate, mandateExecution],
  events: [events],
  extensions: [onFreeze.with(endMandates), mandateReader.with(readPresented)],
});
